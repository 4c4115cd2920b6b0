//! The page and the pictures of scenarios, carried by the program.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::refusal::Refusal;

/// The built page.
#[derive(RustEmbed)]
#[folder = "page/dist"]
struct Page;

/// Pictures of the built-in scenarios.
#[derive(RustEmbed)]
#[folder = "../../docs/images/gallery/camera"]
struct Gallery;

/// A file of the page by its path; no path leads anywhere else.
pub fn page(path: &str) -> Response {
    let name = path.trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    match Page::get(name) {
        Some(file) => answer(file, content_type(name)),
        None => Refusal::not_found("there is no such page").into_response(),
    }
}

/// The picture of a built-in scenario.
pub fn thumbnail(scenario: &str) -> Option<Response> {
    Gallery::get(&format!("{scenario}.png")).map(|file| answer(file, "image/png"))
}

/// Whether there is a picture of a built-in scenario.
pub fn has_thumbnail(scenario: &str) -> bool {
    Gallery::get(&format!("{scenario}.png")).is_some()
}

fn answer(file: EmbeddedFile, kind: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], file.data).into_response()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
