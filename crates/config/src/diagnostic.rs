//! A fault of a configuration, its position, and a correction.
//!
//! In: findings of the lexer, the parser and the check. Out: a [`Report`] in the order found.
//! Limits: `DIAGNOSTICS_MAX` are stored, the rest are counted.

use crate::limits::DIAGNOSTICS_MAX;
use crate::text::Span;

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// It can be used; something in it is old, has no effect, or is probably a mistake.
    Warning,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// The fault: a lowercase fragment that names the thing.
    pub message: String,
    /// The exact words it is about.
    pub span: Span,
    /// Text shown beside the caret; may be empty.
    pub label: String,
    /// The values that would be accepted, or advice.
    pub help: Option<String>,
    /// A second position that belongs to the finding, with a text.
    pub related: Option<(Span, String)>,
    /// True when it concerns a name that this configuration does not define: another file may.
    pub is_unresolved: bool,
    /// True when it concerns a correctly placed word that this program does not know or support.
    pub is_unsupported: bool,
}

impl Diagnostic {
    /// Makes an error at a position.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            help: None,
            related: None,
            is_unresolved: false,
            is_unsupported: false,
        }
    }

    /// Makes a warning at a position.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// Makes a warning about `type(posix)`, which syslog-ng has read as `pcre` since 3.14.
    pub fn posix_pattern(span: Span) -> Self {
        Diagnostic::warning(span, "`posix` is an old type of pattern: it is read as pcre")
            .help("write type(pcre), and look whether the pattern means the same")
    }

    /// Adds the text beside the caret.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds the accepted values, or advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Marks it as about a name that nothing defines.
    pub fn unresolved(mut self) -> Self {
        self.is_unresolved = true;
        self
    }

    /// Marks it as about a word that this program does not know or does not run.
    pub fn unsupported(mut self) -> Self {
        self.is_unsupported = true;
        self
    }

    /// Adds a second position.
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related = Some((span, label.into()));
        self
    }
}

/// All findings about one configuration.
#[derive(Default)]
pub struct Report {
    findings: Vec<Diagnostic>,
    errors: usize,
    beyond: usize,
}

impl Report {
    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        // A driver that becomes several destinations would report the same for each.
        if self.findings.contains(&diagnostic) {
            return;
        }
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        if self.findings.len() < DIAGNOSTICS_MAX {
            self.findings.push(diagnostic);
        } else {
            self.beyond += 1;
        }
    }

    /// Turns errors about undefined names into warnings, for a check of the syntax alone: they stop a start, not the
    /// reading.
    pub fn forgive_unresolved(&mut self) {
        for finding in &mut self.findings {
            if finding.is_unresolved && finding.severity == Severity::Error {
                finding.severity = Severity::Warning;
                self.errors -= 1;
            }
        }
    }

    /// Adds the findings of another report; its errors become warnings, because the faulty parts are left out.
    pub fn extend_forgiven(&mut self, other: &Report) {
        for finding in &other.findings {
            let known =
                self.findings.iter().any(|one| one.span == finding.span && one.message == finding.message);
            if !known {
                self.push(Diagnostic { severity: Severity::Warning, ..finding.clone() });
            }
        }
    }

    /// Returns true when the configuration can be used: there are no errors.
    pub fn is_usable(&self) -> bool {
        self.errors == 0
    }

    /// Returns the number of errors, including those beyond the limit.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Returns the number of findings that were counted and not stored.
    pub fn beyond(&self) -> usize {
        self.beyond
    }

    /// Returns the number of warnings among the stored findings.
    pub fn warning_count(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Warning).count()
    }

    /// Returns the findings, in the order in which they were found.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Returns the errors among them.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }
}
