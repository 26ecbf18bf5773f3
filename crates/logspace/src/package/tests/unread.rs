//! Packages of logspaces of which not everything can be read, and of parts of them.

use super::*;
use lookup::{Document, ReadError};

/// A package of everything in a time range, in a new folder.
fn export(dir: &Path, key: &SigningKey, from_us: Option<i64>, to_us: Option<i64>) -> Exported {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let question = Question { from_us, to_us, ..Question::default() };
    let mut part = part("main", dir, key, None, 0);
    part.wanted = Box::new(|segment, _| Ok(Bitmap::all(segment.len())));
    export_package(&dir.join(format!("p{number}")), &question, vec![part], &CancelToken::unlimited()).unwrap()
}

fn segment(dir: &Path, first: u64) -> PathBuf {
    let files = crate::files::layout::segment_files(dir).unwrap();
    files.into_iter().find(|path| path.ends_with(format!("{first:020}.ds"))).unwrap()
}

#[track_caller]
fn check_unread(harm: impl FnOnce(&Path), why: &str) {
    let (dir, key) = logspace();
    harm(&segment(dir.path(), 1400));
    let exported = export(dir.path(), &key, None, None);
    let [(numbers, reason)] = &exported.unread[..] else { panic!("{:?}", exported.unread) };
    assert_eq!(*numbers, 1400..2100);
    assert!(reason.contains(why), "{reason}");
    assert!(exported.messages >= 700, "the other segment is there: {}", exported.messages);
}

#[test]
fn what_cannot_be_read_is_named() {
    check_unread(|path| fs::remove_file(path).unwrap(), "it is not there");
    check_unread(|path| fs::write(path, "no segment").unwrap(), "damaged at offset");
    let flip = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[512 + 300] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    check_unread(flip, "damaged at offset");
}

#[test]
fn only_segments_of_the_time_are_looked_at() {
    let (dir, key) = logspace();
    // Message n was received n ms after the start, in batches of a hundred.
    let at = |number: i64| START_US + number * 1000;
    for (from, to, messages) in [
        (None, None, 1400),
        (Some(at(0)), Some(at(2000) + 1), 1400),
        (Some(at(600) + 1), None, 700),
        (Some(at(600)), None, 800),
        (None, Some(at(1400)), 700),
        (None, Some(at(1400) + 1), 800),
        (Some(at(100)), Some(at(300)), 200),
        (Some(at(2001)), None, 0),
        (None, Some(at(0)), 0),
    ] {
        let exported = export(dir.path(), &key, from, to);
        assert_eq!((exported.messages, exported.unread), (messages, vec![]), "{from:?} {to:?}");
    }
    fs::remove_file(segment(dir.path(), 1400)).unwrap();
    assert!(export(dir.path(), &key, None, Some(at(1400))).unread.is_empty(), "it is outside of the time");
    assert_eq!(export(dir.path(), &key, None, Some(at(1400) + 1)).unread.len(), 1);
}

#[test]
fn a_logspace_without_sealed_messages_has_no_package() {
    let ((dir, key), empty) = (logspace(), tempfile::tempdir().unwrap());
    let question = Question::default();
    let own = |folder: &str, parts| {
        export_package(&dir.path().join(folder), &question, parts, &CancelToken::unlimited())
    };
    let error = own("a", vec![part("empty", empty.path(), &key, None, 3)]).unwrap_err();
    assert!(matches!(error, ExportError::NoEvidence));
    assert!(matches!(own("b", vec![]), Err(ExportError::NoEvidence)));
    let both = vec![part("main", dir.path(), &key, None, 3), part("empty", empty.path(), &key, None, 3)];
    assert_eq!(own("c", both).unwrap().messages, 140);
    let manifest = fs::read_to_string(dir.path().join("c/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["never_sealed"], serde_json::json!(["empty"]));
    assert_eq!(faults(&dir.path().join("c"), &[]), Vec::<String>::new());
    assert!(own("c", vec![part("main", dir.path(), &key, None, 3)]).is_err(), "the folder is there");
}

#[test]
fn an_export_that_is_ended_is_an_error() {
    let (dir, key) = logspace();
    let mut part = part("main", dir.path(), &key, None, 3);
    part.wanted = Box::new(|_, _| Err(ReadError::Stopped(lookup::Stop::Cancelled)));
    let ended =
        export_package(&dir.path().join("p"), &Question::default(), vec![part], &CancelToken::unlimited());
    assert!(matches!(ended, Err(ExportError::Read(ReadError::Stopped(_)))));
}

#[test]
fn fields_with_several_values_are_lists() {
    let value = |name: &str, text: &[u8]| (name.to_owned(), text.to_vec(), Default::default());
    let mut document = Document { raw: b"<1>x\xff".to_vec(), ..Document::default() };
    document.values = vec![value("a", b"1"), value("b", b"2"), value("a", b"3\xfc"), value("a", b"4")];
    let json = document_json(&document);
    assert_eq!(json["values"], serde_json::json!({"a": ["1", "3\u{fffd}", "4"], "b": "2"}));
    assert_eq!(json["raw"], "PDE+eP8=");
}

#[test]
fn errors_are_sentences() {
    let why = || std::io::Error::other("why");
    let rows = [
        (ExportError::from(why()), "why"),
        (ExportError::NoEvidence, "nothing was sealed in this logspace yet"),
        (ExportError::Unsigned, "the manifest cannot be signed"),
    ];
    for (error, want) in rows {
        assert_eq!(error.to_string(), want);
    }
    let locked = ReadError::Locked { path: PathBuf::from("/l/x.ds") };
    let want = locked.to_string();
    assert_eq!(ExportError::Read(locked).to_string(), want);
}
