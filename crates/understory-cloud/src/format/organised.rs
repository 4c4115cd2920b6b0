//! Organised scans: rows that know their channel and column by their place in the file.
//!
//! What enters: a table whose rows stand channel by channel, and how many a channel has. What leaves: the
//! same with the columns `channel` and `column`.

use crate::format::table::{Block, Table};
use crate::{CloudError, ColumnSummary};

/// An organised scan: rows know their channel and column by their place.
pub(crate) struct Organised {
    inner: Box<dyn Table>,
    per_channel: u64,
    next: u64,
}

impl Organised {
    /// `per_channel` rows of each channel.
    pub(crate) fn new(inner: Box<dyn Table>, per_channel: u64) -> Organised {
        Organised { inner, per_channel, next: 0 }
    }
}

impl Table for Organised {
    fn columns(&self) -> Vec<ColumnSummary> {
        let mut columns = self.inner.columns();
        for name in ["channel", "column"] {
            columns.push(ColumnSummary { name: name.to_owned(), kind: "place".to_owned() });
        }
        columns
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        let stored = self.inner.columns().len();
        let rows = self.inner.read(wanted, block)?;
        for (values, &column) in block.iter_mut().zip(wanted).filter(|(_, c)| **c >= stored) {
            let per_channel = self.per_channel.max(1);
            let places = self.next..self.next + rows as u64;
            let is_channel = column == stored;
            // Some tables fill up what they do not know.
            values.clear();
            values.extend(
                places.map(|at| {
                    (if is_channel { at / per_channel } else { at % per_channel }) as f64
                }),
            );
        }
        self.next += rows as u64;
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{ReadOptions, Recording, Records};

    fn places(path: &Path) -> Vec<(u16, u32)> {
        let options = ReadOptions { undirected_misses: true, ..ReadOptions::default() };
        let (mut recording, mut batch) =
            (Recording::open(path, &options).unwrap(), Records::default());
        assert!(recording.known().channel && recording.known().column);
        let mut places = Vec::new();
        while recording.next_batch(&mut batch).unwrap() {
            places.extend(batch.channel.iter().copied().zip(batch.column.iter().copied()));
        }
        places
    }

    /// Two lines of three, one of them without a return, as text and as bytes.
    #[test]
    fn organised_pcd_knows_its_places() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud.pcd");
        let header = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\n\
            HEIGHT 2\nVIEWPOINT 1 2 3 1 0 0 0\nPOINTS 6\n";
        let points = [[1.0f32, 0.0, 0.0], [0.0, 1.0, 0.0], [f32::NAN; 3], [0.0, 0.0, 1.0]];
        let points = [points[0], points[1], points[2], points[3], points[0], points[1]];
        let text: String =
            points.iter().map(|[x, y, z]| format!("{x} {y} {z}\n").replace("NaN", "nan")).collect();
        std::fs::write(&path, format!("{header}DATA ascii\n{text}")).unwrap();
        let wanted = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)];
        assert_eq!(places(&path), wanted);
        let mut bytes = format!("{header}DATA binary\n").into_bytes();
        bytes.extend(points.iter().flatten().flat_map(|value| value.to_le_bytes()));
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(places(&path), wanted);
    }
}
