//! The points of a layer as they come: one block after another, then one that says that it is over.
//!
//! A reader that is slow holds a number of a chunk and nothing else: blocks are made when it wants the
//! next one.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;

use super::columns::{PointColumn, Points};
use super::rows::{ChunkRef, is_point};
use super::{LayerEntry, is_over};
use crate::block::BlockBuilder;
use crate::changes::Changes;

/// How often a waiting stream looks without being told.
const LOOK: Duration = Duration::from_millis(500);
/// Points of a block, about: chunks are put together up to it.
const BLOCK_POINTS: u32 = 131_072;

struct Cursor {
    changes: Arc<Changes>,
    entry: Arc<LayerEntry>,
    columns: Vec<PointColumn>,
    chunk: usize,
    from: u32,
    ended: bool,
}

/// All points from number `from` on, with these columns.
pub fn stream(
    changes: Arc<Changes>,
    entry: Arc<LayerEntry>,
    columns: Vec<PointColumn>,
    from: u32,
) -> Response {
    let chunk = entry.lock().rows.chunk_of_point(from);
    let cursor = Cursor { changes, entry, columns, chunk, from, ended: false };
    let blocks = stream::unfold(cursor, |cursor| async move { next(cursor).await });
    ([(header::CONTENT_TYPE, "application/octet-stream")], Body::from_stream(blocks))
        .into_response()
}

/// What there is to do next.
enum Step {
    Chunks(Vec<ChunkRef>, [f64; 3]),
    End(Bytes),
    Wait,
}

async fn next(mut cursor: Cursor) -> Option<(std::io::Result<Bytes>, Cursor)> {
    if cursor.ended {
        return None;
    }
    let mut changes = cursor.changes.subscribe();
    loop {
        changes.mark_unchanged();
        match look(&cursor) {
            Step::Chunks(chunks, offset_m) => {
                cursor.chunk += chunks.len();
                let (layer, columns) = (cursor.entry.id, cursor.columns.clone());
                let from = cursor.from;
                let made = tokio::task::spawn_blocking(move || {
                    blocks_of(layer, &chunks, offset_m, &columns, from..u32::MAX)
                });
                let block = match made.await {
                    Ok(block) => block,
                    Err(error) => Err(std::io::Error::other(error.to_string())),
                };
                cursor.ended = block.is_err();
                return Some((block, cursor));
            }
            Step::End(block) => {
                cursor.ended = true;
                return Some((Ok(block), cursor));
            }
            // A change, the end of the program, or the time: look again.
            Step::Wait => drop(tokio::time::timeout(LOOK, changes.changed()).await),
        }
    }
}

fn look(cursor: &Cursor) -> Step {
    let held = cursor.entry.lock();
    let (mut chunks, mut points) = (Vec::new(), 0);
    while let Some(chunk) = held.rows.chunk(cursor.chunk + chunks.len()) {
        if points > 0 && points + chunk.points > BLOCK_POINTS {
            break;
        }
        points += chunk.points;
        chunks.push(chunk);
    }
    if !chunks.is_empty() {
        return Step::Chunks(chunks, held.seen.offset_m);
    }
    if is_over(held.seen.state) {
        return Step::End(BlockBuilder::new("end", held.seen.offset_m).finish(&held.seen));
    }
    Step::Wait
}

/// Points with these numbers of chunks that follow each other, as one block.
pub fn blocks_of(
    layer: u32,
    chunks: &[ChunkRef],
    offset_m: [f64; 3],
    columns: &[PointColumn],
    numbers: Range<u32>,
) -> std::io::Result<Bytes> {
    let mut points = Points::default();
    let mut held = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let records = chunk.records()?;
        let skip = numbers.start.saturating_sub(chunk.first_point) as usize;
        let most = numbers.end.saturating_sub(chunk.first_point.max(numbers.start)) as usize;
        let before = points.len();
        let rows = (0..records.len()).filter(|row| is_point(&records, *row));
        points.add(&records, chunk.first_row, rows.skip(skip).take(most), offset_m);
        held.push((records, before..points.len()));
    }
    let parts: Vec<_> = held.iter().map(|(records, range)| (&**records, range.clone())).collect();
    let first = chunks.first().map_or(numbers.start, |chunk| chunk.first_point.max(numbers.start));
    Ok(points.block(layer, &parts, offset_m, columns, first))
}
