//! Every call, and what answers it.

mod layers;
mod scenario;
mod work;
mod world;

use std::sync::Arc;

use axum::extract::State;
use axum::http::{Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;

use crate::assets;
use crate::refusal::{Answer, Refusal};
use crate::security::{Guard, guard};
use crate::studio::Studio;

type Shared = State<Arc<Studio>>;

/// All calls behind the guard.
pub fn router(studio: Arc<Studio>, keeper: Guard) -> Router {
    let api = Router::new()
        .route("/hello", get(scenario::hello))
        .route("/library", get(scenario::list_library))
        .route("/library/thumbnail/{scenario}", get(scenario::thumbnail))
        .route("/library/sensor/{name}", get(scenario::sensor_text))
        .route("/schema/scenario", get(|| async { Json(understory::scenario::schema()) }))
        .route("/schema/sensor", get(scenario::sensor_schema))
        .route("/document", get(scenario::see_document).put(scenario::write_document))
        .route("/document/open", post(scenario::open_document))
        .route("/document/edit", post(scenario::edit_document))
        .route("/document/pack", get(scenario::pack_document))
        .route("/world", get(world::see_world))
        .route("/world/geometry", get(world::see_geometry))
        .route("/world/beams", get(world::see_beams))
        .route("/world/moment", get(world::see_moment))
        .route("/world/picture", get(world::draw_world))
        .route("/world/export", get(world::export_world))
        .route("/scans", post(layers::start_scan))
        .route("/recordings", post(layers::open_recording))
        .route("/layers", get(layers::list_layers))
        .route(
            "/layers/{id}",
            get(layers::see_layer).patch(layers::rename_layer).delete(layers::remove_layer),
        )
        .route("/layers/{id}/cancel", post(layers::cancel_layer))
        .route("/layers/{id}/stream", get(layers::stream_layer))
        .route("/layers/{id}/columns", get(layers::layer_columns))
        .route("/layers/{id}/image", get(layers::layer_image))
        .route("/layers/{id}/points/{point}", get(layers::see_point))
        .route("/layers/{id}/points/{point}/pulse", get(layers::see_pulse))
        .route("/layers/{id}/names", get(layers::layer_names))
        .route("/layers/{id}/export", get(layers::export_layer))
        .route("/layers/{id}/picture", get(layers::draw_layer))
        .route("/layers/{id}/scenario", get(layers::layer_scenario))
        .route("/compare", post(work::compare_layers))
        .route("/compare/difference", get(work::difference))
        .route("/learn", post(work::learn_site))
        .route("/jobs", get(work::list_jobs))
        .route("/jobs/{id}", get(work::see_job))
        .route("/jobs/{id}/cancel", post(work::cancel_job))
        .route("/live", get(work::listen))
        .fallback(|| async { Refusal::not_found("there is no such call") });
    Router::new()
        .nest("/api", api)
        .fallback(get(|uri: Uri| async move { assets::page(uri.path()) }))
        .layer(middleware::from_fn_with_state(keeper, guard))
        .with_state(studio)
}

/// Does long work where it holds nobody up.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Answer<T> + Send + 'static) -> Answer<T> {
    tokio::task::spawn_blocking(work).await?
}

/// A body as it should be.
fn body<T: serde::de::DeserializeOwned>(bytes: &Bytes) -> Answer<T> {
    let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { bytes };
    // A list would be taken for the fields in their order.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(Refusal::bad("the request cannot be understood: it is no JSON object"));
    }
    serde_json::from_slice(bytes)
        .map_err(|error| Refusal::bad(format!("the request cannot be understood: {error}")))
}

fn block(bytes: Bytes) -> Response {
    ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response()
}

fn text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// The format of a file that is asked for.
#[derive(Deserialize)]
struct FormatQuery {
    format: String,
}
