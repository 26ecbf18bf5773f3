//! `alerts()`: a message for each transition, in order, from the first that comes after the start.

use super::site::Site;
use crate::AlertsSource;
use intake::{
    SourceDriver, Sources,
    testing::{source_options, spec},
};
use message::Field;
use std::{fs, path::PathBuf, sync::Arc};
use transport::{
    InternalLog, Registry,
    testing::{Collected, eventually},
};

/// A source over the database of a site, with its positions beside it.
struct Running {
    _sources: Sources,
    positions: PathBuf,
    collected: Arc<Collected>,
}

impl Running {
    fn start(site: &Site) -> Running {
        let (database, collected) = (site.database(), Collected::new());
        let positions = database.with_file_name("positions");
        let log = InternalLog::new("test", None);
        let mut sources = Sources::start(Registry::default(), log, 1, Some(&positions)).unwrap();
        let driver = SourceDriver::Input(Arc::new(AlertsSource { database }));
        let staged = sources.stage(vec![spec(driver, source_options(), collected.clone())]).unwrap();
        sources.commit(staged);
        Running { _sources: sources, positions, collected }
    }

    /// Waits until it keeps a position.
    #[track_caller]
    fn reaches(&self, number: u64) {
        let wanted = format!("alerts(s#0)\t{number}\n");
        let kept = || fs::read_to_string(&self.positions).unwrap_or_default();
        eventually("the position", || kept().contains(&wanted));
    }
}

#[test]
fn transitions_are_messages_with_the_values_of_their_records() {
    let mut site = Site::new("- {id: r, channels: a}");
    let disk = site.fire("disk", "crit", "old");
    let running = Running::start(&site);
    // The end of an alert that began before the source did is new; its beginning is not.
    running.reaches(1);
    site.resolve("disk", "crit", disk);
    site.fire("disk", "err", "db1");
    let lines = running.collected.wait(2);
    let own = lines[0].split('|').next().unwrap().to_owned();
    assert!(!own.is_empty());
    assert_eq!(lines[0], format!("{own}|duramen|crit resolved: Title"));
    assert_eq!(lines[1], format!("{own}|duramen|err fired: Title host=db1"));
    running.collected.batches(|batches| {
        let messages = batches.iter().flat_map(|batch| (0..batch.len()).map(move |index| (batch, index)));
        let shown: Vec<(String, u16)> = messages
            .clone()
            .map(|(batch, index)| {
                let msgid = String::from_utf8_lossy(batch.fixed(index, Field::Msgid)).into_owned();
                (msgid, batch.messages[index].pri.0)
            })
            .collect();
        // syslog.notice for the end, syslog.err.
        assert_eq!(shown, [("resolved".to_owned(), 45), ("fired".to_owned(), 43)]);
        let (batch, index) = messages.last().unwrap();
        let values = batch.values(index);
        let value = |name: &str| {
            let found = values.iter().find(|(known, _, _)| *known == name.as_bytes());
            found.map(|(_, value, _)| String::from_utf8_lossy(value).into_owned())
        };
        assert_eq!(value("alert.rule").as_deref(), Some("disk"));
        assert_eq!(value("alert.logspace").as_deref(), Some("main"));
        assert_eq!(value("alert.key.host").as_deref(), Some("db1"));
        assert_eq!(value("alert.key"), None);
        assert_eq!(batch.messages[index].event.unix_us, site.now_us);
    });
}

#[test]
fn what_no_destination_has_comes_again_after_a_restart() {
    let mut site = Site::new("- {id: r, channels: a}");
    let running = Running::start(&site);
    running.reaches(0);
    running.collected.hold();
    site.fire("disk", "err", "one");
    running.collected.wait(1);
    site.fire("disk", "err", "two");
    drop(running);
    let running = Running::start(&site);
    let lines = running.collected.wait(2);
    let hosts: Vec<&str> = lines.iter().filter_map(|line| line.split("host=").nth(1)).collect();
    assert_eq!(hosts, ["one", "two"]);
    running.reaches(2);
    site.fire("disk", "err", "three");
    running.reaches(3);
    drop(running);
    site.fire("disk", "err", "four");
    let lines = Running::start(&site).collected.wait(1);
    assert!(lines[0].ends_with("host=four"), "{lines:?}");
}
