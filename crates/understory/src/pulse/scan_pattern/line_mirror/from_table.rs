//! The table `[line_mirror]` of a sensor file, checked.

use understory_files::sensor::{LineMirrorFile, SensorFile};
use understory_files::{List, Spanned, ValueOr};

use super::super::spinning::{COLUMNS_MAX, column_room_s};
use crate::Error;
use crate::pulse::check::Check;
use crate::pulse::scan_pattern::{
    Column, Firing, LAYER_MAX_RAD, LineMirror, LineMirrorSpec, window_columns,
};

impl Check<'_> {
    pub(in crate::pulse::scan_pattern) fn line_mirror(
        &self,
        table: &Spanned<LineMirrorFile>,
        _: &SensorFile,
    ) -> Result<LineMirror, Error> {
        let file = table.get_ref();
        let rotation_hz = self.rotation(
            &file.rotation_hz,
            file.rotation_range_hz.as_ref(),
            file.rotation_choices_hz.as_ref(),
        )?;
        let Some(window) = self.window(&file.azimuth_min_deg, &file.azimuth_max_deg)? else {
            return self.fault(
                &table.span(),
                "a line scanner needs the limits of its line",
                "give azimuth_min_deg and azimuth_max_deg, angles of the mirror",
            );
        };
        let layers_deg = file.layer_deg.get();
        if layers_deg.is_empty() || layers_deg.len() > 1024 {
            return self.fault(
                &file.layer_deg.span(),
                format!("a line scanner cannot have {} layers", layers_deg.len()),
                "give the angle of each layer, straight ahead",
            );
        }
        if let Some(steep) = layers_deg.iter().find(|a| a.to_radians().abs() >= LAYER_MAX_RAD) {
            return self.fault(
                &file.layer_deg.span(),
                format!("a layer at {steep}° would miss the 45° mirror"),
                "use angles between −45° and 45°",
            );
        }
        let (step_deg, at) = self.line_step_deg(table, rotation_hz)?;
        if !(step_deg > 0.0 && step_deg <= 360.0 && 360.0 / step_deg <= COLUMNS_MAX) {
            return self.fault(
                &at,
                format!("the azimuth step of {step_deg}° gives no sensible number of columns"),
                "use a step between 0.00036° and 360°",
            );
        }
        let count = layers_deg.len();
        let firings = self.firings(file.firing_us.as_ref(), count)?;
        let columns = window_columns(window, step_deg, 1, rotation_hz, file.direction, count);
        let (columns, firings) = self.layers_of_columns(file, columns, firings)?;
        let frames = self.frames(1.0 / rotation_hz, columns, firings.len(), &at)?;
        let firing_at = file.firing_us.as_ref().map_or(table.span(), List::span);
        self.firings_within(&firings, column_room_s(&frames), &firing_at)?;
        let spec = LineMirrorSpec {
            rotation_hz,
            direction: file.direction,
            layers_rad: layers_deg.iter().map(|angle| angle.to_radians()).collect(),
            emitter_m: file.emitter_height_mm.value_or(0.0) * 1e-3,
            firings,
            frames,
        };
        match LineMirror::new(spec) {
            Some(mirror) => Ok(mirror),
            None => self.fault(
                &table.span(),
                "the numbers of the line scanner do not fit each other",
                "check layer_deg and rotation_hz",
            ),
        }
    }

    fn line_step_deg(
        &self,
        table: &Spanned<LineMirrorFile>,
        rotation_hz: f64,
    ) -> Result<(f64, std::ops::Range<usize>), Error> {
        match (&table.get_ref().azimuth_step_deg, &table.get_ref().cycle_us) {
            (Some(step), None) => Ok((step.get(), step.span())),
            (None, Some(cycle)) => {
                let cycle_s = cycle.get() / 1e6;
                Ok((360.0 * rotation_hz * cycle_s, cycle.span()))
            }
            _ => self.fault(
                &table.span(),
                "[line_mirror] needs exactly one of azimuth_step_deg and cycle_us",
                "keep the one that says when the layers fire",
            ),
        }
    }

    /// Gives each column the firings of the layers whose own limits hold it, as runs of one list.
    fn layers_of_columns(
        &self,
        file: &LineMirrorFile,
        columns: Vec<Column>,
        firings: Vec<Firing>,
    ) -> Result<(Vec<Column>, Vec<Firing>), Error> {
        let (low, high) = match (&file.layer_azimuth_min_deg, &file.layer_azimuth_max_deg) {
            (None, None) => return Ok((columns, firings)),
            (Some(low), Some(high)) => (
                self.per_channel(low, "layer_azimuth_min_deg", firings.len())?,
                self.per_channel(high, "layer_azimuth_max_deg", firings.len())?,
            ),
            (Some(one), None) | (None, Some(one)) => {
                return self.fault(
                    &one.span(),
                    "the layers have two limits each, but one is given",
                    "give both layer_azimuth_min_deg and layer_azimuth_max_deg",
                );
            }
        };
        let mut runs: Vec<Firing> = Vec::new();
        let mut used: Vec<Column> = Vec::with_capacity(columns.len());
        let mut last: Vec<Firing> = Vec::new();
        for mut column in columns {
            let azimuth_deg = column.azimuth_rad.to_degrees();
            let fires = |firing: &&Firing| {
                let layer = usize::from(firing.channel);
                (low[layer] - 1e-6..=high[layer] + 1e-6).contains(&azimuth_deg)
            };
            let own: Vec<Firing> = firings.iter().filter(fires).copied().collect();
            if own.is_empty() {
                continue;
            }
            if own != last {
                runs.extend(&own);
                last = own;
            }
            column.first_firing = runs.len() - last.len();
            column.firings = last.len();
            used.push(column);
        }
        Ok((used, runs))
    }
}
