//! Passwords that are allowed, and the faults of others.

use super::*;
use proptest::prelude::*;

const EVA: PasswordContext<'_> =
    PasswordContext { user: "eva.holm", host: "loghost7.example.com", chars_min: PASSWORD_CHARS_MIN };
const WITH_FACTOR: PasswordContext<'_> = PasswordContext { chars_min: PASSWORD_CHARS_MIN_WITH_FACTOR, ..EVA };

#[track_caller]
fn refused(context: PasswordContext<'_>, password: &str) -> PasswordFault {
    match check(password, context) {
        Ok(_) => panic!("{password:?} is allowed"),
        Err(fault) => fault,
    }
}

#[test]
fn length_is_all_that_is_asked_of_what_nobody_guesses() {
    for password in [
        "a long password",
        "five  blanks     between",
        "correct horse battery staple",
        "eva.holm drinks tea on loghost7",
        "\u{1f332}\u{1f333}\u{1f334}\u{1f335}\u{1f332}\u{1f335}\u{1f333} wood and bark",
        "739184620573916",
        "xK3?xK3?9z\u{e9}\u{df}pqlm",
        &"ab cdefghi jklmn op qrs tu vwxyz 0123 ".repeat(2),
    ] {
        assert_eq!(check(password, EVA).as_deref(), Ok(password));
    }
    assert!(check("x7 Grove", WITH_FACTOR).is_ok());
    assert_eq!(refused(WITH_FACTOR, "x7 Grov"), PasswordFault::TooShort { chars: 7, chars_min: 8 });
    assert_eq!(refused(EVA, "x7 Grove, a lo"), PasswordFault::TooShort { chars: 14, chars_min: 15 });
}

#[test]
fn characters_are_counted_not_bytes() {
    let trees = "\u{1f332}\u{1f333}\u{1f334}\u{1f335}\u{1f384}".repeat(2);
    assert_eq!(refused(EVA, &trees), PasswordFault::TooShort { chars: 10, chars_min: 15 });
    // One character in NFC, two as it is typed.
    let decomposed = "e\u{301}".repeat(14);
    assert_eq!(refused(EVA, &decomposed), PasswordFault::TooShort { chars: 14, chars_min: 15 });
    let long: String = ('a'..='z').cycle().zip('0'..='9').map(|(a, b)| format!("{a}{b}-")).collect();
    assert!(check(&long.repeat(2)[..50], EVA).is_ok());
    assert_eq!(refused(EVA, &"pine and oak, ".repeat(80)), PasswordFault::TooLong);
}

#[test]
fn common_passwords_are_refused_also_with_digits_around_them() {
    for password in [
        "password",
        "Password",
        "SUNSHINE!",
        "iloveyou2",
        "12345678",
        "!!football!!",
        "123password456",
        "sunshinesunshine",
    ] {
        assert_eq!(refused(WITH_FACTOR, password), PasswordFault::Common, "{password}");
    }
    for password in ["password1234567", "1234567890qwerty", "Manchester United".replace(' ', "").as_str()] {
        assert_eq!(refused(EVA, password), PasswordFault::Common, "{password}");
    }
}

#[test]
fn names_and_words_of_the_product_alone_are_refused() {
    for password in [
        "Eva.Holm 2026 Duramen",
        "duramen-duramen-2026",
        "loghost7.example.com",
        "holm@loghost7.example.com!",
        "syslog server admin",
        "the password is secret",
        "admin.admin.admin.1",
    ] {
        assert_eq!(refused(EVA, password), PasswordFault::Guessable, "{password}");
    }
    assert!(check("loghost7.example.org/", EVA).is_ok(), "another word is in it");
}

#[test]
fn repetitions_and_rows_are_refused() {
    for password in [
        "xxxxxxxxxxxxxxx",
        "ab12ab12ab12ab12a",
        "- - - - - - - - - -",
        "abcdefghijklmnopq",
        "zyxwvutsrqponmlk",
        "12345678901234567",
        "09876543210987654",
        "asdf ghjkl zxcv bnm",
        "qwertz uiop asdf gh",
    ] {
        let fault = refused(EVA, password);
        assert!(matches!(fault, PasswordFault::Pattern | PasswordFault::Common), "{password}: {fault:?}");
    }
}

#[test]
fn faults_say_what_to_do() {
    let rows = [
        (
            PasswordFault::TooShort { chars: 9, chars_min: 15 },
            "at least 15 characters, and this one has 9: some words",
        ),
        (PasswordFault::TooLong, "at most 1024 bytes: choose a shorter"),
        (PasswordFault::Common, "choose another"),
        (PasswordFault::Guessable, "add words that nobody guesses"),
        (PasswordFault::Pattern, "choose another"),
    ];
    for (fault, want) in rows {
        assert!(fault.to_string().contains(want), "{fault}");
    }
}

proptest! {
    #[test]
    fn what_is_allowed_is_normalised_once_and_for_all(password in "\\PC{0,60}", user in "[a-z.]{0,10}") {
        let context = PasswordContext { user: &user, host: "", chars_min: 8 };
        if let Ok(form) = check(&password, context) {
            let again = check(&form, context);
            prop_assert_eq!(again.as_deref(), Ok(&*form));
        }
    }
}
