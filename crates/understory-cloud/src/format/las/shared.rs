//! LAS and LAZ that several processes write together.
//!
//! What enters: rows of a part. What leaves: points in a spool, uncompressed, and what the header of
//! all parts says: sums, bounds and spans of theirs. Chunks of LAZ are those of one process.

use super::header::{Facts as HeaderFacts, front_matter, names_record};
use super::laz_chunk::compress_chunk;
use super::write::{LasSink, las_failed};
use crate::spool::{Chunks, Facts, Spool};
use crate::{CloudError, RecordSink, Records, SinkOptions};
use laz::laszip::{ChunkTable, ChunkTableEntry};
use laz::{LazItemRecordBuilder, LazVlr};
use serde_json::{Value, json};
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};

/// Points of a part.
pub(super) struct LasSpool(LasSink);

impl LasSpool {
    pub(super) fn open(
        path: &Path,
        compress: bool,
        options: &SinkOptions,
    ) -> Result<LasSpool, CloudError> {
        LasSink::open(path, compress, options, true).map(LasSpool)
    }

    fn front(&self, facts: &HeaderFacts) -> Result<Vec<u8>, CloudError> {
        let LasSink { path, layout, laz, formats, crs_wkt, offset_m, .. } = &self.0;
        let (laz, crs) = (laz.as_ref(), crs_wkt.as_deref());
        let front = front_matter(layout, laz, formats, crs, offset_m.unwrap_or_default(), facts);
        front.map_err(|error| las_failed(path, error))
    }
}

impl Spool for LasSpool {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        RecordSink::write(&mut self.0, records)
    }

    fn wants_earlier(&self) -> bool {
        self.0.finds_track()
    }

    fn pass(&mut self, earlier: &Records) {
        self.0.pass(earlier);
    }

    fn spooled(&mut self) -> io::Result<PathBuf> {
        let file = &mut self.0.points.file;
        file.flush()?;
        Ok(file.temporary_path().to_path_buf())
    }

    fn facts(&self) -> Facts {
        let facts = &self.0.facts;
        Facts {
            rows: facts.points,
            dropped_misses: facts.dropped_misses,
            dropped_fields: self.0.dropped_fields.words(),
            more: json!({
                "by_return": facts.by_return,
                "bounds": facts.bounds,
                "time_span": facts.time_span_s.map(|span| span.map(f64::to_bits)),
            }),
        }
    }

    fn head_len(&self) -> Result<u64, CloudError> {
        self.front(&HeaderFacts::default()).map(|front| front.len() as u64)
    }

    fn head(&self, all: &[Facts]) -> Result<Vec<u8>, CloudError> {
        self.front(&of_all(all))
    }

    fn foot(&self) -> Result<Vec<u8>, CloudError> {
        match &self.0.names {
            None => Ok(Vec::new()),
            Some(names) => names_record(names).map_err(|error| las_failed(&self.0.path, error)),
        }
    }

    fn chunks(&self) -> Option<Chunks> {
        let laz = self.0.laz.as_ref()?;
        let points = &self.0.points;
        Some(Chunks {
            rows: u64::from(laz.chunk_size()),
            stride: points.stride,
            standard: points.standard,
            compress: compress_chunk,
            pointer: 8,
            table,
            has_rgb: self.0.columns.has_rgb(),
        })
    }
}

/// The table of chunks of these sizes.
fn table(sizes: &[u64], chunks: &Chunks) -> io::Result<Vec<u8>> {
    let extra = (chunks.stride - chunks.standard) as u16;
    let vlr = LazVlr::from_laz_items(match chunks.has_rgb {
        true => LazItemRecordBuilder::default_version_of::<laz::las::Point7>(extra),
        false => LazItemRecordBuilder::default_version_of::<laz::las::Point6>(extra),
    });
    let mut table = ChunkTable::default();
    for &byte_count in sizes {
        table.push(ChunkTableEntry { point_count: chunks.rows, byte_count });
    }
    let mut out = Cursor::new(Vec::new());
    table.write_to(&mut out, &vlr).map_err(io::Error::other)?;
    Ok(out.into_inner())
}

/// What the header says of all parts.
fn of_all(all: &[Facts]) -> HeaderFacts {
    let mut sum = HeaderFacts::default();
    for part in all {
        sum.points += part.rows;
        sum.dropped_misses += part.dropped_misses;
        let counts = part.more["by_return"].as_array();
        for (sum, count) in sum.by_return.iter_mut().zip(counts.into_iter().flatten()) {
            *sum += count.as_u64().unwrap_or(0);
        }
        if let Some(bounds) = bounds(&part.more["bounds"]) {
            let both = sum.bounds.get_or_insert(bounds);
            for axis in 0..3 {
                both[0][axis] = both[0][axis].min(bounds[0][axis]);
                both[1][axis] = both[1][axis].max(bounds[1][axis]);
            }
        }
        if let [Some(from), Some(to)] = [0, 1].map(|end| part.more["time_span"][end].as_u64()) {
            let span = [from, to].map(f64::from_bits);
            let both = sum.time_span_s.get_or_insert(span);
            *both = [both[0].min(span[0]), both[1].max(span[1])];
        }
        sum.names_start = sum.names_start.or(part.more["foot"].as_u64());
    }
    sum
}

fn bounds(value: &Value) -> Option<[[i32; 3]; 2]> {
    let mut bounds = [[0; 3]; 2];
    for (end, bound) in bounds.iter_mut().enumerate() {
        for (axis, number) in bound.iter_mut().enumerate() {
            *number = i32::try_from(value[end][axis].as_i64()?).ok()?;
        }
    }
    Some(bounds)
}
