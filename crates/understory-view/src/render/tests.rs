use super::*;
use glam::{DAffine3, DVec3};
use understory::world::scene::material::{Material, Spectrum};
use understory::world::scene::shape::Shape;
use understory::world::scene::{MeshMaterials, SceneBuilder};
use understory_geometry::Edges;

/// Shapes of one grey material, each moved to its place.
fn scene_of(shapes: &[(Shape, DVec3)], tolerance_m: f64) -> Scene {
    let mut builder = SceneBuilder::default();
    let reflectance = Spectrum::constant(0.5).unwrap();
    let material = Material::diffuse("grey", reflectance, [150; 3]);
    let grey = builder.add_material(material).unwrap();
    for (shape, place) in shapes {
        let mesh = shape.mesh(tolerance_m, "").unwrap();
        let materials = MeshMaterials::Uniform(grey);
        let mesh =
            builder.add_mesh(&mesh.positions, mesh.triangles, materials, Edges::Closed).unwrap();
        let object = builder.add_object("thing".into(), 0).unwrap();
        builder.add_instance(mesh, object, DAffine3::from_translation(*place)).unwrap();
    }
    builder.build().unwrap()
}

/// Map coordinates, where f32 would lose centimetres.
const SITE_M: DVec3 = DVec3::new(654_321.25, 5_123_456.5, 412.0);

#[test]
fn depth_of_a_plane_is_exact() {
    let ground = scene_of(&[(Shape::Plane { size_m: [4000.0, 4000.0] }, SITE_M)], 1e-3);
    let height_m = 7.3;
    let from = SITE_M + DVec3::new(0.0, 0.0, height_m);
    let target = from + DVec3::new(10.0, 4.0, -3.0);
    let camera = Camera::looking_at(from, target, 60.0, [97, 61]).unwrap();
    let ray = DepthMap::new(&ground, &camera, DepthKind::Ray, 0.0, None).unwrap();
    let z = DepthMap::new(&ground, &camera, DepthKind::Z, 0.0, None).unwrap();
    let mut seen = 0;
    for (index, (&ray_m, &z_m)) in ray.depths_m.iter().zip(&z.depths_m).enumerate() {
        let direction = camera.direction((index % 97) as f64 + 0.5, (index / 97) as f64 + 0.5);
        if direction.z > -0.01 {
            assert!(direction.z < 0.0 || ray_m == f32::INFINITY && z_m == f32::INFINITY);
            continue;
        }
        seen += 1;
        let exact_m = -height_m / direction.z;
        assert!((f64::from(ray_m) / exact_m - 1.0).abs() < 1e-6, "{ray_m} is not {exact_m}");
        let exact_m = exact_m * direction.dot((target - from).normalize());
        assert!((f64::from(z_m) / exact_m - 1.0).abs() < 1e-6, "{z_m} is not {exact_m}");
    }
    assert!(seen > 2000 && seen < 97 * 61, "{seen}");
}

#[test]
fn depth_of_a_sphere_is_that_of_the_ball() {
    let (radius_m, distance_m) = (2.0, 9.0);
    let ball = scene_of(&[(Shape::Sphere { radius_m }, SITE_M)], 1e-4);
    let from = SITE_M - DVec3::new(distance_m, 0.0, 0.0);
    let camera = Camera::looking_at(from, SITE_M, 40.0, [80, 80]).unwrap();
    let map = DepthMap::new(&ball, &camera, DepthKind::Ray, 0.0, None).unwrap();
    let mut seen = 0;
    for (index, &depth_m) in map.depths_m.iter().enumerate() {
        let direction = camera.direction((index % 80) as f64 + 0.5, (index / 80) as f64 + 0.5);
        let along = direction.x * distance_m;
        let below = radius_m * radius_m - (distance_m * distance_m - along * along);
        if below < -0.01 {
            assert_eq!(depth_m, f32::INFINITY);
        } else if below > 0.3 {
            seen += 1;
            let exact_m = along - below.sqrt();
            assert!((f64::from(depth_m) / exact_m - 1.0).abs() < 1e-4, "{depth_m}, {exact_m}");
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn packets_of_a_wide_camera_see_what_single_rays_see() {
    let shapes: Vec<_> = (0..60)
        .map(|i| {
            let angle = f64::from(i) * 2.4;
            let place = DVec3::new(angle.cos() * 6.0, angle.sin() * 6.0, f64::from(i % 9) - 4.0);
            (Shape::Sphere { radius_m: 0.4 }, place)
        })
        .collect();
    let scene = scene_of(&shapes, 1e-2);
    let origin = DVec3::new(0.1, 0.2, 0.3);
    // Sixteen rays over nearly the whole view, of all signs.
    let camera = Camera::looking_at(origin, DVec3::X + origin, 150.0, [13, 13]).unwrap();
    let map = DepthMap::new(&scene, &camera, DepthKind::Ray, 0.0, None).unwrap();
    for (index, &depth_m) in map.depths_m.iter().enumerate() {
        let direction = camera.direction((index % 13) as f64 + 0.5, (index / 13) as f64 + 0.5);
        let hit = scene.rays.trace_ray(origin, direction.as_vec3(), FARTHEST_M);
        let single_m = hit.map(|hit| scene.rays.surface_point(&hit, origin, direction).t as f32);
        assert_eq!(depth_m, single_m.unwrap_or(f32::INFINITY));
    }
}

#[test]
fn npy_and_exr_hold_the_depths() {
    let depths_m: Vec<f32> = (0..35).map(|i| i as f32 * 0.37 + 1e-3).collect();
    let mut map = DepthMap { size: [7, 5], depths_m };
    map.depths_m[3] = f32::INFINITY;
    let mut npy = Vec::new();
    map.write_npy(&mut npy).unwrap();
    let read = npyz::NpyFile::new(npy.as_slice()).unwrap();
    assert_eq!(read.shape(), [5, 7]);
    assert_eq!(read.into_vec::<f32>().unwrap(), map.depths_m);
    let mut bytes = std::io::Cursor::new(Vec::new());
    map.write_exr(&mut bytes).unwrap();
    use exr::prelude::{ReadChannels, ReadLayers};
    bytes.set_position(0);
    let image = exr::prelude::read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .from_buffered(bytes)
        .unwrap();
    let layer = &image.layer_data;
    assert_eq!((layer.size.width(), layer.size.height()), (7, 5));
    let [channel] = layer.channel_data.list.as_slice() else { panic!("not one channel") };
    assert_eq!(channel.name.to_string(), "Z");
    assert_eq!(channel.sample_data.values_as_f32().collect::<Vec<_>>(), map.depths_m);
}

fn corner_of_a_yard() -> Scene {
    let ground = (Shape::Plane { size_m: [40.0, 40.0] }, DVec3::ZERO);
    let hut = (Shape::Box { size_m: [2.0, 2.0, 2.0] }, DVec3::new(4.0, 0.0, 0.0));
    scene_of(&[ground, hut], 1e-3)
}

fn yard_camera(size: [u32; 2]) -> Camera {
    Camera::looking_at(DVec3::new(-4.0, -6.0, 5.0), DVec3::new(3.0, 0.0, 0.5), 50.0, size).unwrap()
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let scene = corner_of_a_yard();
    // Sides that are no whole number of tiles.
    let camera = yard_camera([67, 45]);
    let draw = |threads, seed| {
        let options = RenderOptions { threads: Some(threads), seed, ..RenderOptions::default() };
        render(&scene, &camera, &Lights::default(), &options).unwrap()
    };
    let one = draw(1, 0);
    assert_eq!(one.rgb.len(), 67 * 45 * 3);
    assert!(one == draw(2, 0) && one == draw(5, 0));
    assert_ne!(one, draw(1, 1));
}

/// Mean brightness around the place where a point of the world is shown.
fn brightness(picture: &Picture, camera: &Camera, point: DVec3) -> f64 {
    let [width, height] = picture.size;
    let towards = (point - camera.position_m()).normalize();
    let (mut sum, mut count) = (0.0, 0);
    for y in 0..height {
        for x in 0..width {
            let direction = camera.direction(f64::from(x) + 0.5, f64::from(y) + 0.5);
            if direction.angle_between(towards) < 0.01 {
                let pixel = 3 * (y * width + x) as usize;
                sum += picture.rgb[pixel..pixel + 3].iter().map(|&c| f64::from(c)).sum::<f64>();
                count += 3;
            }
        }
    }
    assert!(count > 0);
    sum / f64::from(count)
}

#[test]
fn shadows_fall_away_from_the_sun() {
    let scene = corner_of_a_yard();
    let camera = yard_camera([200, 150]);
    let options = RenderOptions { samples: 8, ..RenderOptions::default() };
    // The box reaches from y = −1 to 1 and is 2 m high: at 45° its shadow reaches to y = −3.
    let (near, far) = (DVec3::new(4.0, -2.2, 0.0), DVec3::new(4.0, -3.6, 0.0));
    let look = |azimuth_deg| {
        let sun = Sun { azimuth_deg, elevation_deg: 45.0, ..Sun::default() };
        let lights = Lights { sun, ..Lights::default() };
        let picture = render(&scene, &camera, &lights, &options).unwrap();
        [near, far].map(|point| brightness(&picture, &camera, point))
    };
    let [near_lit, far_lit] = look(-90.0);
    assert!((near_lit - far_lit).abs() < 20.0, "{near_lit} and {far_lit}");
    let [near_dark, far_lit] = look(90.0);
    assert!(far_lit > near_dark + 40.0, "{far_lit} and {near_dark}");
}

#[test]
fn impossible_pictures_are_refused() {
    let scene = corner_of_a_yard();
    let refuse = |size, lights: &Lights, samples| {
        let options = RenderOptions { samples, ..RenderOptions::default() };
        render(&scene, &yard_camera(size), lights, &options).unwrap_err().to_string()
    };
    let lights = Lights::default();
    assert!(refuse([8, 8], &lights, 0).contains("0 samples"));
    let large = refuse([32_768, 32_768], &lights, 1);
    assert!(large.contains("GiB of memory; choose"), "{large}");
    let sun = Sun { elevation_deg: f64::NAN, ..Sun::default() };
    assert!(refuse([8, 8], &Lights { sun, ..lights }, 1).contains("sun: "));
    for turbidity in [0.0, 11.0, f64::NAN] {
        let sky = Sky { turbidity, ..Sky::default() };
        assert!(refuse([8, 8], &Lights { sky, ..lights }, 1).contains("turbidity"));
    }
}
