//! How much memory a scene will need, before any of it is built.
//!
//! What enters: what the scenario says of triangles and copies. What leaves: a [`SceneEstimate`]
//! from above, so that a scene too large for the machine is refused in a sentence and not by the
//! system.

use crate::Error;

/// Bytes for each triangle of a source mesh while its tree is built: the mesh as it was grown, in
/// f64, its copy in f32, the builder's boxes and nodes, the tree. Measured: 385 where one tree of
/// 1.3 million triangles is the largest part, less where there are many meshes.
const BYTES_PER_TRIANGLE: f64 = 450.0;

/// Bytes for each copy while the tree over them is built, with the name of its object.
const BYTES_PER_INSTANCE: f64 = 1000.0;

/// Bytes for each volume of a learned site while its tree is built: the volume and its evidence as
/// they were read, its box, the builder's nodes, the tree and the volume in its order.
const BYTES_PER_VOLUME: f64 = 400.0;

/// The program itself, its threads and buffers.
const BYTES_ANYWAY: f64 = 60e6;

/// Share of the machine's memory that a scene may have unless it is said.
const SHARE: f64 = 0.8;

/// What a scene may have unless it is said: 80 % of the machine's memory, all where that is unknown.
pub fn default_limit_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    machine_bytes(&text).map_or(u64::MAX, |bytes| (bytes as f64 * SHARE) as u64)
}

/// `MemTotal:  24689768 kB` of /proc/meminfo.
fn machine_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// One table of the scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct PartEstimate {
    /// `file:line` of the table.
    pub location: String,
    /// Its name.
    pub name: String,
    /// Triangles of its source meshes.
    pub source_triangles: f64,
    /// Copies.
    pub instances: f64,
    /// Triangles counted once per copy.
    pub effective_triangles: f64,
    /// Volumes of a learned site.
    pub volumes: f64,
}

impl PartEstimate {
    /// Bytes at the peak of building.
    pub fn bytes(&self) -> f64 {
        self.source_triangles * BYTES_PER_TRIANGLE
            + self.instances * BYTES_PER_INSTANCE
            + self.volumes * BYTES_PER_VOLUME
    }
}

/// What a scene will need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneEstimate {
    /// Table by table.
    pub parts: Vec<PartEstimate>,
}

impl SceneEstimate {
    /// Bytes at the peak of building, from above.
    pub fn bytes(&self) -> f64 {
        BYTES_ANYWAY + self.parts.iter().map(PartEstimate::bytes).sum::<f64>()
    }

    /// Triangles counted once per copy.
    pub fn effective_triangles(&self) -> f64 {
        self.parts.iter().map(|part| part.effective_triangles).sum()
    }

    /// Refuses a scene that needs more than `limit_bytes`, naming the table that needs most.
    pub fn check(&self, limit_bytes: u64) -> Result<(), Error> {
        let bytes = self.bytes();
        if bytes <= limit_bytes as f64 {
            return Ok(());
        }
        let largest = self.parts.iter().max_by(|a, b| a.bytes().total_cmp(&b.bytes()));
        let (location, name, share) = match largest {
            Some(part) => (part.location.clone(), part.name.clone(), part.bytes()),
            None => (String::new(), String::new(), 0.0),
        };
        Err(Error::invalid(
            location,
            format!(
                "building the scene needs about {}, more than the {} that it may have; {name:?} \
                 alone needs {}",
                size(bytes),
                size(limit_bytes as f64),
                size(share)
            ),
            "lower densities, sizes or `variants`, or allow more with --max-memory",
        ))
    }
}

/// A number of bytes in words.
fn size(bytes: f64) -> String {
    match bytes {
        b if b >= 1e9 => format!("{:.1} GB", b / 1e9),
        b => format!("{:.0} MB", b / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_table_is_blamed() {
        let part = |name: &str, source_triangles, instances| PartEstimate {
            location: format!("a.toml:{name}"),
            name: name.into(),
            source_triangles,
            instances,
            effective_triangles: source_triangles * instances,
            volumes: 0.0,
        };
        let parts = vec![part("3", 1e5, 10.0), part("9", 4e6, 1e3), part("12", 10.0, 5e4)];
        let estimate = SceneEstimate { parts };
        assert!(estimate.check(2_000_000_000).is_ok());
        let error = estimate.check(500_000_000).unwrap_err().to_string();
        assert!(error.starts_with("a.toml:9: building the scene needs about 2.0 GB"), "{error}");
        assert!(error.contains("500 MB") && error.contains("--max-memory"), "{error}");
    }

    #[test]
    fn the_machine_says_how_much_it_has() {
        let meminfo = "MemTotal:       24689768 kB\nMemFree: 1 kB\n";
        assert_eq!(machine_bytes(meminfo), Some(25282322432));
        assert_eq!(machine_bytes("nothing"), None);
        assert!(default_limit_bytes() > 0);
    }
}
