//! Rows of several sensors → one order: by the start of the firing cycle, then sensor, then pulse.

use understory_cloud::Records;

use crate::pulse::PreparedRun;

/// Appends the rows of all sensors, cycle by cycle in the order of their starts, the lower sensor
/// first where two start together; waveforms likewise.
pub(super) fn merge_by_cycle(run: &PreparedRun, of_sensor: &[Records], merged: &mut Records) {
    let cycle_at = |sensor: usize, row: usize| {
        let pulse = *of_sensor[sensor].pulse.get(row)?;
        Some(run.sensors[sensor].pattern.cycle_of(pulse))
    };
    let mut next_row = vec![0; of_sensor.len()];
    let mut next_stretch = vec![0; of_sensor.len()];
    let mut cycles: Vec<_> = (0..of_sensor.len()).map(|sensor| cycle_at(sensor, 0)).collect();
    loop {
        let waiting = cycles.iter().enumerate().filter_map(|(sensor, c)| Some((sensor, (*c)?)));
        let first = waiting.min_by(|(_, a), (_, b)| a.start_s.total_cmp(&b.start_s));
        let Some((sensor, cycle)) = first else { return };
        let rows = &of_sensor[sensor];
        let row = &mut next_row[sensor];
        while let Some(record) = rows.get(*row).filter(|record| record.pulse < cycle.end) {
            merged.push(record);
            *row += 1;
        }
        let stretch = &mut next_stretch[sensor];
        while rows.waveforms.pulse.get(*stretch).is_some_and(|pulse| *pulse < cycle.end) {
            merged.waveforms.push_from(&rows.waveforms, *stretch);
            *stretch += 1;
        }
        cycles[sensor] = cycle_at(sensor, *row);
    }
}
