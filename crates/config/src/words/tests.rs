//! Rows for words.

use super::selector;

/// The facilities that a selector takes, each with the number of its least important severity and how many it takes.
#[track_caller]
fn takes(text: &str, want: &[(usize, u8)]) {
    let masks = selector(text).unwrap();
    let taken: Vec<(usize, u8)> = masks
        .iter()
        .enumerate()
        .filter(|(_, mask)| **mask != 0)
        .map(|(number, mask)| (number, *mask))
        .collect();
    assert_eq!(taken, want);
}

#[test]
fn reads_selectors() {
    takes("mail.*", &[(2, 0xff)]);
    takes("mail.info", &[(2, 0x7f)]);
    takes("MAIL.=Info;", &[(2, 0x40)]);
    takes("mail.*;mail.!info", &[(2, 0x80)]);
    takes("mail.*;mail.!=info", &[(2, 0xbf)]);
    takes("kern,user.emerg", &[(0, 1), (1, 1)]);
    takes("kern.*;*.none", &[]);
    takes("mail.none;mail.!none;mail.!*", &[]);
    takes("2.3", &[(2, 0x0f)]);
    takes("security.panic;authpriv.warn", &[(4, 1), (10, 0x1f)]);
    assert_eq!(selector("*.*").unwrap(), [0xff; 24]);
}

#[test]
fn names_the_wrong_word() {
    for (text, word) in [
        ("mial.info", "mial"),
        ("mail", "mail"),
        ("mail.infos", "infos"),
        ("", ""),
        ("24.*", "24"),
        (";", ";"),
    ] {
        assert_eq!(selector(text).unwrap_err().word, word);
    }
}
