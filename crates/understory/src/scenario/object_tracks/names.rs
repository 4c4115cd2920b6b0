//! Names with `*` for anything and `?` for one character.

/// Whether `name` is one of those that `pattern` stands for.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // Where the last star stood, and how much of the name it took.
    let (mut at, mut star, mut taken) = (0, None, 0);
    let mut place = 0;
    while place < name.len() {
        match pattern.get(at) {
            Some('*') => {
                (star, taken) = (Some(at), place);
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[place] => {
                at += 1;
                place += 1;
            }
            _ => match star {
                Some(before) => {
                    taken += 1;
                    (at, place) = (before + 1, taken);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name) in [
            ("*", ""),
            ("car*", "car#1"),
            ("*car", "red car"),
            ("c?r", "car"),
            ("*a*b*", "xxaxbxx"),
            ("a*a", "aXaYa"),
            ("Ä?", "Äö"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("car", "cars"), ("c?r", "cr"), ("", "a"), ("*b", "ba"), ("a*a", "a")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
