//! Every call, and what answers it.

use std::sync::Arc;

use axum::extract::{Path, Query, State, WebSocketUpgrade};
use axum::http::{Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use glam::DVec3;
use serde::Deserialize;
use serde_json::Value;
use understory_base::Silent;
use understory_view::render::{Camera, Lights, RenderOptions, render};

use crate::layers::{Origin, columns, image, point, stream};
use crate::prepared::Prepared;
use crate::protocol::compare::{CompareLayers, Compared, DifferenceKind, Job, LearnSite};
use crate::protocol::document::{Document, EditKeys, OpenDocument, WriteText};
use crate::protocol::layer::{
    Layer, LayerNames, OpenRecording, PointRecord, RenameLayer, StartScan,
};
use crate::protocol::library::{Hello, Library, Limits};
use crate::protocol::pulse::PulseAccount;
use crate::protocol::world::World;
use crate::refusal::{Answer, Refusal};
use crate::security::{BODY_BYTES, Guard, SOCKET_PROTOCOL, guard};
use crate::studio::Studio;
use crate::world::{beams, geometry, moment};
use crate::{
    assets, compare, document, export, layers, learn, library, live, pulse, recording, scan, world,
};

type Shared = State<Arc<Studio>>;

/// Characters of a name.
const NAME_MAX: usize = 200;
/// Pixels of a picture's side.
const SIDE_MAX: u32 = 4096;

/// All calls behind the guard.
pub fn router(studio: Arc<Studio>, keeper: Guard) -> Router {
    let api = Router::new()
        .route("/hello", get(hello))
        .route("/library", get(list_library))
        .route("/library/thumbnail/{scenario}", get(thumbnail))
        .route("/library/sensor/{name}", get(sensor_text))
        .route("/schema/scenario", get(|| async { Json(understory::scenario::schema()) }))
        .route("/schema/sensor", get(sensor_schema))
        .route("/document", get(see_document).put(write_document))
        .route("/document/open", post(open_document))
        .route("/document/edit", post(edit_document))
        .route("/document/pack", get(pack_document))
        .route("/world", get(see_world))
        .route("/world/geometry", get(see_geometry))
        .route("/world/beams", get(see_beams))
        .route("/world/moment", get(see_moment))
        .route("/world/picture", get(draw_world))
        .route("/world/export", get(export_world))
        .route("/scans", post(start_scan))
        .route("/recordings", post(open_recording))
        .route("/layers", get(list_layers))
        .route("/layers/{id}", get(see_layer).patch(rename_layer).delete(remove_layer))
        .route("/layers/{id}/cancel", post(cancel_layer))
        .route("/layers/{id}/stream", get(stream_layer))
        .route("/layers/{id}/columns", get(layer_columns))
        .route("/layers/{id}/image", get(layer_image))
        .route("/layers/{id}/points/{point}", get(see_point))
        .route("/layers/{id}/points/{point}/pulse", get(see_pulse))
        .route("/layers/{id}/names", get(layer_names))
        .route("/layers/{id}/export", get(export_layer))
        .route("/layers/{id}/picture", get(draw_layer))
        .route("/layers/{id}/scenario", get(layer_scenario))
        .route("/compare", post(compare_layers))
        .route("/compare/difference", get(difference))
        .route("/learn", post(learn_site))
        .route("/jobs", get(list_jobs))
        .route("/jobs/{id}", get(see_job))
        .route("/jobs/{id}/cancel", post(cancel_job))
        .route("/live", get(listen))
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

/// `1.5,-2,3`.
fn vector(numbers: &str) -> Answer<DVec3> {
    let parsed: Option<Vec<f64>> = numbers
        .split(',')
        .map(|number| number.trim().parse().ok().filter(|number: &f64| number.is_finite()))
        .collect();
    let array = parsed.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
    array
        .map(DVec3::from)
        .ok_or_else(|| Refusal::bad("give three numbers with commas between them"))
}

async fn hello(State(studio): Shared) -> Json<Hello> {
    Json(Hello {
        program: "understory".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        start: studio.start.clone(),
        folder: studio.folder().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        limits: Limits {
            body_bytes: BODY_BYTES as u32,
            triangles: geometry::BUDGET as u32,
            layers: layers::LAYERS_MAX as u32,
            rows_in_memory: layers::ROWS_IN_MEMORY as u32,
        },
    })
}

async fn list_library(State(studio): Shared) -> Answer<Json<Library>> {
    apart(move || Ok(Json(library::library(&studio)))).await
}

async fn thumbnail(Path(scenario): Path<String>) -> Answer<Response> {
    assets::thumbnail(&scenario).ok_or_else(|| Refusal::not_found("there is no such picture"))
}

async fn sensor_text(Path(name): Path<String>) -> Answer<Response> {
    Ok(text(understory::sensor::preset_text(&name)?.to_owned()))
}

async fn sensor_schema() -> Json<Value> {
    Json(understory_files::schema::of::<understory_files::sensor::SensorFile>())
}

async fn see_document(State(studio): Shared) -> Json<Document> {
    Json(studio.document().to_protocol())
}

async fn open_document(State(studio): Shared, bytes: Bytes) -> Answer<Json<Document>> {
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

async fn write_document(State(studio): Shared, bytes: Bytes) -> Answer<Json<Document>> {
    let wanted: WriteText = body(&bytes)?;
    apart(move || {
        let newest = newest(&studio, wanted.revision)?;
        studio.accept(document::ScenarioText { text: wanted.text, ..newest });
        Ok(Json(studio.document().to_protocol()))
    })
    .await
}

async fn edit_document(State(studio): Shared, bytes: Bytes) -> Answer<Json<Document>> {
    let wanted: EditKeys = body(&bytes)?;
    apart(move || {
        let newest = newest(&studio, wanted.revision)?;
        let text = document::apply(&newest.text, &wanted.edits).map_err(Refusal::problem)?;
        studio.accept(document::ScenarioText { text, ..newest });
        Ok(Json(studio.document().to_protocol()))
    })
    .await
}

async fn pack_document(State(studio): Shared) -> Answer<Response> {
    apart(move || export::pack(&studio)).await?.send().await
}

/// The newest valid scenario, built.
fn built(studio: &Studio) -> Answer<(u32, document::ScenarioText, Arc<Prepared>)> {
    let good = studio.document().good.as_ref().map(|(revision, text, _)| (*revision, text.clone()));
    let Some((revision, text)) = good else {
        return Err(Refusal::conflict("no valid scenario is open; open or correct one"));
    };
    let prepared = studio.prepared.get(&text, studio.folder(), &Silent);
    Ok((revision, text, prepared.map_err(Refusal::problem)?))
}

async fn see_world(State(studio): Shared) -> Answer<Json<World>> {
    apart(move || {
        let (revision, text, prepared) = built(&studio)?;
        Ok(Json(world::world(&prepared, &text, revision)?))
    })
    .await
}

#[derive(Deserialize)]
struct GeometryQuery {
    budget: Option<u64>,
    focus: Option<String>,
}

async fn see_geometry(
    State(studio): Shared,
    Query(query): Query<GeometryQuery>,
) -> Answer<Response> {
    let focus = query.focus.as_deref().map(vector).transpose()?;
    apart(move || {
        let (revision, _, prepared) = built(&studio)?;
        geometry::geometry(&prepared, revision, query.budget, focus).map(block)
    })
    .await
}

#[derive(Deserialize)]
struct BeamsQuery {
    sensor: Option<u16>,
    limit: Option<u32>,
}

async fn see_beams(State(studio): Shared, Query(query): Query<BeamsQuery>) -> Answer<Response> {
    apart(move || {
        let (_, _, prepared) = built(&studio)?;
        let limit = query.limit.unwrap_or(20_000);
        beams::beams(&prepared, query.sensor.unwrap_or(0), limit).map(block)
    })
    .await
}

#[derive(Deserialize)]
struct MomentQuery {
    time_s: f64,
}

async fn see_moment(State(studio): Shared, Query(query): Query<MomentQuery>) -> Answer<Response> {
    apart(move || {
        let (_, _, prepared) = built(&studio)?;
        moment::moment(&prepared, query.time_s).map(block)
    })
    .await
}

#[derive(Deserialize)]
struct PictureQuery {
    eye: Option<String>,
    target: Option<String>,
    width: Option<u32>,
    height: Option<u32>,
    fov_deg: Option<f64>,
    time_s: Option<f64>,
    samples: Option<u32>,
}

async fn draw_world(State(studio): Shared, Query(query): Query<PictureQuery>) -> Answer<Response> {
    apart(move || {
        let (_, _, prepared) = built(&studio)?;
        let offset_m = DVec3::from(world::offset_m(&prepared));
        let size = [query.width.unwrap_or(960), query.height.unwrap_or(540)];
        if size.iter().any(|side| *side > SIDE_MAX) {
            return Err(Refusal::bad(format!("a picture has {SIDE_MAX} pixels at most to a side")));
        }
        let scene = prepared.shown()?;
        let (fov_deg, time_s) = (query.fov_deg.unwrap_or(50.0), query.time_s.unwrap_or(0.0));
        let platform = prepared.run.trajectory.pose_at(time_s);
        let camera = match (&query.eye, &query.target) {
            (Some(eye), Some(target)) => {
                let (eye, target) = (vector(eye)? + offset_m, vector(target)? + offset_m);
                Camera::looking_at(eye, target, fov_deg, size)?
            }
            _ => Camera::behind(&scene, &platform, fov_deg, size)?,
        };
        let samples = query.samples.unwrap_or(2).clamp(1, 16);
        let options = RenderOptions { samples, time_s, ..RenderOptions::default() };
        let picture = render(&scene, &camera, &Lights::default(), &options)?;
        let mut png = Vec::new();
        picture.write_png(&mut png)?;
        Ok(([(header::CONTENT_TYPE, "image/png")], png).into_response())
    })
    .await
}

#[derive(Deserialize)]
struct FormatQuery {
    format: String,
}

async fn export_world(State(studio): Shared, Query(query): Query<FormatQuery>) -> Answer<Response> {
    let made = apart(move || {
        let (_, text, prepared) = built(&studio)?;
        export::world(&studio, &*prepared.shown()?, &text.name, &query.format)
    });
    made.await?.send().await
}

async fn start_scan(State(studio): Shared, bytes: Bytes) -> Answer<Json<Layer>> {
    let wanted: StartScan = body(&bytes)?;
    apart(move || {
        let entry = scan::prepare(&studio, &wanted)?;
        studio.start_scan(entry, scan::perform).map(Json)
    })
    .await
}

async fn open_recording(State(studio): Shared, bytes: Bytes) -> Answer<Json<Layer>> {
    let wanted: OpenRecording = body(&bytes)?;
    apart(move || {
        let entry = recording::prepare(&studio, &wanted)?;
        studio.start_reading(entry, recording::perform).map(Json)
    })
    .await
}

async fn list_layers(State(studio): Shared) -> Json<Vec<Layer>> {
    Json(studio.layers.all().iter().map(|entry| entry.lock().seen.clone()).collect())
}

async fn see_layer(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Layer>> {
    Ok(Json(studio.layers.get(id)?.lock().seen.clone()))
}

async fn rename_layer(
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

async fn remove_layer(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Layer>> {
    let change = studio.bump();
    let removed = studio.layers.remove(id, change + 1)?;
    studio.bump();
    Ok(Json(removed))
}

async fn cancel_layer(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Layer>> {
    let entry = studio.layers.get(id)?;
    entry.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    let seen = entry.lock().seen.clone();
    Ok(Json(seen))
}

#[derive(Deserialize)]
struct ColumnsQuery {
    #[serde(default)]
    columns: String,
    #[serde(default)]
    from: u32,
    count: Option<u32>,
}

async fn stream_layer(
    State(studio): Shared,
    Path(id): Path<u32>,
    Query(query): Query<ColumnsQuery>,
) -> Answer<Response> {
    let entry = studio.layers.get(id)?;
    let columns = columns::parse(&query.columns)?;
    Ok(stream::stream(studio.changes.clone(), entry, columns, query.from))
}

/// Points of one block at most: more come in a stream.
const BLOCK_POINTS_MAX: u32 = 20_000_000;

async fn layer_columns(
    State(studio): Shared,
    Path(id): Path<u32>,
    Query(query): Query<ColumnsQuery>,
) -> Answer<Response> {
    let entry = studio.layers.get(id)?;
    let columns = columns::parse(&query.columns)?;
    apart(move || {
        let count = query.count.unwrap_or(BLOCK_POINTS_MAX).min(BLOCK_POINTS_MAX);
        let (chunks, offset_m) = {
            let held = entry.lock();
            (held.rows.all(), held.seen.offset_m)
        };
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
struct ImageQuery {
    #[serde(default)]
    sensor: u16,
    scan: Option<u32>,
}

async fn layer_image(
    State(studio): Shared,
    Path(id): Path<u32>,
    Query(query): Query<ImageQuery>,
) -> Answer<Response> {
    let entry = studio.layers.get(id)?;
    apart(move || {
        let (chunks, offset_m) = {
            let held = entry.lock();
            (held.rows.all(), held.seen.offset_m)
        };
        let shown = image::Shown { layer: id, sensor: query.sensor, scan: query.scan };
        Ok(block(image::image(&chunks, shown, offset_m)?))
    })
    .await
}

async fn see_point(
    State(studio): Shared,
    Path((id, number)): Path<(u32, u32)>,
) -> Answer<Json<PointRecord>> {
    let entry = studio.layers.get(id)?;
    apart(move || point::record(&entry.lock(), number).map(Json)).await
}

async fn see_pulse(
    State(studio): Shared,
    Path((id, number)): Path<(u32, u32)>,
) -> Answer<Json<PulseAccount>> {
    let entry = studio.layers.get(id)?;
    apart(move || pulse::account(&studio, &entry, number).map(Json)).await
}

async fn layer_names(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<LayerNames>> {
    let names = studio.layers.get(id)?.lock().names.clone();
    let (objects, materials) = (names.objects.clone(), names.materials.clone());
    Ok(Json(LayerNames { objects, materials }))
}

async fn export_layer(
    State(studio): Shared,
    Path(id): Path<u32>,
    Query(query): Query<FormatQuery>,
) -> Answer<Response> {
    let entry = studio.layers.get(id)?;
    apart(move || export::layer(&studio, &entry, &query.format)).await?.send().await
}

async fn draw_layer(State(studio): Shared, Path(id): Path<u32>) -> Answer<Response> {
    let entry = studio.layers.get(id)?;
    apart(move || export::picture(&studio, &entry)).await?.send().await
}

async fn layer_scenario(State(studio): Shared, Path(id): Path<u32>) -> Answer<Response> {
    match &studio.layers.get(id)?.lock().origin {
        Origin::Scan { scenario, .. } => Ok(text(scenario.text.clone())),
        Origin::Recording { .. } => {
            Err(Refusal::bad("this layer was recorded; it has no scenario"))
        }
    }
}

async fn compare_layers(State(studio): Shared, bytes: Bytes) -> Answer<Json<Compared>> {
    let wanted: CompareLayers = body(&bytes)?;
    apart(move || compare::compare(&studio, &wanted).map(Json)).await
}

#[derive(Deserialize)]
struct DifferenceQuery {
    of: u32,
    to: u32,
    kind: Option<DifferenceKind>,
}

async fn difference(
    State(studio): Shared,
    Query(query): Query<DifferenceQuery>,
) -> Answer<Response> {
    let (of, to) = (studio.layers.get(query.of)?, studio.layers.get(query.to)?);
    let kind = query.kind.unwrap_or(DifferenceKind::Nearest);
    apart(move || compare::difference(&of, &to, kind).map(block)).await
}

async fn learn_site(State(studio): Shared, bytes: Bytes) -> Answer<Json<Job>> {
    let wanted: LearnSite = body(&bytes)?;
    learn::start(&studio, wanted).map(Json)
}

async fn list_jobs(State(studio): Shared) -> Json<Vec<Job>> {
    Json(studio.jobs.all().iter().map(|job| job.seen().0).collect())
}

async fn see_job(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Job>> {
    Ok(Json(studio.jobs.get(id)?.seen().0))
}

async fn cancel_job(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Job>> {
    studio.jobs.cancel(id).map(Json)
}

async fn listen(State(studio): Shared, socket: WebSocketUpgrade) -> Response {
    socket
        .protocols([SOCKET_PROTOCOL])
        .max_message_size(64 << 10)
        .on_upgrade(move |socket| live::tell(studio, socket))
}
