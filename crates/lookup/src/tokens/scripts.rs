//! Words of texts that are not ASCII.
//!
//! In: text. Out: where its tokens are. Letters, marks and digits of all scripts belong to tokens, and so do bytes that
//! are no UTF-8; other signs and blanks do not. Where a script that puts no blanks between words, such as Chinese, meets
//! another one, a token ends and the next begins. Holds: a table of characters, made on first use, 64 KiB.

use regex_syntax::hir::{Class, ClassUnicode, HirKind};
use std::{ops::Range, sync::LazyLock};

/// The class of what belongs to words: letters and the marks that are put on them, digits, and signs that join.
const IN_WORDS: &str = r"[[\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]--[\u{200b}]]";

/// Letters, marks and digits of scripts that put no blanks between words, and the marks that they share.
const UNSPACED: &str = r"[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]&&[\p{L}\p{M}\p{N}]]";

/// The part that a character has in tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Outside,
    /// A sign that belongs to a token between two letters: `.` and `-`.
    Joins,
    Letter,
    /// A letter of a script without blanks between words.
    Unspaced,
}

/// The kinds of the characters up to U+FFFF, and the classes for those above.
struct Table {
    kinds: Vec<Kind>,
    in_words: ClassUnicode,
    unspaced: ClassUnicode,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let (in_words, unspaced) = (class(IN_WORDS), class(UNSPACED));
    let mut kinds = vec![Kind::Outside; 0x1_0000];
    for (class, kind) in [(&in_words, Kind::Letter), (&unspaced, Kind::Unspaced)] {
        for range in class.iter() {
            let end = (range.end() as usize + 1).min(kinds.len());
            kinds[(range.start() as usize).min(end)..end].fill(kind);
        }
    }
    Table { kinds, in_words, unspaced }
});

fn class(text: &str) -> ClassUnicode {
    match regex_syntax::parse(text).map(|hir| hir.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        _ => ClassUnicode::empty(),
    }
}

fn kind(c: char) -> Kind {
    if c.is_ascii() {
        return match c {
            '.' | '-' => Kind::Joins,
            c if c.is_ascii_alphanumeric() || c == '_' => Kind::Letter,
            _ => Kind::Outside,
        };
    }
    let table = &*TABLE;
    let has = |class: &ClassUnicode| {
        let behind = class.ranges().partition_point(|range| range.start() <= c);
        behind.checked_sub(1).is_some_and(|at| c <= class.ranges()[at].end())
    };
    match table.kinds.get(c as usize) {
        Some(kind) => *kind,
        None if has(&table.unspaced) => Kind::Unspaced,
        None if has(&table.in_words) => Kind::Letter,
        None => Kind::Outside,
    }
}

/// Returns true for letters and digits of scripts such as Chinese, Japanese and Thai, whose words follow each other
/// without a blank.
pub fn is_unspaced(c: char) -> bool {
    kind(c) == Kind::Unspaced
}

/// Calls `visit` with each token of a text, in order.
pub fn each(text: &[u8], visit: &mut dyn FnMut(Range<usize>)) {
    let mut run = Run { open: None, visit };
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let end = at + c.len_utf8();
            run.add(at..end, kind(c));
            at = end;
        }
        let end = at + chunk.invalid().len();
        if end > at {
            run.add(at..end, Kind::Letter);
        }
        at = end;
    }
    run.close();
}

/// The token that is being read.
struct Run<'a> {
    /// Its place so far, and whether its letters are those of a script without blanks.
    open: Option<(Range<usize>, bool)>,
    visit: &'a mut dyn FnMut(Range<usize>),
}

impl Run<'_> {
    fn add(&mut self, place: Range<usize>, kind: Kind) {
        let is_unspaced = match kind {
            Kind::Outside => return self.close(),
            // A token of letters may continue behind it; it ends with its last letter.
            Kind::Joins if matches!(self.open, Some((_, false))) => return,
            Kind::Joins => return self.close(),
            kind => kind == Kind::Unspaced,
        };
        match &mut self.open {
            Some((range, known)) if *known == is_unspaced => range.end = place.end,
            _ => {
                self.close();
                self.open = Some((place, is_unspaced));
            }
        }
    }

    fn close(&mut self) {
        if let Some((range, _)) = self.open.take() {
            (self.visit)(range);
        }
    }
}
