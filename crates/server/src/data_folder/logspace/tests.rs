//! Tests of the verbs over a small logspace that is encrypted for a recipient.

use super::*;
use clap::Parser;
use evidence::Recipient;
use logspace::{Logspace, Unheard, segment_files};
use message::{Ack, Batch, Delivery, Message, Origin, Outlet, Selection, Span, Stamp, WriteBudget};
use std::{
    fs,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

#[derive(Parser)]
struct Words {
    #[command(subcommand)]
    verb: Verb,
}

/// Returns the outcome of a verb: true for no findings, false for findings, or an error.
fn run_words(words: &str) -> Result<bool, String> {
    let words = Words::try_parse_from(["logspace"].into_iter().chain(words.split(' '))).unwrap();
    done(&words.verb).map_err(|error| error.to_string())
}

fn batch(first: u64, count: u64) -> Batch {
    let (mut text, mut messages) = (Vec::new(), Vec::new());
    for number in first..first + count {
        let start = text.len();
        text.extend_from_slice(format!("<13>message n{number}").as_bytes());
        let raw = Span::received(start, text.len() - start);
        let mut message = Message::default();
        (message.raw, message.text) = (raw, raw.part(4, raw.len()));
        messages.push(message);
        text.push(b'\n');
    }
    let received = Stamp::known(super::super::author::now_us(), 0);
    let mut batch = Batch::new(Arc::new(text), vec![Arc::new(Origin::default())], received, Ack::none());
    batch.messages = messages;
    batch
}

/// Makes a logspace `audit` in a data folder: three segments of 50 messages.
fn fill(data: &Path, recipients: Vec<Recipient>) {
    let options = logspace::LogspaceOptions {
        segment_messages_max: 50,
        refresh: Duration::from_millis(5),
        recipients,
        ..logspace::LogspaceOptions::default()
    };
    let logspace = Logspace::open(&data.join("logspaces/audit"), options, Arc::new(Unheard)).unwrap();
    for number in 0..4 {
        let batch = Arc::new(batch(number * 50, 50));
        let selection = Selection::all(50);
        let delivery = Delivery { batch, selection, ack: Ack::none(), controlled: true, first: None };
        logspace.deliver(delivery, &WriteBudget::none());
    }
    let started = Instant::now();
    while logspace.stats().segments < 3 {
        assert!(started.elapsed() < Duration::from_secs(20), "nothing is sealed");
        thread::sleep(Duration::from_millis(2));
    }
    logspace.close();
}

#[test]
fn verbs_work_on_a_locked_logspace() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().display().to_string();
    let key = dir.path().join("auditor.key");
    let said = |words: &str| {
        run_words(&words.replace("KEY", &format!("--key {}", key.display())).replace("DATA", &data))
    };
    fs::create_dir_all(dir.path().join("logspaces")).unwrap();
    assert_eq!(said(&format!("keygen {}", key.display())), Ok(true));
    assert!(said(&format!("keygen {}", key.display())).is_err(), "a key is never written over");
    let text = fs::read_to_string(&key).unwrap();
    let recipient = text.lines().next().and_then(|line| line.strip_prefix("# public key: ")).unwrap();
    fill(dir.path(), vec![Recipient::load(recipient).unwrap()]);

    assert_eq!(said("verify audit --data DATA"), Ok(true));
    assert_eq!(said("verify audit --data DATA KEY --json"), Ok(true));
    assert_eq!(said("ls audit --data DATA --json"), Ok(true));
    assert_eq!(said("scrub audit --data DATA"), Ok(true));
    assert_eq!(said("cat audit --data DATA"), Ok(false), "locked");
    assert_eq!(said("cat audit --data DATA KEY --query n7"), Ok(true));
    assert!(said("cat audit --data DATA --query (").is_err());
    assert!(said("cat other --data DATA").is_err());
    assert_eq!(
        said("rebuild-index audit 50 --data DATA KEY").map_err(|error| error.contains("name whom")),
        Err(true)
    );
    assert_eq!(said(&format!("rebuild-index audit 50 --data DATA KEY --recipient {recipient}")), Ok(true));
    assert_eq!(said("verify audit --data DATA KEY"), Ok(true));

    let package = dir.path().join("package");
    assert_eq!(said(&format!("export audit --data DATA KEY -o {} --query n7", package.display())), Ok(true));
    let report = evidence::package::PackageAudit::default().run(&package).unwrap();
    assert_eq!((report.messages, report.faults), (1, vec![]));
    let ledger = evidence::Ledger::at(&dir.path().join(super::super::layout::LEDGER));
    assert_eq!(ledger.entries().unwrap().count(), 4, "two prints, one export and its result");

    // A filtered logspace, by the definition in the configuration.
    let config = dir.path().join("views.conf");
    let views = "@version: 4.8\nsource s { internal(); };\nlog { source(s); destination { logspace(\"audit\"); }; };\n\
                 logspace some { filtered(\"audit\" \"n7 OR n8\"); };\n";
    fs::write(&config, views).unwrap();
    let part = dir.path().join("part");
    let words = format!("export some --data DATA KEY -o {} --query message", part.display());
    assert!(said(&words).unwrap_err().contains("--config"));
    assert_eq!(said(&format!("{words} --config {}", config.display())), Ok(true));
    let report = evidence::package::PackageAudit::default().run(&part).unwrap();
    assert_eq!((report.messages, report.faults), (2, vec![]));
    assert_eq!(report.view.and_then(|view| view.filter), Some(vec![vec!["n7 OR n8".to_owned()]]));

    let path = &segment_files(&dir.path().join("logspaces/audit")).unwrap()[0];
    let mut bytes = fs::read(path).unwrap();
    bytes[700] ^= 1;
    fs::write(path, bytes).unwrap();
    assert_eq!(said("verify audit --data DATA --json"), Ok(false));
    assert_eq!(said("scrub audit --data DATA --json"), Ok(false));
    fs::remove_file(path).unwrap();
    assert_eq!(said("verify audit --data DATA"), Ok(false));
    assert_eq!(said("ls audit --data DATA"), Ok(false));
    assert_eq!(said("scrub audit --data DATA"), Ok(false), "the chain knows that it is missing");
}
