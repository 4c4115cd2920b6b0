//! The WebSocket: what changed, as it changes.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use futures_util::{SinkExt, StreamExt};

use crate::protocol::layer::News;
use crate::studio::Studio;

/// News come no faster than this.
const PACE: Duration = Duration::from_millis(100);
/// And no slower, so that a page notices when the program has ended.
const PULSE: Duration = Duration::from_secs(5);
/// How long a peer may take to read one.
const PATIENCE: Duration = Duration::from_secs(20);

/// Tells a page what changes until it goes.
pub async fn tell(studio: Arc<Studio>, socket: WebSocket) {
    let (mut out, mut from_page) = socket.split();
    let mut changes = studio.changes.subscribe();
    let mut told = 0;
    loop {
        let now = *changes.borrow_and_update();
        let news = news(&studio, told);
        told = now;
        let Ok(text) = serde_json::to_string(&news) else { return };
        let sent = tokio::time::timeout(PATIENCE, out.send(Message::Text(text.into()))).await;
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
        tokio::time::sleep(PACE).await;
        loop {
            tokio::select! {
                changed = changes.changed() => match changed {
                    Ok(()) => break,
                    Err(_) => return,
                },
                () = tokio::time::sleep(PULSE) => break,
                said = from_page.next() => match said {
                    // Whatever a page says, it is not listened to.
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => {}
                },
            }
        }
    }
}

/// What changed after a count of changes.
fn news(studio: &Studio, told: u64) -> News {
    let layers = studio.layers.all();
    let layers = layers.iter().filter_map(|entry| {
        let held = entry.lock();
        (held.changed > told).then(|| held.seen.clone())
    });
    let jobs = studio.jobs.all();
    let jobs = jobs.iter().map(|job| job.seen()).filter(|(_, at)| *at > told).map(|(job, _)| job);
    News {
        layers: layers.collect(),
        gone: studio.layers.gone_after(told),
        jobs: jobs.collect(),
        revision: studio.document().revision,
    }
}
