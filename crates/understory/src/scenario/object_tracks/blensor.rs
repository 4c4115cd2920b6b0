//! Motion as text in the form that BlenSor's "Export Motion Data" writes: one line per object and
//! frame, with time in seconds, position in metres and Blender's XYZ Euler angles in radians (about
//! x, then y, then z of the world).

use std::fmt::Write;

use glam::EulerRot;

use super::TruthRow;

/// All lines; parts have none.
pub fn text(rows: &[TruthRow<'_>]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| row.part == 0) {
        let p = row.pose.translation;
        let (rz, ry, rx) = row.pose.rotation.to_euler(EulerRot::ZYX);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "timestamp: {:.4} object: {} x: {:.10} y: {:.10} z: {:.10} rx: {rx:.10} ry: {ry:.10} rz: {rz:.10}",
            row.time_s, row.object.name, p.x, p.y, p.z,
        );
    }
    text
}
