//! Which of the pulses in a waveform the sensor reports.

use super::ReturnMode;

/// Calls `report` with the places of the reported pulses, nearest first, of `count` pulses sorted
/// by range whose signals `signal` tells.
pub(super) fn select(
    mode: ReturnMode,
    max_returns: u8,
    count: usize,
    signal: impl Fn(usize) -> f64,
    mut report: impl FnMut(usize),
) {
    let Some(last) = count.checked_sub(1) else { return };
    // The nearer of equals.
    let strongest =
        || (0..count).fold(0, |best, i| if signal(i) > signal(best) { i } else { best });
    match mode {
        ReturnMode::First => report(0),
        ReturnMode::Last => report(last),
        ReturnMode::Strongest => report(strongest()),
        ReturnMode::StrongestAndLast => {
            let strongest = strongest();
            report(strongest);
            if strongest < last {
                report(last);
            }
        }
        ReturnMode::All => (0..count.min(max_returns.into())).for_each(report),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_by_hand() {
        let chosen = |mode, signals: &[f64]| {
            let mut found = Vec::new();
            select(mode, 2, signals.len(), |i| signals[i], |i| found.push(i));
            found
        };
        let signals = [1.0, 5.0, 2.0, 5.0, 3.0];
        assert_eq!(chosen(ReturnMode::First, &signals), [0]);
        assert_eq!(chosen(ReturnMode::Last, &signals), [4]);
        assert_eq!(chosen(ReturnMode::Strongest, &signals), [1]);
        assert_eq!(chosen(ReturnMode::StrongestAndLast, &signals), [1, 4]);
        assert_eq!(chosen(ReturnMode::StrongestAndLast, &signals[..2]), [1]);
        assert_eq!(chosen(ReturnMode::All, &signals), [0, 1]);
        assert!(chosen(ReturnMode::All, &[]).is_empty());
    }
}
