use super::*;
use crate::world::motion::Repeat;
use crate::world::scene::material::{Material, Spectrum};
use crate::world::scene::{MeshMaterials, SceneBuilder};
use crate::world::trajectory::{Interpolation, Pose, Trajectory};
use std::sync::Arc;
use understory_geometry::Edges;

fn mesh() -> SceneMesh {
    let mut builder = SceneBuilder::default();
    let material = Material::diffuse("grey", Spectrum::constant(0.5).unwrap(), [0; 3]);
    let material = builder.add_material(material).unwrap();
    let corners =
        [DVec3::new(0.4, -0.3, 0.1), DVec3::new(-0.8, 0.2, 0.0), DVec3::new(0.1, 0.9, 0.7)];
    let materials = MeshMaterials::Uniform(material);
    builder.add_mesh(&corners, vec![[0, 1, 2]], materials, Edges::Exact).unwrap()
}

fn motion(far_m: f64, repeat: Repeat, interpolation: Interpolation) -> Motion {
    let knot = |time_s: f64, at: [f64; 3], turned: [f64; 3]| {
        (time_s, Pose::from_position_and_rpy_deg(at.map(|x| x * far_m), turned))
    };
    let knots = vec![
        knot(0.2, [0.0, 1.0, 0.0], [0.0, 10.0, 20.0]),
        knot(0.5, [1.0, 2.0, -0.5], [40.0, -20.0, 100.0]),
        knot(0.9, [2.0, 0.5, 0.3], [0.0, 60.0, 200.0]),
    ];
    let track = Trajectory::through(knots).unwrap().interpolated(interpolation);
    let place = Pose::from_position_and_rpy_deg([3.0, -2.0, 1.0], [5.0, 10.0, -70.0]);
    Motion::new(Arc::new(track), repeat).placed(place).delayed(0.03)
}

/// A body of every kind with a part of every kind on it.
fn movers() -> Vec<Mover> {
    let kinds = [Repeat::Hold, Repeat::Loop, Repeat::BackAndForth];
    let ways = [Interpolation::Linear, Interpolation::Spline];
    let mut movers = Vec::new();
    for (body, part) in kinds.into_iter().flat_map(|a| kinds.map(|b| (a, b))) {
        for way in ways {
            movers.push(Mover {
                object: 1,
                body: Some(motion(10.0, body, way)),
                part: Some(motion(0.5, part, way)),
                part_from_mesh: DAffine3::from_scale(DVec3::splat(1.7)),
                shape: MoverShape::Rigid(mesh()),
            });
        }
    }
    movers
}

/// Against differences of where a point of the mesh is, away from knots and jumps.
#[test]
fn points_move_as_fast_as_their_places_change() {
    let point = DVec3::new(-0.8, 0.2, 0.0);
    for mover in movers() {
        for time_s in [0.31, 0.41, 0.62, 0.8, 1.05, 1.37] {
            let at = |time_s: f64| mover.world_from_mesh(time_s).transform_point3(point);
            let step_s = 1e-6;
            let wanted = (at(time_s + step_s) - at(time_s - step_s)) / (2.0 * step_s);
            let velocity = mover.velocity_of(at(time_s), time_s);
            assert!((velocity - wanted).length() < 1e-5 * wanted.length().max(1.0), "{time_s}");
        }
    }
}

/// No corner leaves the reach about the middle of a span, however the span lies to knots and jumps;
/// spans that begin or end where a loop starts again are among them.
#[test]
fn nothing_leaves_its_reach() {
    let corners =
        [DVec3::new(0.4, -0.3, 0.1), DVec3::new(-0.8, 0.2, 0.0), DVec3::new(0.1, 0.9, 0.7)];
    for mover in movers() {
        for from_s in [0.0, 0.23, 0.3, 0.5, 0.53, 0.9, 0.93, 1.2, 1.63, 2.33] {
            for span_s in [0.0, 1e-4, 0.02, 0.4, 0.7, 1.6] {
                let (to_s, middle_s) = (from_s + span_s, from_s + 0.5 * span_s);
                let reach_m = mover.reach_m(from_s, to_s);
                for step in 0..=100 {
                    let time_s = from_s + span_s * f64::from(step) / 100.0;
                    for corner in corners {
                        let at = |time_s| mover.world_from_mesh(time_s).transform_point3(corner);
                        let gone_m = at(time_s).distance(at(middle_s));
                        assert!(gone_m <= reach_m + 1e-9, "{from_s} {span_s}: {gone_m} {reach_m}");
                    }
                }
            }
        }
    }
}
