//! The thread of a source: connects, queries, holds back, commits positions, ends.
//!
//! In: rows. Out: batches. Holds: a connection. Limits: the window of the source: no query while it is full. A query takes `timeout()` at
//! most; tries to connect have [`PAUSE_MIN`] to `time-reopen()` between them. At the stop, destinations have
//! [`SETTLES_WITHIN`] to acknowledge; what they have not acknowledged by then is read again.

use super::{
    options::{OldRows, Pace, SqlSource},
    pages::{Pages, Rest},
    position::Position,
    rows,
    statements::{self, MARK},
};
use crate::{bookmarks::Bookmarks, broker::TroubleReport};
use intake::{BatchReader, InputTask, Positions};
use message::{Origin, Transport};
use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tokio::{
    runtime::Builder,
    sync::watch,
    time::{sleep_until, timeout, timeout_at},
};
use transport::{
    InternalLog, own_name,
    sql::{Client, QueryError, QueryFault, RowLimits, Statement, Value},
    stats,
};

/// The sentences of our log when nothing can be read, and when that is over.
const FAILS: &str = "Cannot read a table, trying again";
const WORKS: &str = "The table is read again";
/// First pause after a connection broke; each further one is twice as long.
const PAUSE_MIN: Duration = Duration::from_millis(250);
/// Pause before rows that a destination gave up are read again.
const AGAIN_AFTER: Duration = Duration::from_secs(5);
/// Time for messages in flight to become safe at the stop.
const SETTLES_WITHIN: Duration = Duration::from_secs(1);
/// The most that a query for one value returns.
const ONE: RowLimits = RowLimits { rows: 1, bytes: 1 << 20 };

/// Reads on a thread of its own until it is stopped: a file of SQLite keeps a thread waiting.
pub(super) fn read_table(options: SqlSource, task: InputTask) {
    let failed = task.log.clone();
    let spawned = Builder::new_current_thread().enable_all().build().and_then(|runtime| {
        let run = move || runtime.block_on(read(options, task));
        thread::Builder::new().name("sql-source".to_owned()).spawn(run)
    });
    if let Err(error) = spawned {
        failed.error(&format!("Cannot start the thread of a source; error='{error}'"));
    }
}

/// Why nothing was read.
enum Failure {
    Query(QueryError),
    /// The results are of no use.
    Results(String),
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Failure {
        Failure::Query(error)
    }
}

struct Reader {
    options: SqlSource,
    batches: BatchReader,
    origin: Arc<Origin>,
    positions: Positions,
    log: InternalLog,
    client: Option<Client>,
    /// None until the first connection shows where a table begins.
    pages: Option<Pages>,
    book: Bookmarks<Position>,
    /// The position that is acknowledged and was not archived yet.
    to_archive: Option<Value>,
    /// The table was missing: another one may come under its name.
    was_missing: bool,
    pause: Duration,
}

async fn read(options: SqlSource, task: InputTask) {
    let InputTask { cell, log, positions, mut stop, .. } = task;
    let mut batches = BatchReader::new(&cell);
    // A destination that waits for a disk must not keep the database waiting.
    batches.disable_inline_writes();
    let mut trouble = TroubleReport::new(batches.settings(), log.clone(), FAILS, WORKS);
    let mut reader = Reader {
        options,
        batches,
        origin: Arc::default(),
        positions,
        log,
        client: None,
        pages: None,
        book: Bookmarks::default(),
        to_archive: None,
        was_missing: false,
        pause: PAUSE_MIN,
    };
    reader.name();
    let mut due = Instant::now();
    loop {
        if reader.batches.refresh() {
            reader.name();
            trouble.show_again(reader.batches.settings());
        }
        if reader.commit() == Batches::GivenUp {
            let id = &reader.batches.settings().id;
            reader.log.warning(&format!("A destination gave up messages, they are read again; id='{id}'"));
            reader.book = Bookmarks::default();
            reader.pages = None;
            due = Instant::now() + AGAIN_AFTER;
        }
        let (book, window) = (reader.book.clone(), reader.batches.window.clone());
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            () = book.changed() => {
                if reader.to_archive.is_none() || reader.client.is_none() {
                    continue;
                }
            }
            () = async { sleep_until(due.into()).await; window.wait_for_room().await; } => {}
        }
        let step = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            step = reader.step(Due::of(due)) => step,
        };
        match step {
            Ok(None) => {}
            Ok(Some(pause)) => {
                trouble.show(reader.batches.settings(), None);
                due = Instant::now() + pause;
            }
            Err(failure) => {
                let (words, pause) = reader.failed(failure);
                trouble.show(reader.batches.settings(), Some(words));
                due = Instant::now() + pause;
            }
        }
    }
    reader.finish(&mut stop).await;
}

/// The time of the next query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    Now,
    Later,
}

impl Due {
    fn of(due: Instant) -> Due {
        if Instant::now() >= due { Due::Now } else { Due::Later }
    }
}

/// The fate of the batches in flight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Batches {
    Kept,
    GivenUp,
}

impl Reader {
    fn name(&mut self) {
        let settings = self.batches.settings();
        let mut origin = settings.origin(Transport::Local, None, own_name(&settings.options.hosts));
        origin.transport_name = "sql".to_owned();
        self.origin = Arc::new(origin);
        // A reload may have read certificates again.
        if let Some(options) = settings.input::<SqlSource>() {
            self.options = options.clone();
        }
    }

    /// Takes note of what is acknowledged.
    fn commit(&mut self) -> Batches {
        if let Some(position) = self.book.take() {
            self.positions.set(&self.options.position_name(), position.to_text());
            if self.options.archive_query.is_some() {
                self.to_archive = position.uid().cloned();
            }
        }
        if self.book.has_failed() { Batches::GivenUp } else { Batches::Kept }
    }

    /// Connects if there is no connection, archives what is acknowledged, and reads on when it is time to. Returns the pause before
    /// the next query; none when it was not time.
    async fn step(&mut self, due: Due) -> Result<Option<Duration>, Failure> {
        let mut client = match self.client.take() {
            Some(client) => client,
            None => self.connect().await?,
        };
        let done = self.use_client(&mut client, due).await;
        let is_lost = matches!(&done, Err(Failure::Query(error)) if error.fault == QueryFault::Lost);
        if !is_lost {
            self.client = Some(client);
        }
        done
    }

    async fn connect(&self) -> Result<Client, QueryError> {
        let mut client = Client::open(&self.options.server, self.options.timeout).await?;
        if let Some(query) = &self.options.connect_query {
            client.execute(query).await?;
        }
        Ok(client)
    }

    async fn use_client(&mut self, client: &mut Client, due: Due) -> Result<Option<Duration>, Failure> {
        if let (Some(query), Some(uid)) = (&self.options.archive_query, self.to_archive.take()) {
            let text = statements::marked(query);
            let archived = client.query(&Statement::filled(&text, MARK, &uid), ONE).await;
            if let Err(error) = archived {
                self.to_archive = Some(uid);
                return Err(error.into());
            }
        }
        if due == Due::Later {
            return Ok(None);
        }
        let mut pages = match self.pages.take() {
            Some(pages) => pages,
            None => Pages::new(self.begin(client).await?),
        };
        let read = self.read_page(client, &mut pages).await;
        // Also after a failure: what is under way is not read again.
        self.pages = Some(pages);
        let rest = read?;
        self.pause = PAUSE_MIN;
        let is_fast = rest == Rest::Likely && self.options.pace == Pace::Fast;
        Ok(Some(if is_fast { Duration::ZERO } else { self.options.follow_every }))
    }

    /// Returns the position to begin with: that of the last run, or as the options say.
    async fn begin(&mut self, client: &mut Client) -> Result<Position, QueryError> {
        let name = self.options.position_name();
        if let Some(text) = self.positions.position(&name) {
            if let Some(position) = Position::from_text(&text) {
                return Ok(position);
            }
            let id = &self.batches.settings().id;
            self.log.error(&format!("The position of a source cannot be read, it begins again; id='{id}'"));
        }
        let position = match self.options.old {
            OldRows::Read => Position::Start,
            OldRows::Skipped => match self.one_value(client, &statements::last(&self.options)).await? {
                Value::Null => Position::Start,
                uid => Position::Behind { uid },
            },
        };
        // Rows that come before the first is acknowledged are not skipped by the next start.
        self.positions.set_durably(&name, position.to_text());
        Ok(position)
    }

    async fn one_value(&self, client: &mut Client, query: &str) -> Result<Value, QueryError> {
        let found = client.query(&Statement::new(query), ONE).await?;
        Ok(found.rows.into_iter().next().and_then(|row| row.into_iter().next()).unwrap_or(Value::Null))
    }

    /// Begins at the start of a table that was made while we looked, under the name of one that was dropped.
    async fn look_again(&mut self, client: &mut Client, pages: &mut Pages) -> Result<(), QueryError> {
        let Some(Value::Integer(read)) = pages.position.uid().cloned() else { return Ok(()) };
        if self.options.table.is_none() {
            return Ok(());
        }
        let highest = self.one_value(client, &statements::highest(&self.options)).await?;
        if matches!(highest, Value::Integer(highest) if highest >= read) {
            return Ok(());
        }
        let id = &self.batches.settings().id;
        self.log.warning(&format!("The table was made again, it is read from its beginning; id='{id}'"));
        *pages = Pages::new(Position::Start);
        Ok(())
    }

    async fn read_page(&mut self, client: &mut Client, pages: &mut Pages) -> Result<Rest, Failure> {
        if self.was_missing {
            self.look_again(client, pages).await?;
            self.was_missing = false;
        }
        let limits = pages.limits(self.options.rows_max);
        let text = statements::fetch(&self.options, &pages.position, limits.rows);
        let start = Value::Integer(0);
        let uid = pages.position.uid().unwrap_or(&start);
        let found = client.query(&Statement::filled(&text, MARK, uid), limits).await?;
        let page = pages.take(found, &self.options.columns.uid, limits);
        let page = page.map_err(|error| Failure::Results(error.to_string()))?;
        if page.odd > 0 {
            stats::add(&self.batches.settings().counters.frame_errors, page.odd);
        }
        pages.position = page.behind;
        if !page.rows.rows.is_empty() {
            let completion = self.book.add(pages.position.clone());
            rows::forward(&self.options, &page.rows, (&mut self.batches, &self.origin), Some(completion));
            return Ok(page.rest);
        }
        // A query of the configuration cannot ask for more.
        Ok(if self.options.fetch_query.is_some() { Rest::Empty } else { page.rest })
    }

    /// Returns what is to be shown of a failure, and the pause before the next try.
    fn failed(&mut self, failure: Failure) -> (String, Duration) {
        let most = self.options.reopen_after.max(PAUSE_MIN);
        let words = match failure {
            Failure::Results(words) => return (words, self.options.follow_every.max(PAUSE_MIN)),
            Failure::Query(error) => {
                self.was_missing |= error.fault == QueryFault::NoTable;
                error.words
            }
        };
        let pause = self.pause.min(most);
        self.pause = (self.pause * 2).min(most);
        (words, pause)
    }

    /// Waits for acknowledgements.
    async fn finish(&mut self, stop: &mut watch::Receiver<bool>) {
        debug_assert!(*stop.borrow());
        let settles = tokio::time::Instant::now() + SETTLES_WITHIN;
        while !self.book.is_settled() && !self.book.has_failed() {
            let book = self.book.clone();
            if timeout_at(settles, book.changed()).await.is_err() {
                break;
            }
            self.commit();
        }
        self.commit();
        if let (Some(query), Some(uid), Some(mut client)) =
            (&self.options.archive_query, self.to_archive.take(), self.client.take())
        {
            let text = statements::marked(query);
            // Rows that cannot be archived in time stay in the table; the next start archives them with later rows.
            let _ = timeout(SETTLES_WITHIN, client.query(&Statement::filled(&text, MARK, &uid), ONE)).await;
        }
    }
}
