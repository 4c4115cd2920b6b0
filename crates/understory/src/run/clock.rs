//! Processor time and memory of this process, where Linux tells them in `/proc`.

use std::fs::read_to_string;

/// Processor time of the calling thread so far; 0 where the system is silent.
pub fn thread_cpu_s() -> f64 {
    let spent = read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    spent.unwrap_or(0.0) * 1e-9
}

/// Peak resident memory of this process.
pub(super) fn peak_memory_mb() -> Option<f64> {
    let status = read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}
