//! The world of the newest valid scenario.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use glam::DVec3;
use serde::Deserialize;
use understory_base::Silent;
use understory_view::render::{Camera, Lights, RenderOptions, render};

use super::{FormatQuery, Shared, apart, block};
use crate::prepared::Prepared;
use crate::protocol::world::World;
use crate::refusal::{Answer, Refusal};
use crate::studio::Studio;
use crate::world::{beams, geometry, moment};
use crate::{document, export, world};

/// Pixels of a picture's side.
const SIDE_MAX: u32 = 4096;

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

/// The newest valid scenario, built.
fn built(studio: &Studio) -> Answer<(u32, document::ScenarioText, Arc<Prepared>)> {
    let good = studio.document().good.as_ref().map(|(revision, text, _)| (*revision, text.clone()));
    let Some((revision, text)) = good else {
        return Err(Refusal::conflict("no valid scenario is open; open or correct one"));
    };
    let prepared = studio.prepared.get(&text, studio.folder(), &Silent);
    Ok((revision, text, prepared.map_err(Refusal::problem)?))
}

pub async fn see_world(State(studio): Shared) -> Answer<Json<World>> {
    apart(move || {
        let (revision, text, prepared) = built(&studio)?;
        Ok(Json(world::world(&prepared, &text, revision)?))
    })
    .await
}

#[derive(Deserialize)]
pub struct GeometryQuery {
    budget: Option<u64>,
    focus: Option<String>,
}

pub async fn see_geometry(
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
pub struct BeamsQuery {
    sensor: Option<u16>,
    limit: Option<u32>,
}

pub async fn see_beams(State(studio): Shared, Query(query): Query<BeamsQuery>) -> Answer<Response> {
    apart(move || {
        let (_, _, prepared) = built(&studio)?;
        let limit = query.limit.unwrap_or(20_000);
        beams::beams(&prepared, query.sensor.unwrap_or(0), limit).map(block)
    })
    .await
}

#[derive(Deserialize)]
pub struct MomentQuery {
    time_s: f64,
}

pub async fn see_moment(
    State(studio): Shared,
    Query(query): Query<MomentQuery>,
) -> Answer<Response> {
    apart(move || {
        let (_, _, prepared) = built(&studio)?;
        moment::moment(&prepared, query.time_s).map(block)
    })
    .await
}

#[derive(Deserialize)]
pub struct PictureQuery {
    eye: Option<String>,
    target: Option<String>,
    width: Option<u32>,
    height: Option<u32>,
    fov_deg: Option<f64>,
    time_s: Option<f64>,
    samples: Option<u32>,
}

pub async fn draw_world(
    State(studio): Shared,
    Query(query): Query<PictureQuery>,
) -> Answer<Response> {
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

pub async fn export_world(
    State(studio): Shared,
    Query(query): Query<FormatQuery>,
) -> Answer<Response> {
    let made = apart(move || {
        let (_, text, prepared) = built(&studio)?;
        export::world(&studio, &*prepared.shown()?, &text.name, &query.format)
    });
    made.await?.send().await
}
