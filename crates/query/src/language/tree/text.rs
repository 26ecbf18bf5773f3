//! Text that may hold wildcards, and the escaping of both.
//!
//! In: characters, each plain or a wildcard. Out: the text, printed with the escapes that reading needs.
//! Limits: none of its own.

/// A character or a wildcard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Glyph {
    /// A literal character.
    Plain(char),
    /// `*`: any run of characters, also an empty one.
    Run,
    /// `?`: any one character.
    One,
}

/// Text with wildcards.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    /// Its characters.
    pub glyphs: Vec<Glyph>,
}

/// Characters that need a backslash to be literal within a term.
const SPECIAL: &str = "+-&|!(){}[]^\"~*?:\\/<>=";

impl Text {
    /// Text without wildcards.
    pub fn plain(text: &str) -> Text {
        Text { glyphs: text.chars().map(Glyph::Plain).collect() }
    }

    /// The text, when it holds no wildcard.
    pub fn as_plain(&self) -> Option<String> {
        let plain = self.glyphs.iter().map(|glyph| match glyph {
            Glyph::Plain(c) => Some(*c),
            Glyph::Run | Glyph::One => None,
        });
        plain.collect()
    }

    /// Returns true if this is a lone `*`.
    pub fn is_star(&self) -> bool {
        !self.glyphs.is_empty() && self.glyphs.iter().all(|glyph| *glyph == Glyph::Run)
    }

    /// Returns true if it contains a wildcard.
    pub fn has_wildcard(&self) -> bool {
        self.glyphs.iter().any(|glyph| !matches!(glyph, Glyph::Plain(_)))
    }

    /// Returns the text for a user: wildcards as written, nothing escaped.
    pub fn shown(&self) -> String {
        self.glyphs.iter().map(|glyph| glyph.shown()).collect()
    }

    /// Writes the text in its form outside quotes.
    pub fn print_bare(&self, out: &mut String) {
        let word: String = self.glyphs.iter().map(|glyph| glyph.shown()).collect();
        let reserved = !self.has_wildcard() && matches!(word.as_str(), "AND" | "OR" | "NOT" | "TO");
        for (index, glyph) in self.glyphs.iter().enumerate() {
            if let Glyph::Plain(c) = glyph
                && (SPECIAL.contains(*c) || c.is_whitespace() || (reserved && index == 0))
            {
                out.push('\\');
            }
            out.push(glyph.shown());
        }
    }

    /// Writes the text in its form within quotes.
    pub fn print_quoted(&self, out: &mut String) {
        out.push('"');
        for glyph in &self.glyphs {
            if let Glyph::Plain('"' | '\\' | '*' | '?') = glyph {
                out.push('\\');
            }
            out.push(glyph.shown());
        }
        out.push('"');
    }
}

impl Glyph {
    fn shown(self) -> char {
        match self {
            Glyph::Plain(c) => c,
            Glyph::Run => '*',
            Glyph::One => '?',
        }
    }
}

/// Escapes every character that has a meaning for the parser, for pasting parts of log lines into a query. Blanks
/// stay blanks, and upper-case operators stay operators: quote texts that contain them.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if SPECIAL.contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
