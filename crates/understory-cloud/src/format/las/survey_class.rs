//! Classes of points as surveyors number them (LAS 1.4 R15, table 17).
//!
//! What enters: semantic labels, and where the ground is. What leaves: 2 for ground, 3 to 5 for
//! vegetation by its height, 6 for buildings, 11 for roads, 18 for echoes of the air, 1 for all
//! else.

use crate::labels::{SurveyClass, survey_class};
use crate::{LasClasses, Survey};

/// Below this height vegetation is low, above it medium.
const LOW_M: f64 = 0.5;
/// Above this height it is high.
const HIGH_M: f64 = 2.0;

impl LasClasses {
    /// The class of a point with this label at `xyz_m`. Vegetation above unknown ground is high.
    pub(super) fn class(self, label: u16, xyz_m: [f64; 3], survey: Option<&dyn Survey>) -> u8 {
        if self == LasClasses::Labels {
            return u8::try_from(label).unwrap_or(1);
        }
        let [x, y, z] = xyz_m;
        match survey_class(label) {
            SurveyClass::Is(class) => class,
            SurveyClass::Vegetation => match survey.and_then(|survey| survey.ground_m(x, y)) {
                Some(ground) if z - ground < LOW_M => 3,
                Some(ground) if z - ground <= HIGH_M => 4,
                _ => 5,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Slope;

    impl Survey for Slope {
        fn ground_m(&self, x_m: f64, _: f64) -> Option<f64> {
            (x_m >= 0.0).then_some(x_m)
        }

        fn heading_rad(&self, _: f64) -> f64 {
            0.0
        }

        fn flight_line(&self, _: f64) -> Option<u16> {
            None
        }

        fn overlaps(&self, _: u16, _: [f64; 3]) -> bool {
            false
        }
    }

    #[test]
    fn vegetation_is_told_apart_by_its_height_above_the_ground() {
        let class = |label, xyz| LasClasses::FromLabels.class(label, xyz, Some(&Slope));
        assert_eq!(class(70, [10.0, 0.0, 10.2]), 3);
        assert_eq!(class(70, [10.0, 0.0, 11.0]), 4);
        assert_eq!(class(71, [10.0, 0.0, 13.0]), 5);
        assert_eq!(class(70, [-1.0, 0.0, 0.0]), 5);
        // On both sides of half a metre and of two.
        let by_height =
            [0.49, 0.51, 1.99, 2.01].map(|height| class(70, [10.0, 0.0, 10.0 + height]));
        assert_eq!(by_height, [3, 4, 4, 5]);
        let others = [72, 40, 50, 10, 1, 0, 259, 60_000];
        let classes = others.map(|label| class(label, [0.0; 3]));
        assert_eq!(classes, [2, 11, 6, 1, 18, 1, 1, 1]);
        assert_eq!(LasClasses::Labels.class(9, [0.0; 3], None), 9);
        assert_eq!(LasClasses::Labels.class(256, [0.0; 3], None), 1);
    }
}
