//! The known word that is nearest to a misspelt one.
//!
//! In: a word and the words that exist. Out: the nearest, if it is near enough.
//! Limits: words beyond `WORD_CHARS_MAX` have no neighbours.

/// Longest word compared: the work grows with the square.
const WORD_CHARS_MAX: usize = 64;

/// Returns the nearest of the known words: at most a third of it may differ.
pub(crate) fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let wanted: Vec<char> = word.to_lowercase().chars().collect();
    if wanted.len() > WORD_CHARS_MAX {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let chars: Vec<char> = candidate.to_lowercase().chars().take(WORD_CHARS_MAX).collect();
        let distance = distance(&wanted, &chars);
        let near = distance <= (wanted.len().max(chars.len()) / 3).max(1);
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, word)| word)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let replace = above[column] + usize::from(a != b);
            let mut least = replace.min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b {
                least = least.min(before[column - 1] + 1);
            }
            current.push(least);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    //! Misspelt words.

    use super::nearest;

    #[test]
    fn the_first_of_the_nearest_words_is_taken() {
        let rows: [(&str, &[&str], Option<&str>); 7] = [
            ("porr", &["port", "pore"], Some("port")),
            ("pore", &["port", "core"], Some("port")),
            ("tempalte", &["template", "tls"], Some("template")),
            ("TEMPLATE", &["template"], Some("template")),
            ("x", &["y"], Some("y")),
            ("xy", &["ab"], None),
            ("template", &["port", "host"], None),
        ];
        for (word, known, want) in rows {
            assert_eq!(nearest(word, known.iter().copied()), want, "{word}");
        }
        let long = "x".repeat(65);
        assert_eq!(nearest(&long, [long.as_str()].into_iter()), None);
    }
}
