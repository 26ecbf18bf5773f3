//! A database's file that changes.

use super::*;
use std::sync::Mutex;

const RULE: &str = "<patterndb version='6' pub_date='2026-11-21'><ruleset id='s'><pattern>p</pattern><rules>\
                    <rule id='r' class='c'><patterns><pattern>x</pattern></patterns></rule></rules></ruleset></patterndb>";

#[test]
fn a_broken_file_leaves_the_last_good_database() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("db.xml");
    let around = Definitions::default();
    let loaded = |last: &Arc<LastDatabase>| load(&path, "", &around, last.clone());
    let last = Arc::<LastDatabase>::default();
    let missing = loaded(&last);
    assert_eq!(missing.database.rules.len(), 0);
    assert!(
        missing.warnings[0].starts_with(&format!("cannot read {}", path.display())),
        "{:?}",
        missing.warnings
    );
    fs::write(&path, RULE).unwrap();
    let good = loaded(&last);
    assert_eq!((good.database.rules.len(), good.warnings.len()), (1, 0));
    fs::write(&path, "<patterndb").unwrap();
    let broken = loaded(&last);
    assert_eq!(broken.database.rules.len(), 1, "the last good one");
    assert!(broken.warnings[0].starts_with(&format!("{}:1:1: ", path.display())), "{:?}", broken.warnings);
    let rule = &RULE[RULE.find("<rule id").unwrap()..RULE.find("</rules>").unwrap()];
    fs::write(&path, RULE.replace(rule, &rule.repeat(2))).unwrap();
    let [twice] = loaded(&last).warnings.try_into().unwrap();
    assert!(twice.starts_with(&format!("{}:1:", path.display())) && twice.contains("is left out"), "{twice}");
    let file = fs::File::create(&path).unwrap();
    file.set_len(FILE_BYTES_MAX as u64 + 1).unwrap();
    assert!(loaded(&last).warnings[0].ends_with(&format!("is larger than {FILE_BYTES_MAX} bytes")));
}

#[test]
fn a_changed_file_is_read_again_and_said_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("db.xml");
    fs::write(&path, RULE).unwrap();
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let echo = said.clone();
    let log = InternalLog::new(
        "test",
        Some(Box::new(move |severity, text| echo.lock().unwrap().push(format!("{} {text}", severity.0)))),
    );
    let heard = || std::mem::take(&mut *said.lock().unwrap());
    let loaded = load(&path, "", &Definitions::default(), Arc::default());
    let options = pipeline::patterndb::DbOptions {
        program: pipeline::parser::Input::program(),
        message: pipeline::parser::Input::message(),
        drop_unmatched: false,
        inject: pipeline::correlation::Inject::PassThrough,
    };
    let parser = Arc::new(DbParser::new(loaded.database.clone(), Arc::default(), options));
    let mut watched = WatchedDatabase::new(path.clone(), String::new(), &loaded, parser).with(Arc::default());
    watched.refresh(&log);
    assert_eq!(heard(), Vec::<String>::new());
    fs::write(&path, RULE.replace("2026-11-21", "2026-11-22 x")).unwrap();
    watched.refresh(&log);
    let file = path.display();
    let want =
        format!("5 Log pattern database reloaded; file='{file}', version='6', pub_date='2026-11-22 x'");
    assert_eq!(heard(), [want]);
    watched.refresh(&log);
    assert_eq!(heard(), Vec::<String>::new());
    fs::write(&path, "<patterndb").unwrap();
    watched.refresh(&log);
    let [text] = heard().try_into().unwrap();
    assert!(text.starts_with("3 Error reloading pattern database, keeping the old one; file='"), "{text}");
    assert_eq!(loaded.last.get().unwrap().pub_date, "2026-11-22 x");
    fs::remove_file(&path).unwrap();
    watched.refresh(&log);
    assert_eq!(heard(), Vec::<String>::new());
}
