//! What there is to choose from, and the open scenario.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use bytes::Bytes;
use serde_json::Value;

use super::{Shared, apart, body, text};
use crate::layers::{LAYERS_MAX, Origin, ROWS_IN_MEMORY};
use crate::protocol::document::{Document, EditKeys, OpenDocument, WriteText};
use crate::protocol::library::{Hello, Library, Limits};
use crate::refusal::{Answer, Refusal};
use crate::security::BODY_BYTES;
use crate::studio::Studio;
use crate::world::geometry;
use crate::{assets, document, export, library};

pub async fn hello(State(studio): Shared) -> Json<Hello> {
    Json(Hello {
        program: "understory".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        start: studio.start.clone(),
        folder: studio.folder().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        limits: Limits {
            body_bytes: BODY_BYTES as u32,
            triangles: geometry::BUDGET as u32,
            layers: LAYERS_MAX as u32,
            rows_in_memory: ROWS_IN_MEMORY as u32,
        },
    })
}

pub async fn list_library(State(studio): Shared) -> Answer<Json<Library>> {
    apart(move || Ok(Json(library::library(&studio)))).await
}

pub async fn thumbnail(Path(scenario): Path<String>) -> Answer<Response> {
    assets::thumbnail(&scenario).ok_or_else(|| Refusal::not_found("there is no such picture"))
}

pub async fn sensor_text(Path(name): Path<String>) -> Answer<Response> {
    Ok(text(understory::sensor::preset_text(&name)?.to_owned()))
}

pub async fn sensor_schema() -> Json<Value> {
    Json(understory_files::schema::of::<understory_files::sensor::SensorFile>())
}

pub async fn see_document(State(studio): Shared) -> Json<Document> {
    Json(studio.document().to_protocol())
}

pub async fn open_document(State(studio): Shared, bytes: Bytes) -> Answer<Json<Document>> {
    let wanted: OpenDocument = body(&bytes)?;
    apart(move || {
        let text = match wanted {
            OpenDocument::Scenario(id) => studio.scenario(&id)?,
            OpenDocument::Text { name, text } => document::ScenarioText {
                name: export::plain_name(&name),
                text,
                folder: studio.folder().to_path_buf(),
                pack: None,
            },
            OpenDocument::Layer(id) => match &studio.layers.get(id)?.lock().origin {
                Origin::Scan { scenario, .. } => scenario.clone(),
                Origin::Recording { .. } => {
                    return Err(Refusal::bad("this layer was recorded; it has no scenario"));
                }
            },
        };
        studio.accept(text);
        Ok(Json(studio.document().to_protocol()))
    })
    .await
}

/// The newest text, if that is what was edited.
fn newest(studio: &Studio, revision: u32) -> Answer<document::ScenarioText> {
    let open = studio.document();
    if open.revision != revision {
        return Err(Refusal::conflict(format!(
            "the scenario was changed elsewhere (revision {}); look at it again",
            open.revision
        )));
    }
    Ok(open.newest.clone())
}

pub async fn write_document(State(studio): Shared, bytes: Bytes) -> Answer<Json<Document>> {
    let wanted: WriteText = body(&bytes)?;
    apart(move || {
        let newest = newest(&studio, wanted.revision)?;
        studio.accept(document::ScenarioText { text: wanted.text, ..newest });
        Ok(Json(studio.document().to_protocol()))
    })
    .await
}

pub async fn edit_document(State(studio): Shared, bytes: Bytes) -> Answer<Json<Document>> {
    let wanted: EditKeys = body(&bytes)?;
    apart(move || {
        let newest = newest(&studio, wanted.revision)?;
        let text = document::apply(&newest.text, &wanted.edits).map_err(Refusal::problem)?;
        studio.accept(document::ScenarioText { text, ..newest });
        Ok(Json(studio.document().to_protocol()))
    })
    .await
}

pub async fn pack_document(State(studio): Shared) -> Answer<Response> {
    apart(move || export::pack(&studio)).await?.send().await
}
