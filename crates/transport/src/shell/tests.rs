//! Running commands.

use super::*;

#[test]
fn runs_a_line_with_or_without_variables() {
    // Cargo sets this variable for tests.
    let line = "echo \"$((1 + 1)) ${CARGO_MANIFEST_DIR:-none}\"";
    let said = |environment| {
        let output = command(line, environment).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(said(Environment::Empty), "2 none\n");
    assert_eq!(said(Environment::Inherited), format!("2 {}\n", env!("CARGO_MANIFEST_DIR")));
}
