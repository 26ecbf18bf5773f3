//! A function fits a screen.
//!
//! In: Rust files as `cargo fmt` leaves them. Out: a finding for a function above [`LINES_MAX`] lines.
//! Limits: it counts lines between `fn` and the closing brace of the same indentation; tables are exempt.

use super::source::Source;

/// Most lines of a function, its signature included.
const LINES_MAX: usize = 70;

/// Findings of all functions outside tests.
pub(crate) fn check(sources: &[&Source]) -> Vec<String> {
    let tested = |source: &&&Source| {
        let path = source.path.to_string_lossy();
        !path.ends_with("tests.rs") && !path.contains("/tests/") && !path.contains("/examples/")
    };
    sources.iter().filter(tested).flat_map(|source| findings(source)).collect()
}

fn findings(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut findings = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = line.len() - line.trim_start().len();
        let end = lines[start..].iter().position(|line| {
            line.len() - line.trim_start().len() == indent
                && (line.trim() == "}" || line.trim_end().ends_with(" }"))
        });
        let length = end.map_or(1, |end| end + 1);
        let one_line = line.trim_end().ends_with('}') || line.trim_end().ends_with(';');
        if !one_line && length > LINES_MAX {
            let path = source.path.display();
            findings.push(format!("{path}:{}: fn {name} has {length} lines, at most {LINES_MAX}", start + 1));
        }
    }
    findings
}

/// The name in a line that begins a function.
fn function_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let found = words.by_ref().take(6).any(|word| word == "fn");
    if line.trim_start().starts_with("//") || !found {
        return None;
    }
    words.next().map(|word| word.split(['(', '<']).next().unwrap_or(word))
}

#[cfg(test)]
mod tests {
    //! Rows for the lengths of functions.

    use super::{LINES_MAX, Source, findings};

    #[track_caller]
    fn check(body_lines: usize, want: usize) {
        let text = format!("pub(crate) fn long() {{\n{}}}\n", "    x();\n".repeat(body_lines));
        assert_eq!(findings(&Source { path: "a.rs".into(), text }).len(), want);
    }

    #[test]
    fn counts_lines() {
        check(3, 0);
        check(LINES_MAX - 2, 0);
        check(LINES_MAX - 1, 1);
    }
}
