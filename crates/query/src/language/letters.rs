//! Letters of all scripts that are upper and lower case of each other.
//!
//! In: characters. Out: their other cases by Unicode's simple case folding. Holds nothing. Limits: what ASCII's letters
//! fold to (`ſ` and the sign for kelvin) stays apart from them, and so do letters that become two (`ß` and `SS`).

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// Returns a character outside of ASCII in all its cases, itself among them, in order; of ASCII, only itself.
pub(super) fn cases(c: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    if c.is_ascii() || class.try_case_fold_simple().is_err() {
        return vec![c];
    }
    class.iter().flat_map(|range| range.start()..=range.end()).filter(|c| !c.is_ascii()).collect()
}

#[cfg(test)]
mod tests {
    use super::cases;

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
}
