//! Semantic classes: the names and numbers of SemanticKITTI's `semantic-kitti.yaml`, and what each
//! of them is to a surveyor, whose classes are those of the ASPRS (LAS 1.4 R15, table 17).

/// What a class is in the list of the ASPRS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SurveyClass {
    /// This number.
    Is(u8),
    /// Low, medium or high vegetation, by its height above the ground.
    Vegetation,
}

/// Neither ground nor plant nor building.
const UNCLASSIFIED: SurveyClass = SurveyClass::Is(1);
const GROUND: SurveyClass = SurveyClass::Is(2);
const BUILDING: SurveyClass = SurveyClass::Is(6);
const ROAD: SurveyClass = SurveyClass::Is(11);
/// Echoes of rain, dust and fog.
const NOISE: SurveyClass = SurveyClass::Is(18);

/// Name, number and surveyor's class of each class.
const LABELS: [(&str, u16, SurveyClass); 34] = [
    ("unlabeled", 0, UNCLASSIFIED),
    ("outlier", 1, NOISE),
    ("car", 10, UNCLASSIFIED),
    ("bicycle", 11, UNCLASSIFIED),
    ("bus", 13, UNCLASSIFIED),
    ("motorcycle", 15, UNCLASSIFIED),
    ("on-rails", 16, UNCLASSIFIED),
    ("truck", 18, UNCLASSIFIED),
    ("other-vehicle", 20, UNCLASSIFIED),
    ("person", 30, UNCLASSIFIED),
    ("bicyclist", 31, UNCLASSIFIED),
    ("motorcyclist", 32, UNCLASSIFIED),
    ("road", 40, ROAD),
    ("parking", 44, ROAD),
    ("sidewalk", 48, GROUND),
    ("other-ground", 49, GROUND),
    ("building", 50, BUILDING),
    ("fence", 51, UNCLASSIFIED),
    ("other-structure", 52, UNCLASSIFIED),
    ("lane-marking", 60, ROAD),
    ("vegetation", 70, SurveyClass::Vegetation),
    ("trunk", 71, SurveyClass::Vegetation),
    ("terrain", 72, GROUND),
    ("pole", 80, UNCLASSIFIED),
    ("traffic-sign", 81, UNCLASSIFIED),
    ("other-object", 99, UNCLASSIFIED),
    ("moving-car", 252, UNCLASSIFIED),
    ("moving-bicyclist", 253, UNCLASSIFIED),
    ("moving-person", 254, UNCLASSIFIED),
    ("moving-motorcyclist", 255, UNCLASSIFIED),
    ("moving-on-rails", 256, UNCLASSIFIED),
    ("moving-bus", 257, UNCLASSIFIED),
    ("moving-truck", 258, UNCLASSIFIED),
    ("moving-other-vehicle", 259, UNCLASSIFIED),
];

/// Number of the class called `name`.
pub fn label_number(name: &str) -> Option<u16> {
    LABELS.iter().find(|(known, ..)| *known == name).map(|(_, number, _)| *number)
}

/// Name of the class with this number.
pub fn label_name(number: u16) -> Option<&'static str> {
    LABELS.iter().find(|(_, known, _)| *known == number).map(|(name, ..)| *name)
}

/// Whether things of this class are ground, on which others stand.
pub fn is_ground(number: u16) -> bool {
    matches!(survey_class(number), GROUND | ROAD)
}

/// What the class with this number is to a surveyor.
pub(crate) fn survey_class(number: u16) -> SurveyClass {
    let known = LABELS.binary_search_by_key(&number, |(_, known, _)| *known);
    known.map_or(UNCLASSIFIED, |index| LABELS[index].2)
}

/// All names, by rising number.
pub fn label_names() -> impl Iterator<Item = &'static str> {
    LABELS.iter().map(|(name, ..)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_go_both_ways() {
        assert_eq!(label_number("vegetation"), Some(70));
        assert_eq!(label_name(72), Some("terrain"));
        assert_eq!((label_number("tree"), label_name(2)), (None, None));
        assert!(is_ground(72) && is_ground(40) && !is_ground(70) && !is_ground(9999));
        assert!(LABELS.is_sorted_by_key(|(_, number, _)| *number));
        assert!(label_names().all(|name| label_number(name).and_then(label_name) == Some(name)));
    }
}
