//! Rows of stapled answers. The files were made with `openssl ca` and `openssl ocsp` for this test only; the
//! answers never expire.

use super::*;
use rustls::pki_types::pem::PemObject;

const CA: &[u8] = include_bytes!("../../../testdata/ocsp/ca.pem");
const GOOD: &[u8] = include_bytes!("../../../testdata/ocsp/good.pem");
const REVOKED: &[u8] = include_bytes!("../../../testdata/ocsp/revoked.pem");
const GOOD_ANSWER: &[u8] = include_bytes!("../../../testdata/ocsp/good.ocsp");
const REVOKED_ANSWER: &[u8] = include_bytes!("../../../testdata/ocsp/revoked.ocsp");
/// About the good certificate, signed by someone else.
const FOREIGN_ANSWER: &[u8] = include_bytes!("../../../testdata/ocsp/foreign.ocsp");

fn certificate(pem: &[u8]) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem).unwrap()
}

#[track_caller]
fn check_answer(leaf: &[u8], trusted: &[&[u8]], answer: &[u8], want: Result<(), Stapled>) {
    let trusted: Vec<_> = trusted.iter().map(|pem| certificate(pem)).collect();
    assert_eq!(check(&certificate(leaf), &[], &trusted, answer), want);
}

#[test]
fn answers_of_the_ca_count() {
    let bad = |text| Err(Stapled::Bad(text));
    check_answer(GOOD, &[CA], GOOD_ANSWER, Ok(()));
    check_answer(REVOKED, &[CA], REVOKED_ANSWER, Err(Stapled::Revoked));
    let none = "the peer shows no OCSP answer, and ocsp-stapling-verify() wants one";
    check_answer(GOOD, &[CA], b"", bad(none));
    let unreadable = "the OCSP answer that the peer shows cannot be read";
    check_answer(GOOD, &[CA], b"hello", bad(unreadable));
    check_answer(GOOD, &[CA], &GOOD_ANSWER[..200], bad(unreadable));
    // The form of a refusal: `unauthorized`.
    check_answer(
        GOOD,
        &[CA],
        &[0x30, 3, 0x0a, 1, 6],
        bad("the OCSP answer that the peer shows is a refusal of its CA"),
    );
    let other = "the OCSP answer that the peer shows is about another certificate";
    check_answer(GOOD, &[CA], REVOKED_ANSWER, bad(other));
    let unsigned = "the OCSP answer that the peer shows is not signed by its CA";
    check_answer(GOOD, &[CA], FOREIGN_ANSWER, bad(unsigned));
    check_answer(GOOD, &[GOOD], GOOD_ANSWER, bad(unsigned));
    let mut changed = GOOD_ANSWER.to_vec();
    let place = changed.windows(20).position(|bytes| bytes.starts_with(b"20261121")).unwrap();
    changed[place + 3] = b'5';
    check_answer(GOOD, &[CA], &changed, bad(unsigned));
}

#[test]
fn any_bytes_are_an_answer_or_none() {
    for size in (0..GOOD_ANSWER.len()).step_by(13) {
        let mut changed = GOOD_ANSWER.to_vec();
        changed[size] ^= 0x55;
        let _ = check(&certificate(GOOD), &[], &[certificate(CA)], &changed);
        assert!(check(&certificate(GOOD), &[], &[certificate(CA)], &GOOD_ANSWER[..size]).is_err());
    }
}
