//! The part of the world that is compared: limits of the points, and limits of the beams.

use crate::CompareError;

/// What a comparison looks at. Limits of beams (azimuth, elevation) leave pulses out altogether.
/// Limits of points (box, range) choose the orientations: those in which the real recording has at
/// least one return within them. All pulses of these orientations count; returns elsewhere, before
/// or behind the region, share one bin of their orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Region {
    /// Lowest and highest x, y and z in the world.
    pub box_m: Option<[[f64; 2]; 3]>,
    /// Nearest and farthest range.
    pub range_m: Option<[f64; 2]>,
    /// From the first counter-clockwise to the second, −180…180; it may pass 180.
    pub azimuth_deg: Option<[f64; 2]>,
    /// Lowest and highest.
    pub elevation_deg: Option<[f64; 2]>,
}

impl Region {
    /// Refuses limits that leave nothing.
    pub fn check(&self) -> Result<(), CompareError> {
        let rising = [("range", self.range_m), ("elevation", self.elevation_deg)];
        let axes = self.box_m.map_or([None; 3], |limits| limits.map(Some));
        let boxed = ["box in x", "box in y", "box in z"].into_iter().zip(axes);
        for (name, limits) in rising.into_iter().chain(boxed) {
            if let Some([low, high]) = limits
                && (low.is_nan() || high.is_nan() || low >= high)
            {
                return Err(CompareError::EmptyRegion { name, low, high });
            }
        }
        match self.azimuth_deg {
            Some([low, high]) if !(low.is_finite() && high.is_finite()) || low == high => {
                Err(CompareError::EmptyRegion { name: "azimuth", low, high })
            }
            _ => Ok(()),
        }
    }

    /// Whether it has limits of points.
    pub(super) fn limits_points(&self) -> bool {
        self.box_m.is_some() || self.range_m.is_some()
    }

    /// Whether it has limits of beams.
    pub(super) fn limits_beams(&self) -> bool {
        self.azimuth_deg.is_some() || self.elevation_deg.is_some()
    }

    /// Whether a return lies in it.
    pub(super) fn has_point(&self, range_m: f32, at_m: [f64; 3]) -> bool {
        let within = |value: f64, [low, high]: [f64; 2]| value >= low && value <= high;
        self.range_m.is_none_or(|limits| within(f64::from(range_m), limits))
            && self.box_m.is_none_or(|limits| {
                at_m.into_iter().zip(limits).all(|(value, limits)| within(value, limits))
            })
    }

    /// Whether a beam of this direction is compared.
    pub(super) fn has_beam(&self, azimuth_deg: f32, elevation_deg: f32) -> bool {
        let [azimuth, elevation] = [azimuth_deg, elevation_deg].map(f64::from);
        self.azimuth_deg.is_none_or(|[from, to]| {
            let turn = |deg: f64| (deg - from).rem_euclid(360.0);
            turn(azimuth) <= turn(to)
        }) && self.elevation_deg.is_none_or(|[low, high]| elevation >= low && elevation <= high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn azimuths_may_pass_180_degrees() {
        let region = Region { azimuth_deg: Some([170.0, -170.0]), ..Region::default() };
        assert!(region.has_beam(175.0, 0.0) && region.has_beam(-175.0, 0.0));
        assert!(!region.has_beam(160.0, 0.0) && !region.has_beam(0.0, 0.0));
        let region = Region { azimuth_deg: Some([-10.0, 10.0]), ..Region::default() };
        assert!(region.has_beam(-10.0, 0.0) && region.has_beam(10.0, 0.0));
        assert!(!region.has_beam(11.0, 0.0) && !region.has_beam(f32::NAN, 0.0));
    }

    #[test]
    fn limits_that_leave_nothing_are_refused() {
        let region = Region { range_m: Some([5.0, 4.0]), ..Region::default() };
        assert!(region.check().unwrap_err().to_string().contains("range"));
        let region =
            Region { box_m: Some([[0.0, 1.0], [0.0, f64::NAN], [0.0, 1.0]]), ..Region::default() };
        assert!(region.check().unwrap_err().to_string().contains("box in y"));
        assert!(Region::default().check().is_ok());
    }
}
