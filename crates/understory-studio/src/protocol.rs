//! What the page and the program say to each other: every call, in one place.
//!
//! All calls lie under `/api/`. Each needs the header `X-Understory-Token` with the token of this
//! start of the program, which the page finds behind the `#` of its first address. Bodies are JSON
//! with the type `application/json`, answers JSON or blocks (below). A refusal has a status of 4xx or 5xx
//! and a [`Problem`](document::Problem) as its body. The types of the page (`page/src/protocol.ts`)
//! are generated from these.
//!
//! | call | body → answer |
//! | --- | --- |
//! | `GET /api/hello` | → [`Hello`](library::Hello) |
//! | `GET /api/library` | → [`Library`](library::Library) |
//! | `GET /api/library/thumbnail/{scenario}` | → PNG |
//! | `GET /api/library/sensor/{name}` | → the preset's TOML as text |
//! | `GET /api/schema/scenario`, `/api/schema/sensor` | → JSON schema |
//! | `GET /api/document` | → [`Document`](document::Document) |
//! | `POST /api/document/open` | [`OpenDocument`](document::OpenDocument) → `Document` |
//! | `PUT /api/document` | [`WriteText`](document::WriteText) → `Document` |
//! | `POST /api/document/edit` | [`EditKeys`](document::EditKeys) → `Document` |
//! | `GET /api/document/pack` | → a packed scenario |
//! | `GET /api/world` | → [`World`](world::World) |
//! | `GET /api/world/geometry?budget=&focus=x,y,z` | → block "geometry" |
//! | `GET /api/world/beams?sensor=&limit=` | → block "beams" |
//! | `GET /api/world/moment?time_s=` | → block "moment" |
//! | `GET /api/world/picture?eye=&target=&width=&height=&fov_deg=&time_s=` | → PNG |
//! | `GET /api/world/export?format=glb` | → a file |
//! | `POST /api/scans` | [`StartScan`](layer::StartScan) → [`Layer`](layer::Layer) |
//! | `POST /api/recordings` | [`OpenRecording`](layer::OpenRecording) → `Layer` |
//! | `GET /api/layers` | → list of `Layer` |
//! | `GET`, `PATCH`, `DELETE /api/layers/{id}` | (`PATCH`: [`RenameLayer`](layer::RenameLayer)) → `Layer` |
//! | `POST /api/layers/{id}/cancel` | → `Layer` |
//! | `GET /api/layers/{id}/stream?columns=&from=` | → blocks "points", then one "end" |
//! | `GET /api/layers/{id}/columns?columns=&from=&count=` | → block "points" |
//! | `GET /api/layers/{id}/image?sensor=&scan=` | → block "image" |
//! | `GET /api/layers/{id}/points/{point}` | → [`PointRecord`](layer::PointRecord) |
//! | `GET /api/layers/{id}/points/{point}/pulse` | → [`PulseAccount`](pulse::PulseAccount) |
//! | `GET /api/layers/{id}/names` | → [`LayerNames`](layer::LayerNames) |
//! | `GET /api/layers/{id}/export?format=laz` | → a file, or a ZIP of a folder |
//! | `GET /api/layers/{id}/picture` | → PNG |
//! | `GET /api/layers/{id}/scenario` | → the TOML that was scanned, as text |
//! | `POST /api/compare` | [`CompareLayers`](compare::CompareLayers) → [`Compared`](compare::Compared) |
//! | `GET /api/compare/difference?of=&to=&kind=nearest` | → block "difference" |
//! | `POST /api/learn` | [`LearnSite`](compare::LearnSite) → [`Job`](compare::Job) |
//! | `GET /api/jobs`, `GET /api/jobs/{id}` | → `Job`s |
//! | `POST /api/jobs/{id}/cancel` | → `Job` |
//! | `GET /api/live` | WebSocket of [`News`](layer::News) as JSON texts |
//!
//! The WebSocket takes the token as its second sub-protocol: `new WebSocket(url, ["understory",
//! token])`, since pages cannot send headers with it. Ids are whole numbers that are never used
//! twice. Points are numbered from 0 in the order in which they came; they are the rows with a
//! return and a position, and `row` says which row of the records each of them is.
//!
//! # Blocks
//!
//! Numbers in masses travel as blocks, all little-endian:
//!
//! | bytes | |
//! | --- | --- |
//! | 4 | the letters `USB1` |
//! | 4 | length h of the header, a multiple of 8 |
//! | 8 | length d of the data, a multiple of 8 |
//! | h | the header: a [`BlockHeader`](block::BlockHeader) as JSON, filled up with spaces |
//! | d | the columns, each from a multiple of 8 on |
//!
//! A stream is one block after another. Since every length is a multiple of 8, columns of a block
//! that begins at one can be looked at in place. Positions are relative to `offset_m` of the
//! header, in metres; z is up. Matrices are 4 × 4 by columns, as WebGL has them.
//!
//! | block | columns | `extra` |
//! | --- | --- | --- |
//! | geometry | `position` f32×3 per vertex, `index` u32, `instance_mesh` u32, `instance_object` u32, `instance_matrix` f32×16 | [`GeometryExtra`](world::GeometryExtra) |
//! | beams | `direction` f32×3, `time_s` f32, `channel` u16: one frame in the sensor's frame | [`BeamsExtra`](world::BeamsExtra) |
//! | moment | `instance` u32 (place in the geometry: what moves comes first there), `mesh` u32, `matrix` f32×16 | [`MomentExtra`](world::MomentExtra) |
//! | points | those asked for; `xyz` and `row` always | [`PointsExtra`](layer::PointsExtra) |
//! | end | none | the finished `Layer` |
//! | image | `point` u32 (4294967295: none), `range_m` f32 (NaN: no return, −1: no pulse), row by row from the top | [`ImageExtra`](layer::ImageExtra) |
//! | difference | `difference_m` f32 per point of `of`, NaN where there is none | [`DifferenceExtra`](compare::DifferenceExtra) |

pub mod block;
pub mod compare;
pub mod document;
pub mod layer;
pub mod library;
pub mod pulse;
pub mod world;

#[cfg(test)]
mod typescript;
