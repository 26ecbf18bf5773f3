//! Rows for ledgers: every manipulation is found.

use super::*;
use crate::{Chain, PublicKey, SigningKey, testing::record_with_ledger};

/// A ledger of twenty entries, of which ten were named by a record of a logspace and all by the head.
struct Kept {
    _dir: tempfile::TempDir,
    ledger: Ledger,
    key: SigningKey,
    chain: Chain,
}

fn entry(at_us: i64) -> LedgerEntry {
    LedgerEntry { at_us, user: "eva".into(), action: "search", ..LedgerEntry::default() }
}

fn kept() -> Kept {
    let dir = tempfile::tempdir().unwrap();
    let key = SigningKey::load_or_draw(&dir.path().join("sign.key")).unwrap();
    let ledger = Ledger::at(&dir.path().join("searches"));
    assert!(!ledger.exists() && ledger.head().unwrap().is_none());
    (0..10).for_each(|at_us| ledger.append(&entry(at_us)).unwrap());
    assert_eq!(ledger.sign_head(Some(&key), 1).unwrap().len(), 10);
    let chain = Chain::parse(record_with_ledger(&key, ledger.head().unwrap()).print().as_bytes());
    (10..20).for_each(|at_us| ledger.note(&entry(at_us)).unwrap());
    assert_eq!(ledger.sign_head(Some(&key), 2).unwrap().len(), 10);
    Kept { _dir: dir, ledger, key, chain }
}

impl Kept {
    fn audit(&self, keys: &[&PublicKey]) -> LedgerReport {
        let keys = keys.iter().map(|key| (*key).clone()).collect();
        let chains = vec![("main".to_owned(), self.chain.clone())];
        LedgerAudit { keys, chains, known: None }.run(&self.ledger).unwrap()
    }

    fn findings(&self) -> String {
        let report = self.audit(&[self.key.public()]);
        report.findings.into_iter().map(|finding| finding.text).collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn e5_a_whole_ledger_is_signed_and_sealed() {
    let kept = kept();
    let report = kept.audit(&[kept.key.public()]);
    assert_eq!(report.findings, []);
    assert_eq!((report.entries, report.signed, report.sealed), (20, 20, 10));
    assert_eq!(report.signer, kept.key.public().fingerprint());
    // Entries after the head are only chained, and the report says so.
    kept.ledger.append(&entry(21)).unwrap();
    let report = kept.audit(&[kept.key.public()]);
    assert_eq!((report.is_good(), report.entries, report.signed), (true, 21, 20));
}

#[test]
fn e5_every_change_of_a_ledger_shows() {
    type Harm<'a> = &'a dyn Fn(&Kept, &[&str]) -> Vec<String>;
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let rows: [(&str, Harm<'_>); 9] = [
        ("entry 4 does not follow entry 3", &|_, all| {
            let mut all = lines(all);
            all[3] = all[3].replace("eva", "eve");
            all
        }),
        ("entry 6 stands where entry 5 belongs", &|_, all| lines(&[&all[..5], &all[6..]].concat())),
        ("entry 5 stands where entry 4 belongs", &|_, all| {
            let mut all = lines(all);
            all.swap(4, 5);
            all
        }),
        ("entry 4 stands where entry 5 belongs", &|_, all| {
            lines(&[&all[..5], &all[4..5], &all[5..]].concat())
        }),
        ("there are 19 entries, and its signed head names 20", &|_, all| lines(&all[..19])),
        ("there are 7 entries, and record 0 of logspace main names 10", &|_, all| lines(&all[..7])),
        ("entry 19 is not the one that its signed head names", &|_, all| {
            let mut all = lines(all);
            all[19] = all[19].replace("eva", "eve");
            all
        }),
        ("the signed head is missing", &|kept, all| {
            fs::remove_file(kept.ledger.path().with_extension("head")).unwrap();
            lines(all)
        }),
        ("the signature of the head is wrong", &|kept, all| {
            let path = kept.ledger.path().with_extension("head");
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.replace("entries 20", "entries 19")).unwrap();
            lines(all)
        }),
    ];
    for (want, harm) in rows {
        let kept = kept();
        let whole = fs::read_to_string(kept.ledger.path()).unwrap();
        let harmed = harm(&kept, &whole.lines().collect::<Vec<_>>());
        fs::write(kept.ledger.path(), harmed.iter().map(|line| format!("{line}\n")).collect::<String>())
            .unwrap();
        let found = kept.findings();
        assert!(found.contains(want), "{want}: {found}");
    }
    let kept = kept();
    fs::remove_file(kept.ledger.path()).unwrap();
    assert!(kept.findings().contains("the end was cut: there are 0 entries"), "{}", kept.findings());
}

#[test]
fn e5_a_chain_rebuilt_without_the_key_is_detected() {
    let kept = kept();
    fs::remove_file(kept.ledger.path()).unwrap();
    fs::remove_file(kept.ledger.path().with_extension("head")).unwrap();
    (0..20)
        .for_each(|at_us| kept.ledger.append(&LedgerEntry { user: "eve".into(), ..entry(at_us) }).unwrap());
    let stranger = SigningKey::load_or_draw(&kept.ledger.path().with_extension("key")).unwrap();
    kept.ledger.sign_head(Some(&stranger), 3).unwrap();
    let found = kept.findings();
    assert!(found.contains("which is not trusted"), "{found}");
    assert!(found.contains("entry 9 is not the one that record 0 of logspace main names"), "{found}");
    // Nor does a head whose signature was removed pass for one that has none because there is no key.
    fs::remove_file(kept.ledger.path().with_extension("head")).unwrap();
    kept.ledger.sign_head(None, 3).unwrap();
    assert!(kept.findings().contains("the head is not signed"), "{}", kept.findings());
}

#[test]
fn e5_a_changed_ledger_is_not_signed_again() {
    let rows: [fn(&str) -> String; 3] = [
        |whole| whole.lines().take(15).map(|line| format!("{line}\n")).collect(),
        |whole| whole.replacen("\"at_us\":19", "\"at_us\":29", 1),
        |_| String::new(),
    ];
    for harm in rows {
        let kept = kept();
        let whole = fs::read_to_string(kept.ledger.path()).unwrap();
        fs::write(kept.ledger.path(), harm(&whole)).unwrap();
        let signed = kept.ledger.sign_head(Some(&kept.key), 3);
        assert!(matches!(signed, Err(HeadError::Changed { entries: 20 })), "{signed:?}");
        kept.ledger.append(&entry(30)).unwrap();
        assert!(kept.ledger.sign_head(Some(&kept.key), 3).is_err(), "nor after another entry");
        assert!(!kept.audit(&[kept.key.public()]).is_good());
    }
}

#[test]
fn a_torn_line_is_reported_and_the_chain_continues() {
    let kept = kept();
    let whole = fs::read_to_string(kept.ledger.path()).unwrap();
    kept.ledger.append(&entry(21)).unwrap();
    let longer = fs::read_to_string(kept.ledger.path()).unwrap();
    fs::write(kept.ledger.path(), &longer[..whole.len() + 30]).unwrap();
    kept.ledger.append(&entry(22)).unwrap();
    let report = kept.audit(&[kept.key.public()]);
    let entries: Vec<_> = report.findings.iter().map(|finding| finding.entry).collect();
    assert_eq!((report.entries, entries), (22, vec![Some(20)]), "{:?}", report.findings);
}

#[test]
fn an_entry_that_was_kept_elsewhere_must_be_there() {
    let kept = kept();
    let digest = kept.ledger.head().unwrap().unwrap().last;
    let run = |known| {
        let keys = vec![kept.key.public().clone()];
        LedgerAudit { keys, known: Some(known), ..LedgerAudit::default() }.run(&kept.ledger).unwrap()
    };
    assert!(run(digest).is_good());
    assert!(!run(Digest::of(b"another")).is_good());
}

#[test]
fn lines_of_any_length_follow_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let key = SigningKey::load_or_draw(&dir.path().join("sign.key")).unwrap();
    let ledger = Ledger::at(&dir.path().join("searches"));
    let lengths = [0, 3_000, 3_900, 4_000, 5_000, 10, 9_000, 100_000, 200_000, 1];
    for (at, length) in lengths.into_iter().enumerate() {
        let question = "q".repeat(length);
        ledger.append(&LedgerEntry { question, ..entry(at as i64) }).unwrap();
        assert_eq!(ledger.sign_head(Some(&key), 1).unwrap().len(), 1, "{length}");
        assert_eq!(ledger.sign_head(Some(&key), 1).unwrap().len(), 0, "nothing came since");
    }
    let audit = LedgerAudit { keys: vec![key.public().clone()], ..LedgerAudit::default() };
    let report = audit.run(&ledger).unwrap();
    assert_eq!((report.findings, report.entries, report.signed), (Vec::new(), 10, 10));
    let entries: Vec<Entry> = ledger.entries().unwrap().collect::<io::Result<_>>().unwrap();
    assert_eq!(report.last, entries[9].digest);
    for (at, entry) in entries.iter().enumerate() {
        assert_eq!((entry.number(), entry.at_us(), entry.text("user")), (Some(at as u64), at as i64, "eva"));
        assert_eq!(
            (entry.text("question").len(), entry.text("none"), entry.is_whole),
            (lengths[at], "", true)
        );
        let before = at.checked_sub(1).map_or(Digest::default(), |at| entries[at].digest);
        assert_eq!(entry.previous(), Some(before));
    }
    let head = ledger.signed_head().unwrap().unwrap();
    assert_eq!((head.head, head.at_us), (ledger.head().unwrap().unwrap(), 1));
    assert_eq!(head.bytes, fs::metadata(ledger.path()).unwrap().len());
    assert_eq!(entries[9].end, head.bytes);
}

#[test]
fn a_ledger_without_entries_has_no_head() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(&dir.path().join("searches"));
    assert!(ledger.sign_head(None, 1).unwrap().is_empty() && !ledger.exists());
    fs::write(ledger.path(), "").unwrap();
    assert!(ledger.exists() && ledger.head().unwrap().is_none());
    assert!(ledger.sign_head(None, 1).unwrap().is_empty());
    let below = Ledger::at(&ledger.path().join("below"));
    assert!(below.head().is_err() && below.append(&entry(1)).is_err() && below.note(&entry(1)).is_err());
    assert!(LedgerAudit::default().run(&below).is_err());
}

#[test]
fn an_invalid_head_is_reported() {
    let kept = kept();
    let path = kept.ledger.path().with_extension("head");
    let whole = fs::read_to_string(&path).unwrap();
    let unreadable = "its signed head cannot be read";
    for text in [
        String::new(),
        whole.replace("duramen", "other"),
        whole.replace("entries 20", "entries 020"),
        whole.replace("entries 20", "entries -1"),
        whole.replace("signer ", "singer "),
        whole.clone() + "\n",
        "\u{e4}".to_owned(),
    ] {
        fs::write(&path, &text).unwrap();
        assert_eq!(kept.findings(), unreadable, "{text}");
        assert!(matches!(kept.ledger.sign_head(Some(&kept.key), 3), Err(HeadError::Unreadable)));
    }
    fs::write(&path, b"\xff").unwrap();
    assert_eq!(kept.findings(), unreadable);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(kept.ledger.signed_head(), Err(HeadError::Io(_))));
    for (error, want) in [
        (HeadError::Io(io::ErrorKind::TimedOut.into()), "timed out"),
        (
            HeadError::Changed { entries: 3 },
            "its first 3 entries are not those that were signed: it was cut or changed",
        ),
        (HeadError::Unsigned, "its head cannot be signed"),
    ] {
        assert_eq!(error.to_string(), want);
    }
    let unsigned = Ledger::at(&kept.ledger.path().with_extension("other"));
    unsigned.append(&entry(1)).unwrap();
    unsigned.sign_head(None, 3).unwrap();
    let report = LedgerAudit::default().run(&unsigned).unwrap();
    assert_eq!((report.is_good(), report.signed, report.signer.as_str()), (true, 1, ""));
}
