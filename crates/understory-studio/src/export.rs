//! Layers, worlds and scenarios as files to be saved.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use understory::scenario::pack::{ENDING, Packing};
use understory_base::Silent;
use understory_cloud::{OutputFormat, RecordSink, SinkOptions, convert, open_sink};
use understory_view::picture::PictureSink;

use crate::layers::{Event, LayerEntry, Origin};
use crate::refusal::{Answer, Refusal};
use crate::studio::Studio;

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;

/// A file in a folder that goes when it was sent.
pub struct Made {
    folder: TempDir,
    path: PathBuf,
    name: String,
    kind: &'static str,
}

/// A name that every system takes: letters, numbers and some signs.
pub fn plain_name(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' })
        .collect();
    let mut short: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    short.truncate(12);
    let joined = short.join("-").trim_matches('.').to_owned();
    if joined.is_empty() { "layer".to_owned() } else { joined }
}

/// Writes a layer in a format.
pub fn layer(studio: &Studio, entry: &LayerEntry, format: &str) -> Answer<Made> {
    let format: OutputFormat = format.parse().map_err(|_| {
        Refusal::bad(format!(
            "there is no format {format:?}; choose {}",
            understory_cloud::format_names()
        ))
    })?;
    let (origin, name) = {
        let held = entry.lock();
        (held.origin.clone(), plain_name(&held.seen.name))
    };
    let folder = TempDir::new_in(studio.scratch())?;
    let path = folder.path().join(format!("{name}.{}", format.extension()));
    match origin {
        Origin::Recording { path: from, options } => {
            convert(&from, &options, &path, format, &SinkOptions::default())?;
        }
        Origin::Scan { scenario, seed } => {
            let prepared = studio.prepared.get(&scenario, studio.folder(), &Silent);
            let prepared = prepared.map_err(Refusal::problem)?;
            let options = prepared.scenario.sink_options(&prepared.with_seed(seed));
            let options = SinkOptions { waveforms: Vec::new(), ..options };
            replay(entry, open_sink(&path, format, &options)?)?;
        }
    }
    sent(folder, path, &name)
}

/// Gives a sink everything that the layer's own sink was given.
fn replay(entry: &LayerEntry, mut sink: Box<dyn RecordSink>) -> Answer<()> {
    let (chunks, events) = {
        let held = entry.lock();
        (held.rows.all(), held.events.clone())
    };
    let mut events = events.into_iter().peekable();
    for chunk in chunks {
        let records = chunk.records()?;
        let (mut from, end) = (chunk.first_row, chunk.first_row + records.len() as u64);
        // Batches end where something was told between rows.
        while from < end {
            while let Some((_, event)) = events.next_if(|(row, _)| *row <= from) {
                tell(&mut *sink, event)?;
            }
            let until = events.peek().map_or(end, |(row, _)| *row).min(end).max(from + 1);
            let rows = (from - chunk.first_row) as usize..(until - chunk.first_row) as usize;
            sink.write(&records.rows(rows))?;
            from = until;
        }
    }
    for (_, event) in events {
        tell(&mut *sink, event)?;
    }
    sink.finish()?;
    Ok(())
}

fn tell(sink: &mut dyn RecordSink, event: Event) -> Answer<()> {
    match event {
        Event::Scan(pose) => sink.scan_pose(&pose)?,
        Event::Platform(pose) => sink.platform_pose(&pose)?,
        Event::Imu(sensor, samples) => sink.imu(sensor, &samples)?,
    }
    Ok(())
}

/// The picture that the program draws of a layer.
pub fn picture(studio: &Studio, entry: &LayerEntry) -> Answer<Made> {
    let name = entry.lock().seen.name.clone();
    let folder = TempDir::new_in(studio.scratch())?;
    let path = folder.path().join(format!("{}.png", plain_name(&name)));
    replay(entry, Box::new(PictureSink::create(&path, &format!("understory: {name}"))?))?;
    sent(folder, path, &plain_name(&name))
}

/// The open scenario with everything that it needs.
pub fn pack(studio: &Studio) -> Answer<Made> {
    let good = studio.document().good.as_ref().map(|(_, text, _)| text.clone());
    let text = good.ok_or_else(|| Refusal::conflict("no valid scenario is open"))?;
    let scenario = text.scenario(studio.folder()).map_err(Refusal::problem)?;
    let folder = TempDir::new_in(studio.scratch())?;
    let name = plain_name(&text.name);
    let path = folder.path().join(format!("{name}.{ENDING}"));
    Packing::new(&scenario, &name)?.write(&path)?;
    sent(folder, path, &name)
}

/// The world for other programs.
pub fn world(
    studio: &Studio,
    scene: &understory::world::scene::Scene,
    name: &str,
    format: &str,
) -> Answer<Made> {
    if !["glb", "gltf", "obj"].contains(&format) {
        return Err(Refusal::bad("choose glb, gltf or obj"));
    }
    let folder = TempDir::new_in(studio.scratch())?;
    let name = plain_name(name);
    let inner = folder.path().join(&name);
    std::fs::create_dir(&inner)?;
    let path = inner.join(format!("{name}.{format}"));
    understory_view::export::export(scene, &path, false)?;
    // glTF and OBJ have files beside them.
    let path = if format == "glb" { path } else { inner };
    sent(folder, path, &name)
}

/// A file as it is; a folder, or a file that has others beside it, as a ZIP.
fn sent(folder: TempDir, path: PathBuf, name: &str) -> Answer<Made> {
    let beside = std::fs::read_dir(folder.path())?.count();
    if path.is_file() && beside == 1 {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let kind = if name.ends_with(".png") { "image/png" } else { "application/octet-stream" };
        return Ok(Made { folder, path, name, kind });
    }
    if path.is_file() && path.parent() != Some(folder.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(Made { folder, path, name, kind: "application/octet-stream" });
    }
    let zipped = TempDir::new_in(folder.path().parent().unwrap_or(Path::new(".")))?;
    let target = zipped.path().join(format!("{name}.zip"));
    zip(folder.path(), &target)?;
    let name = format!("{name}.zip");
    Ok(Made { folder: zipped, path: target, name, kind: "application/zip" })
}

fn zip(folder: &Path, target: &Path) -> Answer<()> {
    let failed = |error: zip::result::ZipError| Refusal::from(io::Error::other(error.to_string()));
    let mut writer = zip::ZipWriter::new(File::create(target)?);
    let options = zip::write::SimpleFileOptions::default().large_file(true);
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(io::Error::other)?;
        if !entry.file_type().is_file() {
            continue;
        }
        let inner = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let name: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
        writer.start_file(name.join("/"), options).map_err(failed)?;
        io::copy(&mut File::open(entry.path())?, &mut writer)?;
    }
    writer.finish().map_err(failed)?.flush()?;
    Ok(())
}

impl Made {
    /// The file, piece by piece; its folder goes when it is sent or nobody wants it any more.
    pub async fn send(self) -> Answer<Response> {
        let file = tokio::fs::File::open(&self.path).await?;
        let length = file.metadata().await?.len();
        let pieces = stream::unfold((file, self.folder), |(mut file, folder)| async move {
            let mut piece = vec![0; PIECE];
            match file.read(&mut piece).await {
                Ok(0) => None,
                Ok(count) => {
                    piece.truncate(count);
                    Some((Ok(Bytes::from(piece)), (file, folder)))
                }
                Err(error) => Some((Err(error), (file, folder))),
            }
        });
        let headers = [
            (header::CONTENT_TYPE, self.kind.to_owned()),
            (header::CONTENT_LENGTH, length.to_string()),
            (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", self.name)),
        ];
        Ok((headers, Body::from_stream(pieces)).into_response())
    }
}
