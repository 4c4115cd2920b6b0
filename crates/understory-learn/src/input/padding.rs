//! Returns that only fill up an organised scan.

use understory_cloud::Records;

/// Whether a return is at the very place of a neighbour from another column.
pub(crate) fn is_padding(batch: &Records, row: usize) -> bool {
    let twin = |other: Option<usize>| {
        other.is_some_and(|other| {
            other < batch.len()
                && batch.column[other] != batch.column[row]
                && batch.world_xyz_m[other] == batch.world_xyz_m[row]
        })
    };
    twin(row.checked_sub(1)) || twin(Some(row + 1))
}
