//! What moves is met where it is at the time of the pulse, whatever span its tree was fitted to.

use crate::common::{Random, TestScene, cone};
use glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};
use understory_geometry::{
    DynamicBvh, Edges, InstanceMotion, MeshId, PulseRays, RayScene, RaySceneBuilder, Sway,
};

/// Flies through `at_zero` at a constant velocity and turns about an axis; two meshes by turns.
#[derive(Clone)]
struct Flying {
    at_zero: DVec3,
    velocity: DVec3,
    turning: DVec3,
    linear: DMat3,
    meshes: [MeshId; 2],
    radius_m: f64,
}

impl InstanceMotion for Flying {
    fn at(&self, time_s: f64) -> (MeshId, DAffine3) {
        let turn = DQuat::from_scaled_axis(self.turning * time_s);
        let linear = DMat3::from_quat(turn) * self.linear;
        let mesh = self.meshes[(time_s * 10.0).round().rem_euclid(2.0) as usize];
        (mesh, DAffine3::from_mat3_translation(linear, self.at_zero + self.velocity * time_s))
    }

    fn reach_m(&self, from_s: f64, to_s: f64) -> f64 {
        0.5 * (to_s - from_s) * (self.velocity.length() + self.turning.length() * self.radius_m)
    }

    fn meshes(&self) -> Vec<MeshId> {
        self.meshes.to_vec()
    }
}

pub struct Moving {
    pub rays: RayScene,
    flying: Vec<Flying>,
    sways: Vec<Sway>,
    still: TestScene,
}

pub fn scene(random: &mut Random) -> Moving {
    let still = TestScene::random(81, 100, 1.0, 1.0);
    let mut builder = RaySceneBuilder::default();
    let ids: Vec<MeshId> =
        still.meshes.iter().map(|m| builder.add_mesh(m, Edges::Exact).unwrap()).collect();
    let mut sways = Vec::new();
    for (number, (mesh, place)) in still.instances.iter().enumerate() {
        let tangents = |random: &mut Random| DVec2::new(random.between(-0.3, 0.3), 0.2);
        let sway = Sway {
            frequency_hz: 0.5 + (number % 3) as f64,
            lean: tangents(random),
            sine: tangents(random),
            cosine: tangents(random),
            root_z_m: random.between(-5.0, 5.0),
        };
        sways.push(sway);
        builder.add_swaying_instance(ids[*mesh], *place, sway).unwrap();
    }
    let flying: Vec<Flying> = (0..20)
        .map(|number| Flying {
            at_zero: random.point(15.0),
            velocity: random.point(30.0),
            turning: random.point(6.0),
            linear: random.affine(1.0).matrix3,
            meshes: [ids[number % 3], ids[(number + 1) % 3]],
            radius_m: 40.0,
        })
        .collect();
    for flying in &flying {
        builder.add_mover(Box::new(flying.clone())).unwrap();
    }
    Moving { rays: builder.build(), flying, sways, still }
}

impl Moving {
    /// The scene as it is at one time, built anew from what stands still.
    fn frozen(&self, time_s: f64) -> TestScene {
        let mut instances = self.still.instances.clone();
        for ((_, place), sway) in instances.iter_mut().zip(&self.sways) {
            let angle = std::f64::consts::TAU * sway.frequency_hz * time_s;
            let lean = sway.lean + sway.sine * angle.sin() + sway.cosine * angle.cos();
            let shear = DMat3::from_cols(DVec3::X, DVec3::Y, lean.extend(1.0));
            let root = DVec3::Z * sway.root_z_m;
            let sheared = DAffine3::from_translation(root)
                * DAffine3::from_mat3(shear)
                * DAffine3::from_translation(-root);
            *place = sheared * *place;
        }
        for flying in &self.flying {
            let (mesh, place) = flying.at(time_s);
            instances.push((mesh.0 as usize, place));
        }
        TestScene::new(self.still.meshes.clone(), instances, Edges::Exact)
    }
}

/// Against brute force over all triangles in f64, on scenes frozen at twelve times, with trees
/// fitted to spans of many lengths one after the other. A ray that passes an edge closer than f32
/// knows may go either way: 0.05 % of them are allowed to.
#[test]
fn pulses_meet_what_moves_where_it_is() {
    let mut random = Random(80);
    let moving = scene(&mut random);
    let mut tree = DynamicBvh::default();
    let (mut rays, mut differ, mut on_movers, mut farthest) = (0, 0, 0, 0.0f64);
    for (step, span_s) in
        [0.0, 0.001, 0.02, 0.5, 2.0, 0.001].into_iter().cycle().take(12).enumerate()
    {
        let time_s = 0.17 * step as f64 - 0.6;
        let share = random.between(0.0, 1.0);
        moving.rays.refit(&mut tree, time_s - share * span_s, time_s + (1.0 - share) * span_s);
        let now = moving.rays.at(&tree, time_s);
        let frozen = moving.frozen(time_s);
        for _ in 0..150 {
            let origin = random.point(25.0);
            let axis = (random.point(8.0) - origin).normalize();
            let directions = cone(&mut random, axis, 3e-3, 9);
            let pulse =
                PulseRays { origin, directions: &directions, origin_offsets: &[], t_max: 90.0 };
            let mut hits = [None; 9];
            now.trace_pulse(&pulse, &mut hits);
            for (direction, hit) in directions.iter().zip(&hits) {
                rays += 1;
                let single = now.trace_ray(origin, *direction, 90.0);
                assert_eq!(single, *hit, "single rays and pulses agree to the bit");
                let exact = direction.as_dvec3();
                let point = hit.map(|hit| (now.surface_point(&hit, origin, exact), hit.instance));
                match (point, frozen.oracle(origin, exact, 90.0)) {
                    (None, None) => {}
                    (Some((point, instance)), Some((t, wanted)))
                        if instance == wanted && (point.t - t).abs() < 1e-3 =>
                    {
                        farthest = farthest.max((point.t - t).abs());
                        on_movers += usize::from(instance.0 as usize >= moving.sways.len());
                    }
                    _ => differ += 1,
                }
            }
        }
    }
    assert!(on_movers > rays / 10, "{on_movers} of {rays}");
    assert!(f64::from(differ) <= 0.0005 * rays as f64, "{differ} of {rays} differ");
    // The vertices are those of f32 meshes, and the tangents are f32 too.
    assert!(farthest < 2e-5, "{farthest}");
}

#[test]
fn the_span_of_the_tree_changes_no_bit() {
    let mut random = Random(85);
    let moving = scene(&mut random);
    let (mut narrow, mut wide) = (DynamicBvh::default(), DynamicBvh::default());
    moving.rays.refit(&mut wide, -3.0, 5.0);
    for step in 0..200 {
        let time_s = 0.01 * f64::from(step);
        moving.rays.refit(&mut narrow, time_s, time_s);
        let origin = random.point(25.0);
        let direction = (random.point(8.0) - origin).normalize().as_vec3();
        let hit = |tree| moving.rays.at(tree, time_s).trace_ray(origin, direction, 90.0);
        let told = |tree| hit(tree).map(|h| (h.t.to_bits(), h.instance, h.triangle));
        assert_eq!(told(&narrow), told(&wide));
    }
}

/// A point at height h above the root moves by h dS/dt.
#[test]
fn swaying_points_have_a_velocity() {
    let mut random = Random(86);
    let moving = scene(&mut random);
    for (number, sway) in moving.sways.iter().enumerate() {
        let id = understory_geometry::InstanceId(number as u32);
        assert!(moving.rays.moves(id));
        let lean = |time_s: f64| {
            let angle = std::f64::consts::TAU * sway.frequency_hz * time_s;
            sway.lean + sway.sine * angle.sin() + sway.cosine * angle.cos()
        };
        let (time_s, step_s, height) = (0.37, 1e-4, 2.0);
        let rate = (lean(time_s + step_s) - lean(time_s - step_s)) / (2.0 * step_s);
        let point = DVec3::new(1.0, 2.0, sway.root_z_m + height);
        let velocity = moving.rays.sway_velocity(id, point, time_s);
        assert!((velocity - (rate * height).extend(0.0)).length() < 1e-4, "{velocity}");
    }
}
