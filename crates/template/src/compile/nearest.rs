//! The known name nearest to a wrong one, for error messages.
//!
//! In: a name and the known ones. Out: one of them, when it is near. Limits: at most one typing error per three
//! letters.

/// Returns the known name with the fewest changes; `None` when all are far.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.len() / 3).max(1);
    known
        .map(|other| (distance(name.as_bytes(), other.as_bytes()), other))
        .filter(|(far, _)| *far <= limit)
        .min()
        .map(|(_, other)| other)
}

fn distance(left: &[u8], right: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let changed = diagonal + usize::from(!a.eq_ignore_ascii_case(b));
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests;
