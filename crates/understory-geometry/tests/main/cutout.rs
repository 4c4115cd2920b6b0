//! Holes that alpha images cut into meshes, against the answer of the plane's own coordinates.

use crate::common::Random;
use glam::{DAffine3, DVec3, Vec3};
use std::sync::Arc;
use understory_geometry::{
    AlphaImage, Cutout, DynamicBvh, Edges, InstanceId, InstanceMotion, InstructionSet, MeshId,
    PulseRays, RayScene, RaySceneBuilder, Texels, TriangleMesh, Wrap,
};

/// A board of 7 × 5 m whose corners begin anywhere in the order of their triangle, image
/// coordinates 0 … 3 and 0 … 2 over it, and a wall 1 m behind it.
fn board() -> (TriangleMesh, Vec<[[f32; 2]; 3]>) {
    let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let corners = [at(0.0, 0.0), at(7.0, 0.0), at(7.0, 5.0), at(0.0, 5.0)];
    let triangles: Vec<[u32; 3]> = vec![[2, 0, 1], [3, 0, 2]];
    let uv = |i: u32| [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [0.0, 2.0]][i as usize];
    let uvs = triangles.iter().map(|corners| corners.map(uv)).collect();
    (TriangleMesh::new(&corners, triangles).unwrap(), uvs)
}

/// A chess board of 4 × 4 texels.
pub fn chess(wrap: [Wrap; 2], texels: Texels) -> Arc<AlphaImage> {
    let alpha: Vec<u8> = (0..16).map(|i| if (i / 4 + i % 4) % 2 == 0 { 255 } else { 0 }).collect();
    Arc::new(AlphaImage::new(4, alpha.into(), wrap, texels, 1.0, 0.5).unwrap())
}

struct Still(MeshId, DAffine3);

impl InstanceMotion for Still {
    fn at(&self, _: f64) -> (MeshId, DAffine3) {
        (self.0, self.1)
    }
    fn reach_m(&self, _: f64, _: f64) -> f64 {
        0.0
    }
    fn meshes(&self) -> Vec<MeshId> {
        vec![self.0]
    }
}

pub fn scene(image: &Arc<AlphaImage>, place: DAffine3, edges: Edges, moves: bool) -> RayScene {
    let (mesh, uvs) = board();
    let mut cutout = Cutout::default();
    uvs.iter().for_each(|uv| cutout.push(Some(image), *uv));
    let mut builder = RaySceneBuilder::default();
    let cut = builder.add_cut_mesh(&mesh, edges, cutout).unwrap();
    let whole = builder.add_mesh(&mesh, edges).unwrap();
    let behind = place * DAffine3::from_translation(DVec3::new(0.0, 0.0, -1.0));
    let behind = behind * DAffine3::from_scale(DVec3::new(3.0, 3.0, 1.0));
    builder.add_instance(whole, behind).unwrap();
    match moves {
        true => builder.add_mover(Box::new(Still(cut, place))).unwrap(),
        false => drop(builder.add_instance(cut, place).unwrap()),
    }
    builder.build()
}

/// Whether the texel below a point of the board is opaque; none within `margin` of an edge.
fn opaque(x: f64, y: f64, margin: f64, wrap: Wrap) -> Option<bool> {
    let cell = |along: f64| {
        let at = along * 4.0;
        let off = (at - at.round()).abs();
        (off > margin).then_some(at.floor() as i64)
    };
    let fold = |at: i64| match wrap {
        Wrap::Repeat => at.rem_euclid(4),
        Wrap::Clamp => at.clamp(0, 3),
        Wrap::Mirror => {
            if at.rem_euclid(8) < 4 {
                at.rem_euclid(8)
            } else {
                7 - at.rem_euclid(8)
            }
        }
    };
    let (i, j) = (fold(cell(x / 7.0 * 3.0)?), fold(cell(y / 5.0 * 2.0)?));
    Some((i + j) % 2 == 0)
}

#[test]
fn every_ray_passes_the_holes_and_only_them() {
    let mut random = Random(71);
    let place = random.affine(3.0);
    for wrap in [Wrap::Repeat, Wrap::Mirror, Wrap::Clamp] {
        let image = chess([wrap; 2], Texels::Nearest);
        for (set, moves) in
            InstructionSet::available().iter().flat_map(|set| [(*set, false), (*set, true)])
        {
            let mut scene = scene(&image, place, Edges::Exact, moves);
            scene.use_instructions(set).unwrap();
            let mut movers = DynamicBvh::default();
            scene.refit(&mut movers, 0.0, 1.0);
            let now = scene.at(&movers, 0.5);
            let (mut passed, mut asked) = (0u32, 0u32);
            for _ in 0..400 {
                // Nine rays from one point to anywhere on the board, as a pulse and one by one.
                let from = DVec3::new(
                    random.between(1.0, 6.0),
                    random.between(1.0, 4.0),
                    random.between(2.0, 4.0),
                );
                let spots: Vec<DVec3> = (0..9)
                    .map(|_| DVec3::new(random.between(0.1, 6.9), random.between(0.1, 4.9), 0.0))
                    .collect();
                let origin = place.transform_point3(from);
                let ways: Vec<Vec3> = spots
                    .iter()
                    .map(|s| (place.transform_point3(*s) - origin).normalize().as_vec3())
                    .collect();
                let mut hits = [None; 9];
                let (directions, origin_offsets) = (&ways[..], &[][..]);
                let pulse = PulseRays { origin, directions, origin_offsets, t_max: 100.0 };
                now.trace_pulse(&pulse, &mut hits);
                let mut many = [None; 9];
                now.trace_rays(&[origin; 9], &ways, 100.0, &mut many);
                for ((spot, way), (hit, third)) in
                    spots.iter().zip(&ways).zip(hits.iter().zip(&many))
                {
                    let single = now.trace_ray(origin, *way, 100.0);
                    assert_eq!(single.map(|h| h.t.to_bits()), hit.map(|h| h.t.to_bits()));
                    assert_eq!(single.map(|h| h.t.to_bits()), third.map(|h| h.t.to_bits()));
                    let Some(opaque) = opaque(spot.x, spot.y, 1e-3, wrap) else { continue };
                    let met = hit.map(|h| h.instance);
                    assert_eq!(met == Some(InstanceId(1)), opaque, "{wrap:?} at {spot}: {met:?}");
                    passed += u32::from(!opaque);
                    asked += 1;
                }
            }
            // Half of the board is holes where the image repeats.
            let share = f64::from(passed) / f64::from(asked);
            assert!(asked > 3000);
            // Five standard deviations of a fair coin thrown 3400 times: chance fails 6 in 10⁷.
            assert!(wrap == Wrap::Clamp || (share - 0.5).abs() < 0.043, "{wrap:?}: {share}");
        }
    }
}

/// A scene of one mesh alone has a way of its own for single rays.
#[test]
fn a_mesh_alone_has_its_holes_too() {
    let (mesh, uvs) = board();
    let image = chess([Wrap::Repeat; 2], Texels::Nearest);
    let mut cutout = Cutout::default();
    uvs.iter().for_each(|uv| cutout.push(Some(&image), *uv));
    let mut builder = RaySceneBuilder::default();
    let cut = builder.add_cut_mesh(&mesh, Edges::Closed, cutout).unwrap();
    builder.add_instance(cut, DAffine3::IDENTITY).unwrap();
    let scene = builder.build();
    let mut random = Random(72);
    let origins: Vec<DVec3> = (0..2000)
        .map(|_| DVec3::new(random.between(0.1, 6.9), random.between(0.1, 4.9), 50.0))
        .collect();
    let mut hits = vec![None; origins.len()];
    scene.at_rest().trace_rays(&origins, &vec![Vec3::NEG_Z; origins.len()], 99.0, &mut hits);
    for (at, hit) in origins.iter().zip(&hits) {
        if let Some(opaque) = opaque(at.x, at.y, 1e-3, Wrap::Repeat) {
            assert_eq!(hit.is_some(), opaque, "{at}");
        }
    }
}

/// Bilinear alpha of a step from 255 to 0 between two texel middles falls on a straight line, and
/// the cutoff says where on it the hole begins.
#[test]
fn linear_alpha_is_cut_where_the_line_crosses_the_cutoff() {
    for (factor, cutoff, edge) in [(1.0, 0.5, 0.5), (1.0, 0.25, 0.625), (0.5, 0.25, 0.5)] {
        let alpha: Arc<[u8]> = Arc::new([255, 0]);
        let wrap = [Wrap::Clamp; 2];
        let image = AlphaImage::new(2, alpha, wrap, Texels::Linear, factor, cutoff).unwrap();
        for step in 0..1000 {
            let u = (step as f32 + 0.5) / 1000.0;
            // Alpha is 1 up to u = 1/4 and 0 from 3/4 on.
            assert_eq!(image.stops([u, 0.3]), u < edge, "{factor} {cutoff}: {u}");
        }
    }
    let nothing = AlphaImage::new(1, Arc::new([255]), [Wrap::Clamp; 2], Texels::Nearest, 0.0, 0.5);
    assert!(!nothing.unwrap().stops([0.5, 0.5]));
    assert!(
        !AlphaImage::uniform(false).stops([0.1, 0.9]) && AlphaImage::uniform(true).stops([0.0; 2])
    );
}

#[test]
fn what_is_no_image_or_no_cutout_is_refused() {
    let wrap = [Wrap::Repeat; 2];
    let image = |width: usize, alpha: Vec<u8>| {
        AlphaImage::new(width, alpha.into(), wrap, Texels::Nearest, 1.0, 0.5)
    };
    assert!(image(0, vec![]).is_err() && image(3, vec![0; 4]).is_err());
    assert!(image(1, vec![0; 70_000]).is_err());
    let (mesh, _) = board();
    let error = RaySceneBuilder::default()
        .add_cut_mesh(&mesh, Edges::Exact, Cutout::default())
        .unwrap_err();
    assert!(error.to_string().contains("2 triangles"), "{error}");
    // Coordinates that are no numbers stop or pass, but never leave the image.
    let image = chess(wrap, Texels::Linear);
    for u in [f32::NAN, f32::INFINITY, 1e38, -1e38] {
        image.stops([u, u]);
    }
}
