//! Semantic classes: the names and numbers of SemanticKITTI's `semantic-kitti.yaml`.

/// Name and number of each class.
const LABELS: [(&str, u16); 34] = [
    ("unlabeled", 0),
    ("outlier", 1),
    ("car", 10),
    ("bicycle", 11),
    ("bus", 13),
    ("motorcycle", 15),
    ("on-rails", 16),
    ("truck", 18),
    ("other-vehicle", 20),
    ("person", 30),
    ("bicyclist", 31),
    ("motorcyclist", 32),
    ("road", 40),
    ("parking", 44),
    ("sidewalk", 48),
    ("other-ground", 49),
    ("building", 50),
    ("fence", 51),
    ("other-structure", 52),
    ("lane-marking", 60),
    ("vegetation", 70),
    ("trunk", 71),
    ("terrain", 72),
    ("pole", 80),
    ("traffic-sign", 81),
    ("other-object", 99),
    ("moving-car", 252),
    ("moving-bicyclist", 253),
    ("moving-person", 254),
    ("moving-motorcyclist", 255),
    ("moving-on-rails", 256),
    ("moving-bus", 257),
    ("moving-truck", 258),
    ("moving-other-vehicle", 259),
];

/// Number of the class called `name`.
pub fn label_number(name: &str) -> Option<u16> {
    LABELS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

/// Name of the class with this number.
pub fn label_name(number: u16) -> Option<&'static str> {
    LABELS.iter().find(|(_, known)| *known == number).map(|(name, _)| *name)
}

/// All names, by rising number.
pub fn label_names() -> impl Iterator<Item = &'static str> {
    LABELS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_go_both_ways() {
        assert_eq!(label_number("vegetation"), Some(70));
        assert_eq!(label_name(72), Some("terrain"));
        assert_eq!((label_number("tree"), label_name(2)), (None, None));
        assert!(LABELS.is_sorted_by_key(|(_, number)| *number));
        assert!(label_names().all(|name| label_number(name).and_then(label_name) == Some(name)));
    }
}
