//! What is no geometry is refused with a reason.

use glam::{DAffine3, DMat3, DVec2, DVec3};
use understory_geometry::{Edges, GeometryError, MeshId, RaySceneBuilder, Sway, TriangleMesh};

const CORNERS: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

#[test]
fn bad_meshes_name_the_vertex_or_triangle() {
    assert_eq!(TriangleMesh::new(&CORNERS, vec![]), Err(GeometryError::EmptyMesh));
    let lost = TriangleMesh::new(&CORNERS, vec![[0, 1, 2], [0, 1, 3]]).unwrap_err();
    assert_eq!(lost, GeometryError::BadIndex { triangle: 1, index: 3, vertices: 3 });
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(0.0, bad, 0.0)];
        let error = TriangleMesh::new(&corners, vec![[0, 1, 2]]).unwrap_err();
        assert!(error.to_string().starts_with("vertex 2 is (0, "), "{error}");
    }
}

#[test]
fn bad_instances_are_refused() {
    let mut builder = RaySceneBuilder::default();
    let mesh = TriangleMesh::new(&CORNERS, vec![[0, 1, 2]]).unwrap();
    let mesh = builder.add_mesh(&mesh, Edges::Exact).unwrap();
    for matrix in [
        DMat3::ZERO,
        DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0)),
        DMat3::from_diagonal(DVec3::new(1.0, f64::NAN, 1.0)),
        DMat3::from_diagonal(DVec3::splat(1e-110)),
        DMat3::from_diagonal(DVec3::splat(1e-40)),
    ] {
        let transform = DAffine3::from_mat3(matrix);
        let error = builder.add_instance(mesh, transform).unwrap_err();
        assert!(error.to_string().contains("a scale other than 0"), "{error}");
    }
    let far = DAffine3::from_translation(DVec3::splat(f64::INFINITY));
    assert!(builder.add_instance(mesh, far).is_err());
    let unknown = builder.add_instance(MeshId(5), DAffine3::IDENTITY).unwrap_err();
    assert_eq!(unknown, GeometryError::UnknownMesh { instance: 0, mesh: 5, meshes: 1 });
    let sway = Sway {
        frequency_hz: 1.0,
        lean: DVec2::new(0.1, 0.0),
        sine: DVec2::ZERO,
        cosine: DVec2::ZERO,
        root_z_m: 0.0,
    };
    let mut sways = |sway| builder.add_swaying_instance(mesh, DAffine3::IDENTITY, sway);
    for bad in [
        Sway { lean: DVec2::new(0.0, 11.0), ..sway },
        Sway { sine: DVec2::new(f64::NAN, 0.0), ..sway },
        Sway { frequency_hz: f64::INFINITY, ..sway },
    ] {
        assert!(matches!(sways(bad), Err(GeometryError::BadSway { instance: 0, .. })));
    }
    for frequency in 0..9 {
        let added = sways(Sway { frequency_hz: f64::from(frequency), ..sway });
        assert_eq!(added.is_ok(), frequency < 8, "{added:?}");
    }
}
