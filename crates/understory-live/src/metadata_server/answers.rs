//! What an Ouster sensor answers: metadata and configuration as JSON.
//!
//! The simulated sensor's configuration is what the scenario says: a driver may post another one and
//! gets the real one back, as it would from a sensor that does not support what was requested.
//! `@auto` as destination becomes the destination that packets have.

use crate::LiveError;
use serde_json::{Value, json};

/// A request without its body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path without the query.
    pub(super) path: String,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Fine,
    Refused,
    Unknown,
    NotAllowed,
}

impl Status {
    pub(super) fn line(self) -> &'static str {
        match self {
            Status::Fine => "200 OK",
            Status::Refused => "400 Bad Request",
            Status::Unknown => "404 Not Found",
            Status::NotAllowed => "405 Method Not Allowed",
        }
    }
}

/// The sensor's metadata, ready to be sent.
pub(super) struct Answers {
    metadata: Value,
}

impl Answers {
    pub(super) fn new(metadata: &str, lidar_port: u16) -> Result<Answers, LiveError> {
        let bad = |what: String| LiveError::BadMetadata { what };
        let mut metadata: Value =
            serde_json::from_str(metadata).map_err(|error| bad(error.to_string()))?;
        if !metadata.is_object() {
            return Err(bad("it is something else".to_owned()));
        }
        if let Some(config) = metadata.get_mut("config_params").and_then(Value::as_object_mut) {
            config.insert("udp_port_lidar".to_owned(), json!(lidar_port));
        }
        Ok(Answers { metadata })
    }

    /// The answer to a request.
    pub(super) fn to(&self, request: &Request) -> (Status, String) {
        let group = |name: &str| match self.metadata.get(name) {
            Some(value) => (Status::Fine, value.to_string()),
            None => (Status::Unknown, "{}".to_owned()),
        };
        let path = request.path.trim_end_matches('/');
        let Some(path) = path.strip_prefix("/api/v1/") else {
            return (Status::Unknown, "{}".to_owned());
        };
        match (request.method.as_str(), path) {
            ("GET", "sensor/metadata") => (Status::Fine, self.metadata.to_string()),
            ("GET", "sensor/config" | "sensor/cmd/get_config_param") => group("config_params"),
            ("GET", "system/firmware") => {
                let firmware = self.metadata.pointer("/sensor_info/image_rev");
                (Status::Fine, json!({ "fw": firmware }).to_string())
            }
            ("GET", "user/data") => {
                let data = self.metadata.get("user_data").cloned();
                (Status::Fine, data.unwrap_or_else(|| json!("")).to_string())
            }
            // Older drivers configure a sensor by commands, and compare the answers to the letter.
            ("GET", "sensor/cmd/set_config_param") => {
                (Status::Fine, json!("set_config_param").to_string())
            }
            (
                "GET",
                "sensor/cmd/set_udp_dest_auto"
                | "sensor/cmd/reinitialize"
                | "sensor/cmd/save_config_params",
            ) => (Status::Fine, "{}".to_owned()),
            ("GET", path) => {
                // Firmware 2 has the groups as commands, too.
                let name = path.strip_prefix("sensor/metadata/");
                match name.or_else(|| path.strip_prefix("sensor/cmd/get_")) {
                    Some(name) => group(name),
                    None => (Status::Unknown, "{}".to_owned()),
                }
            }
            ("POST" | "PUT", "sensor/config") => group("config_params"),
            _ => (Status::NotAllowed, "{}".to_owned()),
        }
    }
}
