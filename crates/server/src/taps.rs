//! Taps on the messages of a source, a log path or a destination: `duramen ctl tap`.
//!
//! In: a request. Out: lines to its client until it has enough or disconnects: `M` and a message, `N` and a notice,
//! `R` and a rate. Messages are copied where they pass; everything else, including the filter, is done by the tap's
//! own thread.
//! Holds: only the open taps. Where there is no tap, a batch costs one load of a counter.
//! Limits: [`TAPS_MAX`] taps; each copies at most [`LOOKED_AT_A_SECOND`] messages a second and has [`WAITING_MAX`]
//! batches waiting; messages beyond that are counted and reported, and nothing waits for them.

use message::{Batch, Selection};
use pipeline::{
    Definitions, Filter,
    filter::{self, FilterTextError},
    route::{TapPoint, Viewer},
};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed},
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    },
    time::{Duration, Instant},
};
use template::{RenderOptions, Renderer, Site, Template, TemplateError};

/// Most taps at a time: each copies passing messages.
const TAPS_MAX: usize = 16;
/// Most batches that wait for a tap's thread.
const WAITING_MAX: usize = 64;
/// Most messages that a tap copies in a second: a few milliseconds of the thread that processes the messages.
pub(crate) const LOOKED_AT_A_SECOND: u64 = 20_000;
/// Interval at which a tap without messages checks whether its client has gone, and reports missed messages.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Longest time for a client to accept a line.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(5);

/// A client's request.
#[derive(Serialize, Deserialize, Default, Debug)]
pub(crate) struct TapRequest {
    /// Name of a source, a log path or a destination.
    pub(crate) place: String,
    /// Only messages that match this filter.
    pub(crate) filter: Option<String>,
    /// The template for printing them.
    pub(crate) template: String,
    /// Number after which the tap ends: messages, or seconds with `rate`.
    pub(crate) count: Option<u64>,
    /// True for rates instead of messages.
    pub(crate) rate: bool,
}

/// The reasons why a tap is not opened.
#[derive(Debug)]
pub(crate) enum OpenTapError {
    /// A source, a log path, a destination: more than one of them has this name.
    Ambiguous { name: String },
    /// Nothing has this name.
    Unknown {
        name: String,
        /// The points that there are, with their kinds.
        known: Vec<String>,
    },
    /// The filter cannot be parsed.
    Filter(FilterTextError),
    /// The template cannot be parsed.
    Template(TemplateError),
    /// Too many taps are open already.
    TooMany,
}

impl fmt::Display for OpenTapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenTapError::Ambiguous { name } => {
                let forms = format!("source:{name}, log:{name} or destination:{name}");
                write!(f, "{name} is the name of several things: write {forms}")
            }
            OpenTapError::Unknown { name, known } => {
                let known = known.join(", ");
                write!(f, "there is no source, log path or destination {name}: there are {known}")
            }
            OpenTapError::Filter(error) => write!(f, "--filter: {error}"),
            OpenTapError::Template(error) => write!(f, "--template: {}", error.reason),
            OpenTapError::TooMany => write!(f, "{TAPS_MAX} taps are open already"),
        }
    }
}

impl std::error::Error for OpenTapError {}

/// A tap point and its names.
#[derive(Clone)]
pub(crate) struct TapPlace {
    /// `source`, `log` or `destination`.
    pub(crate) kind: &'static str,
    /// The names by which it can be found.
    pub(crate) names: Vec<String>,
    /// The point that the messages pass.
    pub(crate) point: Arc<TapPoint>,
}

/// The taps that are open.
#[derive(Clone, Default)]
pub(crate) struct Taps(Arc<AtomicUsize>);

/// Copies passing messages to a tap.
struct Sampler {
    batches: SyncSender<Batch>,
    /// True if messages are only counted.
    only_counts: bool,
    seen: AtomicU64,
    missed: AtomicU64,
    second: AtomicI64,
    in_second: AtomicU64,
}

impl Viewer for Sampler {
    fn look(&self, batch: &Batch, selection: &Selection) {
        let count = selection.count() as u64;
        self.seen.fetch_add(count, Relaxed);
        if self.only_counts {
            return;
        }
        let second = batch.received.unix_s();
        if self.second.swap(second, Relaxed) != second {
            self.in_second.store(0, Relaxed);
        }
        let before = self.in_second.fetch_add(count, Relaxed);
        let room = LOOKED_AT_A_SECOND.saturating_sub(before).min(count);
        let copied = match room {
            0 => 0,
            room => {
                let copy = batch.copy_of(&selection.first(room as usize));
                if self.batches.try_send(copy).is_ok() { room } else { 0 }
            }
        };
        self.missed.fetch_add(count - copied, Relaxed);
    }
}

/// One tap: the data of its thread.
pub(crate) struct Session {
    taps: Taps,
    points: Vec<Arc<TapPoint>>,
    viewer: Arc<dyn Viewer>,
    sampler: Arc<Sampler>,
    batches: Receiver<Batch>,
    filter: Option<Filter>,
    template: Template,
    renderer: Renderer,
    count: Option<u64>,
    rate: bool,
}

impl Taps {
    /// Opens a tap. The error for an unknown name lists the tap points.
    pub(crate) fn open(
        &self,
        request: &TapRequest,
        places: &[TapPlace],
        definitions: &Definitions,
        site: Arc<Site>,
    ) -> Result<Session, OpenTapError> {
        let points = find(places, &request.place)?;
        let expression = request.filter.as_deref().map(|text| filter::parse(text, definitions));
        let expression = expression.transpose().map_err(OpenTapError::Filter)?;
        let template = Template::parse(&request.template, definitions);
        let template = template.map_err(OpenTapError::Template)?;
        if self.0.fetch_add(1, Relaxed) >= TAPS_MAX {
            self.0.fetch_sub(1, Relaxed);
            return Err(OpenTapError::TooMany);
        }
        let (sender, batches) = mpsc::sync_channel(WAITING_MAX);
        let sampler = Arc::new(Sampler {
            batches: sender,
            only_counts: request.rate && expression.is_none(),
            seen: AtomicU64::new(0),
            missed: AtomicU64::new(0),
            second: AtomicI64::new(0),
            in_second: AtomicU64::new(0),
        });
        let viewer: Arc<dyn Viewer> = sampler.clone();
        points.iter().for_each(|point| point.open(viewer.clone()));
        Ok(Session {
            taps: self.clone(),
            points,
            viewer,
            sampler,
            batches,
            filter: expression.map(Filter::new),
            template,
            renderer: Renderer::new(RenderOptions::default(), site),
            count: request.count,
            rate: request.rate,
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.points.iter().for_each(|point| point.close(&self.viewer));
        self.taps.0.fetch_sub(1, Relaxed);
    }
}

/// The progress of a tap.
struct Progress {
    /// Messages, or seconds, that were sent to the client.
    shown: u64,
    matched: u64,
    /// Number of missed messages reported so far.
    missed: u64,
    looked: Instant,
    /// The start of the second of a rate, and the totals then.
    second: Instant,
    seen_then: u64,
    matched_then: u64,
}

impl Session {
    /// Writes to the client until it has enough or has disconnected.
    pub(crate) fn serve(mut self, mut peer: UnixStream) -> io::Result<()> {
        peer.set_write_timeout(Some(CLIENT_TIMEOUT))?;
        peer.set_read_timeout(Some(Duration::from_millis(1)))?;
        peer.write_all(b"NOK\n")?;
        let now = Instant::now();
        let mut progress = Progress {
            shown: 0,
            matched: 0,
            missed: 0,
            looked: now,
            second: now,
            seen_then: 0,
            matched_then: 0,
        };
        let mut out = Vec::new();
        loop {
            out.clear();
            match self.batches.recv_timeout(LOOK_EVERY) {
                Ok(batch) => self.show(&batch, &mut progress, &mut out),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if progress.looked.elapsed() >= LOOK_EVERY {
                progress.looked = Instant::now();
                if is_gone(&mut peer) {
                    return Ok(());
                }
                self.write_missed(&mut progress, &mut out)?;
            }
            if self.rate && progress.second.elapsed() >= Duration::from_secs(1) {
                self.write_rate(&mut progress, &mut out)?;
            }
            peer.write_all(&out)?;
            if self.has_enough(&progress) {
                return peer.write_all(b"Nend\n");
            }
        }
    }

    fn has_enough(&self, progress: &Progress) -> bool {
        self.count.is_some_and(|count| progress.shown >= count)
    }

    /// Writes the messages of a batch that match the filter.
    fn show(&mut self, batch: &Batch, progress: &mut Progress, out: &mut Vec<u8>) {
        let held = self.held(batch);
        progress.matched += held.count() as u64;
        if self.rate {
            return;
        }
        for index in held.iter() {
            if self.has_enough(progress) {
                return;
            }
            progress.shown += 1;
            self.line(batch, index, out);
        }
    }

    fn write_missed(&self, progress: &mut Progress, out: &mut Vec<u8>) -> io::Result<()> {
        let missed = self.sampler.missed.load(Relaxed);
        if self.rate || missed == progress.missed {
            return Ok(());
        }
        let more = missed - progress.missed;
        progress.missed = missed;
        writeln!(out, "N{more} messages passed that were not looked at")
    }

    fn write_rate(&self, progress: &mut Progress, out: &mut Vec<u8>) -> io::Result<()> {
        let seconds = progress.second.elapsed().as_secs_f64();
        let (seen, missed) = (self.sampler.seen.load(Relaxed), self.sampler.missed.load(Relaxed));
        let a_second = |now: u64, then: u64| ((now - then) as f64 / seconds).round();
        write!(out, "R{} messages/s", a_second(seen, progress.seen_then))?;
        if self.filter.is_some() {
            let matched = a_second(progress.matched, progress.matched_then);
            write!(out, ", the filter holds for {matched}/s")?;
            if missed > progress.missed {
                write!(
                    out,
                    " of those that were looked at; {}/s were not",
                    a_second(missed, progress.missed)
                )?;
            }
        }
        progress.shown += 1;
        progress.missed = missed;
        (progress.second, progress.seen_then, progress.matched_then) =
            (Instant::now(), seen, progress.matched);
        writeln!(out)
    }

    /// Returns the messages of a batch that match the filter.
    fn held(&mut self, batch: &Batch) -> Selection {
        let all = Selection::all(batch.len());
        self.renderer.now = batch.received;
        match &self.filter {
            Some(filter) => filter.select(batch, &all, &mut self.renderer),
            None => all,
        }
    }

    /// Writes a message on one line.
    fn line(&mut self, batch: &Batch, index: usize, out: &mut Vec<u8>) {
        out.push(b'M');
        let start = out.len();
        self.template.render(batch, index, &mut self.renderer, out);
        while out.len() > start && out.last() == Some(&b'\n') {
            out.pop();
        }
        out[start..].iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        out.push(b'\n');
    }
}

/// Returns the tap points of a name: `s_net`, `destination:d_file#0`, `main.conf:12`.
fn find(places: &[TapPlace], wanted: &str) -> Result<Vec<Arc<TapPoint>>, OpenTapError> {
    let (kind, name) = match wanted.split_once(':') {
        Some((kind @ ("source" | "log" | "destination"), name)) => (Some(kind), name),
        _ => (None, wanted),
    };
    let fits = |place: &&TapPlace| {
        kind.is_none_or(|kind| place.kind == kind) && place.names.iter().any(|known| known == name)
    };
    let found: Vec<&TapPlace> = places.iter().filter(fits).collect();
    let kinds = |kind| found.iter().any(|place| place.kind == kind);
    let several = [kinds("source"), kinds("log"), kinds("destination")].iter().filter(|is| **is).count() > 1;
    if several {
        return Err(OpenTapError::Ambiguous { name: name.to_owned() });
    }
    if found.is_empty() {
        let known: Vec<String> = places
            .iter()
            .filter_map(|place| Some(format!("{} {}", place.kind, place.names.first()?)))
            .collect();
        return Err(OpenTapError::Unknown { name: name.to_owned(), known });
    }
    Ok(found.into_iter().map(|place| place.point.clone()).collect())
}

/// Returns true if the client has hung up.
pub(crate) fn is_gone(peer: &mut UnixStream) -> bool {
    let mut byte = [0];
    match peer.read(&mut byte) {
        Ok(count) => count == 0,
        Err(error) => !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
    }
}

#[cfg(test)]
mod tests;
