//! Letters of all scripts: which ones are upper and lower case of each other, and which are written without blanks.
//!
//! In: characters. Out: their other cases by Unicode's simple case folding; whether words in their script are separated.
//! Holds: the table of scripts, made on first use. Limits: what ASCII's letters fold to (`ſ` and the sign for kelvin) stays
//! apart from them, and so do letters that become two (`ß` and `SS`).

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};
use std::sync::LazyLock;

/// Letters, marks and digits of scripts that put no blanks between words, and the marks that they share.
const UNSPACED: &str = r"[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]&&[\p{L}\p{M}\p{N}]&&[^\x00-\x7f]]";

static UNSPACED_RANGES: LazyLock<Vec<ClassUnicodeRange>> =
    LazyLock::new(|| match regex_syntax::parse(UNSPACED).map(|hir| hir.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => class.ranges().to_vec(),
        _ => Vec::new(),
    });

/// Returns a character outside of ASCII in all its cases, itself among them, in order; of ASCII, only itself.
pub(super) fn cases(c: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    if c.is_ascii() || class.try_case_fold_simple().is_err() {
        return vec![c];
    }
    class.iter().flat_map(|range| range.start()..=range.end()).filter(|c| !c.is_ascii()).collect()
}

/// Returns true for letters and digits of scripts such as Chinese, Japanese and Thai, whose words follow each other
/// without a blank.
pub(super) fn is_unspaced(c: char) -> bool {
    let ranges = UNSPACED_RANGES.as_slice();
    let behind = ranges.partition_point(|range| range.start() <= c);
    !c.is_ascii() && behind.checked_sub(1).is_some_and(|at| c <= ranges[at].end())
}

#[cfg(test)]
mod tests {
    use super::{cases, is_unspaced};

    #[test]
    fn letters_have_the_cases_of_unicode() {
        let rows = [
            ('ä', "Ää"),
            ('Ä', "Ää"),
            ('ж', "Жж"),
            ('ς', "Σςσ"),
            ('σ', "Σςσ"),
            ('ß', "ßẞ"),
            ('İ', "İ"),
            ('\u{212a}', "\u{212a}"),
            ('ſ', "ſ"),
            ('k', "k"),
            ('漏', "漏"),
            ('。', "。"),
        ];
        for (c, all) in rows {
            assert_eq!(cases(c).into_iter().collect::<String>(), all, "{c}");
        }
    }

    #[test]
    fn scripts_without_blanks() {
        for c in "漏洞々カタカナーひらがなไทย่ລາວខ្មែรမြန်မာ".chars()
        {
            assert!(is_unspaced(c), "{c}");
        }
        for c in "aZ0äжΩ한국어עברית،。、「　，-_.".chars() {
            assert!(!is_unspaced(c), "{c}");
        }
    }
}
