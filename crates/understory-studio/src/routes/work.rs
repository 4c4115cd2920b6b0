//! Layers against each other, sites learned from them, and news of it all.

use axum::Json;
use axum::extract::{Path, Query, State, WebSocketUpgrade};
use axum::response::Response;
use bytes::Bytes;
use serde::Deserialize;

use super::{Shared, apart, block, body};
use crate::protocol::compare::{CompareLayers, Compared, DifferenceKind, Job, LearnSite};
use crate::refusal::Answer;
use crate::security::SOCKET_PROTOCOL;
use crate::{compare, learn, live};

pub async fn compare_layers(State(studio): Shared, bytes: Bytes) -> Answer<Json<Compared>> {
    let wanted: CompareLayers = body(&bytes)?;
    apart(move || compare::compare(&studio, &wanted).map(Json)).await
}

#[derive(Deserialize)]
pub struct DifferenceQuery {
    of: u32,
    to: u32,
    kind: Option<DifferenceKind>,
}

pub async fn difference(
    State(studio): Shared,
    Query(query): Query<DifferenceQuery>,
) -> Answer<Response> {
    let (of, to) = (studio.layers.get(query.of)?, studio.layers.get(query.to)?);
    let kind = query.kind.unwrap_or(DifferenceKind::Nearest);
    apart(move || compare::difference(&of, &to, kind).map(block)).await
}

pub async fn learn_site(State(studio): Shared, bytes: Bytes) -> Answer<Json<Job>> {
    let wanted: LearnSite = body(&bytes)?;
    learn::start(&studio, wanted).map(Json)
}

pub async fn list_jobs(State(studio): Shared) -> Json<Vec<Job>> {
    Json(studio.jobs.all().iter().map(|job| job.seen().0).collect())
}

pub async fn see_job(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Job>> {
    Ok(Json(studio.jobs.get(id)?.seen().0))
}

pub async fn cancel_job(State(studio): Shared, Path(id): Path<u32>) -> Answer<Json<Job>> {
    studio.jobs.cancel(id).map(Json)
}

pub async fn listen(State(studio): Shared, socket: WebSocketUpgrade) -> Response {
    socket
        .protocols([SOCKET_PROTOCOL])
        .max_message_size(64 << 10)
        .on_upgrade(move |socket| live::tell(studio, socket))
}
