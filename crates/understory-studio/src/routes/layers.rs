//! Layers: scans and recordings, their points, their files.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use bytes::Bytes;
use serde::Deserialize;

use super::{FormatQuery, Shared, apart, block, body, text};
use crate::layers::columns::PointColumn;
use crate::layers::{LayerEntry, Origin, columns, image, point, stream};
use crate::protocol::layer::{
    Layer, LayerNames, OpenRecording, PointRecord, RenameLayer, StartScan,
};
use crate::protocol::pulse::PulseAccount;
use crate::refusal::{Answer, Refusal};
use crate::studio::Studio;
use crate::{export, pulse, recording, scan};

/// Characters of a name.
const NAME_MAX: usize = 200;

pub async fn start_scan(State(studio): Shared, bytes: Bytes) -> Answer<Json<Layer>> {
    let wanted: StartScan = body(&bytes)?;
    apart(move || {
        let entry = scan::prepare(&studio, &wanted)?;
        studio.start_scan(entry, scan::perform).map(Json)
    })
    .await
}

pub async fn open_recording(State(studio): Shared, bytes: Bytes) -> Answer<Json<Layer>> {
    let wanted: OpenRecording = body(&bytes)?;
    apart(move || {
        let entry = recording::prepare(&studio, &wanted)?;
        studio.start_reading(entry, recording::perform).map(Json)
    })
    .await
}

pub async fn list_layers(State(studio): Shared) -> Json<Vec<Layer>> {
    Json(studio.layers.all().iter().map(|entry| entry.lock().seen.clone()).collect())
}

pub async fn see_layer(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Layer>> {
    Ok(Json(studio.layers.get(id)?.lock().seen.clone()))
}

pub async fn rename_layer(
    State(studio): Shared,
    Path(id): Path<u32>,
    bytes: Bytes,
) -> Answer<Json<Layer>> {
    let wanted: RenameLayer = body(&bytes)?;
    let name = wanted.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_MAX {
        return Err(Refusal::bad(format!("a name has 1 to {NAME_MAX} characters")));
    }
    let entry = studio.layers.get(id)?;
    entry.lock().seen.name = name;
    studio.changed(&entry);
    let seen = entry.lock().seen.clone();
    Ok(Json(seen))
}

pub async fn remove_layer(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Layer>> {
    let change = studio.bump();
    let removed = studio.layers.remove(id, change + 1)?;
    studio.bump();
    Ok(Json(removed))
}

pub async fn cancel_layer(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Layer>> {
    let entry = studio.layers.get(id)?;
    entry.cancel.store(true, Ordering::Relaxed);
    let seen = entry.lock().seen.clone();
    Ok(Json(seen))
}

#[derive(Deserialize)]
pub struct ColumnsQuery {
    #[serde(default)]
    columns: String,
    #[serde(default)]
    from: u32,
    count: Option<u32>,
}

impl ColumnsQuery {
    /// The layer, and the columns of it that are asked for.
    fn of(&self, studio: &Studio, id: u32) -> Answer<(Arc<LayerEntry>, Vec<PointColumn>)> {
        Ok((studio.layers.get(id)?, columns::parse(&self.columns)?))
    }
}

pub async fn stream_layer(
    State(studio): Shared,
    Path(id): Path<u32>,
    Query(query): Query<ColumnsQuery>,
) -> Answer<Response> {
    let (entry, columns) = query.of(&studio, id)?;
    Ok(stream::stream(studio.changes.clone(), entry, columns, query.from))
}

/// Points of one block at most: more come in a stream.
const BLOCK_POINTS_MAX: u32 = 20_000_000;

pub async fn layer_columns(
    State(studio): Shared,
    Path(id): Path<u32>,
    Query(query): Query<ColumnsQuery>,
) -> Answer<Response> {
    let (entry, columns) = query.of(&studio, id)?;
    apart(move || {
        let count = query.count.unwrap_or(BLOCK_POINTS_MAX).min(BLOCK_POINTS_MAX);
        let (chunks, offset_m) = entry.chunks();
        let until = query.from.saturating_add(count);
        let chunks: Vec<_> = chunks
            .into_iter()
            .filter(|chunk| {
                chunk.first_point < until && chunk.first_point + chunk.points > query.from
            })
            .collect();
        Ok(block(stream::blocks_of(id, &chunks, offset_m, &columns, query.from..until)?))
    })
    .await
}

#[derive(Deserialize)]
pub struct ImageQuery {
    #[serde(default)]
    sensor: u16,
    scan: Option<u32>,
}

pub async fn layer_image(
    State(studio): Shared,
    Path(id): Path<u32>,
    Query(query): Query<ImageQuery>,
) -> Answer<Response> {
    let entry = studio.layers.get(id)?;
    apart(move || {
        let (chunks, offset_m) = entry.chunks();
        let shown = image::Shown { layer: id, sensor: query.sensor, scan: query.scan };
        Ok(block(image::image(&chunks, shown, offset_m)?))
    })
    .await
}

pub async fn see_point(
    State(studio): Shared,
    Path((id, number)): Path<(u32, u32)>,
) -> Answer<Json<PointRecord>> {
    let entry = studio.layers.get(id)?;
    apart(move || point::record(&entry.lock(), number).map(Json)).await
}

pub async fn see_pulse(
    State(studio): Shared,
    Path((id, number)): Path<(u32, u32)>,
) -> Answer<Json<PulseAccount>> {
    let entry = studio.layers.get(id)?;
    apart(move || pulse::account(&studio, &entry, number).map(Json)).await
}

pub async fn layer_names(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<LayerNames>> {
    let names = studio.layers.get(id)?.lock().names.clone();
    let (objects, materials) = (names.objects.clone(), names.materials.clone());
    Ok(Json(LayerNames { objects, materials }))
}

pub async fn export_layer(
    State(studio): Shared,
    Path(id): Path<u32>,
    Query(query): Query<FormatQuery>,
) -> Answer<Response> {
    let entry = studio.layers.get(id)?;
    apart(move || export::layer(&studio, &entry, &query.format)).await?.send().await
}

pub async fn draw_layer(State(studio): Shared, Path(id): Path<u32>) -> Answer<Response> {
    let entry = studio.layers.get(id)?;
    apart(move || export::picture(&studio, &entry)).await?.send().await
}

pub async fn layer_scenario(State(studio): Shared, Path(id): Path<u32>) -> Answer<Response> {
    match &studio.layers.get(id)?.lock().origin {
        Origin::Scan { scenario, .. } => Ok(text(scenario.text.clone())),
        Origin::Recording { .. } => {
            Err(Refusal::bad("this layer was recorded; it has no scenario"))
        }
    }
}
