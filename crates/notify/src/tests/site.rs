//! A database with transitions as rules write them, channels and routes, and a clock.

use crate::{
    channel::Delivery,
    dispatch::{self, FollowUp, Next, Pass},
    letter::Letter,
    outbox::{self, Attempt},
    setup::{self, Routes, Setup},
};
use alerts::Store;
use rusqlite::params;
use std::sync::Arc;
use tempfile::TempDir;

/// Microseconds of a second.
pub(super) const S: i64 = 1_000_000;
/// The time at which tests begin.
const BEGIN_US: i64 = 1_800_000_000 * S;

/// A database and what works on it.
pub(super) struct Site {
    folder: TempDir,
    pub(super) store: Arc<Store>,
    routes: Routes,
    pub(super) now_us: i64,
    instances: i64,
}

impl Site {
    /// Makes one with routes to the channel `a`: the text is that of a list of routes.
    #[track_caller]
    pub(super) fn new(routes: &str) -> Site {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(Store::at(&folder.path().join("alerts.db")));
        let mut site =
            Site { folder, store, routes: Routes { routes: Vec::new() }, now_us: BEGIN_US, instances: 0 };
        site.adopt(routes);
        site
    }

    /// Returns the path of the database.
    pub(super) fn database(&self) -> std::path::PathBuf {
        self.folder.path().join("alerts.db")
    }

    /// Brings other routes into force.
    #[track_caller]
    pub(super) fn adopt(&mut self, routes: &str) {
        let channels = "channels:\n- {id: a, kind: webhook, url: 'http://a/'}\n- {id: b, kind: webhook, url: 'http://b/'}\n";
        let setup = Setup::of(format!("{channels}routes:\n{routes}")).unwrap();
        setup::adopt(&self.store, &setup.text).unwrap();
        self.routes = Routes::of(&setup);
    }

    /// Opens the database again, as a restart does.
    pub(super) fn restart(&mut self) {
        self.store = Arc::new(Store::at(&self.folder.path().join("alerts.db")));
        let setup = Setup::of(setup::kept(&self.store).unwrap().unwrap()).unwrap();
        self.routes = Routes::of(&setup);
    }

    fn transition(
        &self,
        rule: &str,
        severity: &str,
        key: &str,
        change: &str,
        instance: i64,
        at_us: i64,
    ) -> i64 {
        self.store
            .transaction(|transaction| {
                let sql = "INSERT INTO transition (number, logspace, id, rule, version, severity, key, instance, change, at_us) \
                           SELECT COALESCE(MAX(number), 0) + 1, 'main', $1, $2, 'v', $3, $4, $5, $6, $7 FROM transition \
                           RETURNING number";
                let id = format!("{rule}-{change}-{instance}");
                Ok(transaction.query_row(sql, params![id, rule, severity, key, instance, change, at_us], |row| row.get(0))?)
            })
            .unwrap()
    }

    /// Lets a rule fire for a host; returns the instance.
    pub(super) fn fire(&mut self, rule: &str, severity: &str, host: &str) -> i64 {
        self.begin(rule, severity, host, "fired", "firing", self.now_us)
    }

    /// Lets something occur.
    pub(super) fn occur(&mut self, rule: &str, severity: &str, host: &str, at_us: i64) {
        self.begin(rule, severity, host, "occurred", "occurred", at_us);
    }

    fn begin(
        &mut self,
        rule: &str,
        severity: &str,
        host: &str,
        change: &str,
        state: &str,
        at_us: i64,
    ) -> i64 {
        self.instances += 1;
        let key = format!("{{\"host\":\"{host}\"}}");
        let number = self.transition(rule, severity, &key, change, self.instances, at_us);
        self.execute(
            "INSERT INTO alert (number, logspace, id, rule, version, title, severity, key, instance, state, began_us, \
             acknowledged_by, note) VALUES ($1, 'main', $2, $3, 'v', 'Title', $4, $5, $6, $7, $8, '', '')",
            params![number, format!("{rule}-{change}-{}", self.instances), rule, severity, key, self.instances, state, at_us],
        );
        self.instances
    }

    /// Ends an alert by a transition.
    pub(super) fn resolve(&mut self, rule: &str, severity: &str, instance: i64) {
        self.transition(rule, severity, "{}", "resolved", instance, self.now_us);
        self.end(instance, "resolved");
    }

    /// Ends an alert, as a change of its rule does.
    pub(super) fn end(&self, instance: i64, state: &str) {
        let sql = "UPDATE alert SET state = $1, ended_us = $2 WHERE instance = $3 AND state = 'firing'";
        self.execute(sql, params![state, self.now_us, instance]);
    }

    pub(super) fn silence(&self, query: &str, seconds: i64) {
        self.execute(
            "INSERT INTO silence (number, query, from_us, to_us, author, reason, created_us) \
             VALUES ((SELECT COUNT(*) + 1 FROM silence), $1, $2, $3, 'eva', 'why', $2)",
            params![query, self.now_us, self.now_us + seconds * S],
        );
    }

    pub(super) fn execute(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) {
        self.store.transaction(|transaction| Ok(transaction.execute(sql, values).map(drop)?)).unwrap();
    }

    /// Lets time pass and decides.
    pub(super) fn pass(&mut self, seconds: i64) {
        self.now_us += seconds * S;
        loop {
            let mut pass = Pass {
                routes: &mut self.routes,
                server: "srv",
                now_us: self.now_us,
                follow_up: FollowUp::Due,
            };
            if dispatch::run(&self.store, &mut pass).unwrap() == Next::Idle {
                return;
            }
        }
    }

    /// Returns the next notification of a channel.
    pub(super) fn next(&self, channel: &str) -> Option<Letter> {
        outbox::next_due(&self.store, channel, self.now_us).unwrap()
    }

    /// Notes what a receiver answered.
    pub(super) fn answer(&self, channel: &str, letter: &Letter, delivery: Delivery) {
        let attempt = Attempt { began_us: self.now_us, ended_us: self.now_us, delivery };
        outbox::record(&self.store, channel, letter, &attempt).unwrap();
    }

    /// Delivers all that is due for a channel; returns a line for each notification: the changes with their hosts.
    pub(super) fn delivered(&self, channel: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(letter) = self.next(channel) {
            let shown = |record: &crate::record::Record| {
                format!("{} {}", record.text("change"), record.field("host"))
            };
            let records: Vec<String> = letter.content.records().iter().map(shown).collect();
            let more = letter.content.count() - records.len() as u64;
            let more = if more > 0 { format!(" +{more}") } else { String::new() };
            lines.push(format!("{}: {}{more}", letter.content.text("route"), records.join(", ")));
            self.answer(channel, &letter, Delivery::Done("200".to_owned()));
        }
        lines
    }

    /// Returns the outcome of each event, in order.
    pub(super) fn outcomes(&self) -> Vec<String> {
        self.texts("SELECT change || ' ' || outcome FROM notification_event ORDER BY number")
    }

    pub(super) fn texts(&self, sql: &str) -> Vec<String> {
        self.store
            .transaction(|transaction| {
                let mut statement = transaction.prepare(sql)?;
                let rows = statement.query_map([], |row| row.get(0))?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
            .unwrap()
    }
}
