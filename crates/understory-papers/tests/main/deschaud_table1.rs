//! A short version of table I of Deschaud 2012 on the planes.

use understory_papers::deschaud_table1::rows_of;

/// Over six seeds the excess of likelihood was 0.27 to 0.30 of that of voxels along the axis where
/// it was taught (limit 0.5), 0.12 of it from aside (limit 0.8) and 0.69 to 0.71 of the surface's
/// from aside (limit 1): each limit is more than fifteen standard deviations of the seeds away.
#[test]
fn likelihood_halves_what_voxels_are_to_blame_for_on_planes() {
    let rows = rows_of(0, 80, 5, &|_| {}).unwrap();
    let excess = |pose: &str, model: &str| {
        let row = rows.iter().find(|row| row.pose == pose && row.model == model).unwrap();
        assert!(row.floor > 0.0 && row.distance.is_finite() && row.orientations > 500, "{row:?}");
        row.excess()
    };
    assert_eq!(rows.len(), 12);
    for voxel in ["voxel", "voxel-nominal"] {
        let (ours, theirs) = (excess("same", "likelihood"), excess("same", voxel));
        assert!(ours < 0.5 * theirs, "same pose: {ours} against {theirs} of {voxel}");
        let (ours, theirs) = (excess("held-out", "likelihood"), excess("held-out", voxel));
        assert!(ours < 0.8 * theirs, "held-out pose: {ours} against {theirs} of {voxel}");
    }
    let (ours, surface) = (excess("held-out", "likelihood"), excess("held-out", "surface"));
    assert!(ours < surface, "held-out pose: {ours} against {surface} of the surface");
}
