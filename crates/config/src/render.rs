//! Findings as text: file, line, column, the source line, a caret, and the includes and expansions that lead there.
//!
//! In: a report and the texts it points into. Out: text for a terminal or a file.
//! Limits: a source line beyond `LINE_CHARS_MAX` is shown only around the caret.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::text::{Origin, Span, Texts};

/// Longest source line that is shown completely.
const LINE_CHARS_MAX: usize = 400;

/// Most includes and expansions shown for one position; a file that includes itself would fill the screen.
const TRACE_MAX: usize = 8;

impl Report {
    /// Prints all findings, and a last line with their number. Empty when there is nothing to say.
    pub fn render(&self, texts: &Texts, renderer: &Renderer) -> String {
        let mut out = String::new();
        let mut told = BTreeSet::new();
        for finding in self.findings() {
            // A block that is used twice makes the same finding at the same position twice.
            if !told.insert(finding.one_line(texts)) {
                continue;
            }
            out.push_str(&finding.render(texts, renderer));
            out.push('\n');
        }
        if self.beyond() > 0 {
            out.push_str(&format!("... and {} more\n", self.beyond()));
        }
        out
    }

    /// Prints all findings in a terminal's colours.
    pub fn render_styled(&self, texts: &Texts) -> String {
        self.render(texts, &Renderer::styled())
    }

    /// Prints all findings without colours.
    pub fn render_plain(&self, texts: &Texts) -> String {
        self.render(texts, &Renderer::plain())
    }
}

impl Diagnostic {
    /// This finding as text.
    pub fn render(&self, texts: &Texts, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group =
            level.primary_title(printable(&self.message)).element(snippet(texts, self.span, &self.label));
        if let Some((span, label)) = &self.related {
            group = group.element(snippet(texts, *span, label));
        }
        for line in trace(texts, self.span) {
            group = group.element(Level::NOTE.message(line));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(printable(help)));
        }
        let groups: [Group<'_>; 1] = [group];
        renderer.render(&groups) + "\n"
    }

    /// Prints `file:line:column: error: message`, on one line.
    pub fn one_line(&self, texts: &Texts) -> String {
        let place = texts.location(self.span);
        let level = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        format!("{}:{}:{}: {level}: {}", place.name, place.line, place.column, printable(&self.message))
    }
}

/// Returns the source line of a span with the span marked; only the part around it when the line is very long.
fn snippet<'a>(texts: &'a Texts, span: Span, label: &str) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let (number, column, line) = texts.line(span);
    let width = texts.slice(span).lines().next().map_or(0, |words| words.chars().count());
    let (shown, column) = window(line, column - 1);
    let marked = shown.chars().skip(column).take(width.max(1)).map(char::len_utf8).sum::<usize>();
    let start = shown.chars().take(column).map(char::len_utf8).sum::<usize>();
    let mut annotation = AnnotationKind::Primary.span(start..start + marked);
    if !label.is_empty() {
        annotation = annotation.label(printable(label));
    }
    Snippet::source(shown).path(texts.name(span.text).to_string()).line_start(number).annotation(annotation)
}

fn window(line: &str, column: usize) -> (String, usize) {
    if line.chars().count() <= LINE_CHARS_MAX {
        return (line.chars().map(visible).collect(), column);
    }
    let skip = column.saturating_sub(LINE_CHARS_MAX / 2);
    (line.chars().skip(skip).take(LINE_CHARS_MAX).map(visible).collect(), column - skip)
}

/// Replaces control characters from a file, and those that reorder text: they must not reach a terminal.
fn visible(character: char) -> char {
    let reorders = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    if reorders || character.is_control() && character != '\t' { '\u{fffd}' } else { character }
}

fn printable(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// Returns the includes and expansions that lead to a position, the nearest first.
fn trace(texts: &Texts, span: Span) -> Vec<String> {
    let mut lines = Vec::new();
    let mut text = span.text;
    loop {
        let (told, at) = match texts.origin(text) {
            Origin::Root => break,
            Origin::Include(at) => ("included".to_string(), *at),
            Origin::Expansion { what, at } => (format!("in {what}, used"), *at),
        };
        if lines.len() == TRACE_MAX {
            lines.push("... and further out".to_string());
            break;
        }
        let place = texts.location(at);
        lines.push(printable(&format!("{told} at {}:{}:{}", place.name, place.line, place.column)));
        text = at.text;
    }
    lines
}
