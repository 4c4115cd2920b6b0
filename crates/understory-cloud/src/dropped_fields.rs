//! What records have and a format cannot hold, in words.
//!
//! What enters: the parts that a format leaves out, and every batch that passes through its writer.
//! What leaves: those parts of which the records had something. A part is only looked for until it
//! is found.

use crate::Records;

/// Something that records can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DroppedField {
    /// More than one return of a pulse.
    ReturnNumbers,
    /// Times of single pulses, of a format that has one for each scan.
    TimesWithinScan,
    Intensity,
    PulseNumbers,
    Sensors,
    Channels,
    Scans,
    Columns,
    /// Where each beam began.
    Origins,
    Labels,
    Objects,
    /// What was true rather than measured.
    Truth,
    Photons,
    /// Red, green and blue.
    Colours,
}

/// The words for [`DroppedField::PulseNumbers`]: readers number pulses of recordings that do not.
pub(crate) const PULSE_NUMBERS: &str = "pulse numbers";

impl DroppedField {
    fn words(self) -> &'static str {
        match self {
            DroppedField::ReturnNumbers => "return numbers",
            DroppedField::TimesWithinScan => "times within a scan",
            DroppedField::Intensity => "intensities",
            DroppedField::PulseNumbers => PULSE_NUMBERS,
            DroppedField::Sensors => "sensor numbers",
            DroppedField::Channels => "channels",
            DroppedField::Scans => "scan numbers",
            DroppedField::Columns => "columns of scans",
            DroppedField::Origins => "origins of single beams",
            DroppedField::Labels => "labels",
            DroppedField::Objects => "objects",
            DroppedField::Truth => "the truth",
            DroppedField::Photons => "photon counts",
            DroppedField::Colours => "colours",
        }
    }

    fn is_in(self, records: &Records) -> bool {
        let r = records;
        match self {
            DroppedField::ReturnNumbers => r.return_count.iter().any(|&n| n > 1),
            DroppedField::TimesWithinScan => r.time_s.iter().any(|t| t.is_finite()),
            DroppedField::Intensity => r.intensity.iter().any(|i| i.is_finite()),
            DroppedField::PulseNumbers => r.pulse.iter().any(|&n| n > 0),
            DroppedField::Sensors => r.sensor.iter().any(|&n| n > 0),
            DroppedField::Channels => r.channel.iter().any(|&n| n > 0),
            DroppedField::Scans => r.scan.iter().any(|&n| n > 0),
            DroppedField::Columns => r.column.iter().any(|&n| n > 0),
            DroppedField::Origins => r.origin_xyz_m.iter().any(|o| o[0].is_finite()),
            DroppedField::Labels => r.label.iter().any(|&n| n > 0),
            DroppedField::Objects => r.object.iter().any(|&n| n > 0),
            DroppedField::Truth => r.true_range_m.iter().any(|t| t.is_finite()),
            DroppedField::Photons => r.signal_photons.iter().any(|p| p.is_finite()),
            DroppedField::Colours => r.colour_rgb.iter().any(|rgb| *rgb != [0; 3]),
        }
    }
}

/// The parts that a format leaves out, and which of them the records had.
#[derive(Clone, Debug, Default)]
pub(crate) struct DroppedFields {
    waiting: Vec<DroppedField>,
    found: Vec<DroppedField>,
    bright: u64,
}

impl DroppedFields {
    /// For a format that leaves out `parts`.
    pub(crate) fn new(parts: &[DroppedField]) -> DroppedFields {
        DroppedFields { waiting: parts.to_vec(), ..DroppedFields::default() }
    }

    /// Looks at a batch.
    pub(crate) fn look(&mut self, records: &Records) {
        if !self.waiting.is_empty() {
            let found = &mut self.found;
            self.waiting.retain(|part| {
                let is_in = part.is_in(records);
                if is_in {
                    found.push(*part);
                }
                !is_in
            });
        }
    }

    /// Notes a part that the writer found by itself.
    pub(crate) fn note(&mut self, part: DroppedField) {
        if !self.found.contains(&part) {
            self.found.push(part);
        }
    }

    /// Counts returns brighter than a white target, for a format that cuts them.
    pub(crate) fn count_bright(&mut self, records: &Records) {
        self.bright += records.intensity.iter().filter(|&&i| i > 1.0).count() as u64;
    }

    /// The words for a report, in an order that does not depend on the rows.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut found = self.found.clone();
        found.sort_by_key(|part| *part as u8);
        let mut words: Vec<String> =
            found.into_iter().map(|part| part.words().to_owned()).collect();
        if self.bright > 0 {
            words.push(format!("intensity above 1 of {} returns, cut to 1", self.bright));
        }
        words
    }
}
