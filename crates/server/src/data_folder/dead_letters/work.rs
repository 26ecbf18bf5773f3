//! The work on dead letters, for a running server and for a folder alike.
//!
//! In: a request, stores; private keys, when letters are encrypted. Out: lines. Holds: the numbers of the letters to remove.
//! Limits: those of a store.

use delivery::{DeadFilter, DeadLetters, Letter, LetterSelection, StoreError, Unread, replay};
use evidence::{Identity, Keys};
use message::{Outlet, RecordId};
use pipeline::Definitions;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, io, sync::Arc};
use template::{RenderOptions, Renderer, Site, Template, TemplateError};
use transport::DeadReason;

/// The default template of a printed message, as that of `queue cat`.
const LINE: &str = "$DATE $HOST $MSGHDR$MSG";

/// The requested work.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verb {
    /// List the stores.
    List,
    /// Print letters.
    Cat,
    /// Deliver letters again.
    Replay,
    /// Remove letters.
    Drop,
}

/// A request.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(crate) struct DeadRequest {
    pub(crate) verb: Verb,
    /// A destination; empty for a list.
    pub(crate) destination: String,
    pub(crate) reason: Option<String>,
    pub(crate) of: Option<String>,
    pub(crate) id: Option<String>,
    /// The template of a printed message.
    pub(crate) template: Option<String>,
    /// Private keys that open encrypted letters, for this request only.
    pub(crate) keys: Vec<PrivateKey>,
}

/// A private key on its way to a server, on one line.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct PrivateKey(String);

impl PrivateKey {
    /// Makes a line of a key.
    pub(crate) fn of(identity: &Identity) -> PrivateKey {
        PrivateKey(identity.to_line())
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey")
    }
}

/// The dead letters of one destination.
#[derive(Clone)]
pub(crate) struct DeadStore {
    pub(crate) id: String,
    pub(crate) letters: Arc<DeadLetters>,
    /// The queue before the destination; there is none without a running server.
    pub(crate) outlet: Option<Arc<dyn Outlet>>,
}

/// The reason why a request cannot be carried out.
#[derive(Debug)]
pub(crate) enum DeadWorkError {
    /// No destination of this name has a store.
    NoStore(String),
    /// An unknown reason.
    Reason(String),
    /// Not an id.
    Id(String),
    /// Not a private key.
    Key,
    /// Some letters cannot be read; the others were.
    Unread(Unread),
    /// The template cannot be parsed.
    Template(TemplateError),
    /// The store cannot be used.
    Store(StoreError),
    /// The lines cannot be written.
    Write(io::Error),
    /// Only a running server can deliver.
    NotRunning,
}

impl fmt::Display for DeadWorkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeadWorkError::NoStore(id) => {
                write!(
                    f,
                    "no destination {id} has dead letters; `duramen queue dead ls` lists those that can have some"
                )
            }
            DeadWorkError::Reason(name) => {
                let names: Vec<&str> = transport::DEAD_REASONS.map(DeadReason::name).to_vec();
                write!(f, "{name} is no reason; they are {}", names.join(", "))
            }
            DeadWorkError::Id(text) => write!(f, "{text} is no id: it has 32 hexadecimal digits"),
            DeadWorkError::Key => f.write_str("the request has a private key that cannot be read"),
            DeadWorkError::Unread(Unread { locked, damaged: 0 }) => {
                write!(f, "{} cannot be read without the private key: --key FILE", counted(*locked))
            }
            DeadWorkError::Unread(Unread { locked, damaged }) => {
                write!(
                    f,
                    "{} cannot be read: {locked} encrypted for other keys, {damaged} damaged",
                    counted(locked + damaged)
                )
            }
            DeadWorkError::Template(error) => error.fmt(f),
            DeadWorkError::Store(error) => error.fmt(f),
            DeadWorkError::Write(error) => write!(f, "cannot write: {error}"),
            DeadWorkError::NotRunning => f.write_str("only a running server can deliver letters again"),
        }
    }
}

impl std::error::Error for DeadWorkError {}

impl DeadRequest {
    /// Makes the request for a list.
    pub(crate) fn list() -> DeadRequest {
        DeadRequest {
            verb: Verb::List,
            destination: String::new(),
            reason: None,
            of: None,
            id: None,
            template: None,
            keys: Vec::new(),
        }
    }

    /// Carries it out. `print` gets one line at a time.
    pub(crate) fn work(
        &self,
        stores: &[DeadStore],
        definitions: &Definitions,
        site: &Arc<Site>,
        print: &mut dyn FnMut(&str) -> io::Result<()>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), DeadWorkError> {
        if self.verb == Verb::List {
            return stores.iter().try_for_each(|store| list(store, print));
        }
        let store = stores.iter().find(|store| store.id == self.destination);
        let store = store.ok_or_else(|| DeadWorkError::NoStore(self.destination.clone()))?;
        let selection = LetterSelection { filter: self.filter()?, keys: self.keys()? };
        match self.verb {
            Verb::List => Ok(()),
            Verb::Cat => self.cat(store, &selection, (definitions, site), print),
            Verb::Drop => {
                let (numbers, unread) = store.letters.numbers(&selection).map_err(DeadWorkError::Store)?;
                store.letters.remove(&numbers).map_err(DeadWorkError::Store)?;
                let removed = format!("OK {} removed", counted(numbers.len() as u64));
                print(&removed).map_err(DeadWorkError::Write)?;
                all_read(unread)
            }
            Verb::Replay => {
                let outlet = store.outlet.as_ref().ok_or(DeadWorkError::NotRunning)?;
                let (settled, unread) = replay(&store.letters, &**outlet, &selection, is_stopped)
                    .map_err(DeadWorkError::Store)?;
                print(&format!("OK {} settled", counted(settled as u64))).map_err(DeadWorkError::Write)?;
                all_read(unread)
            }
        }
    }

    fn keys(&self) -> Result<Keys, DeadWorkError> {
        let identity = |PrivateKey(line): &PrivateKey| Identity::from_line(line).ok_or(DeadWorkError::Key);
        Ok(Keys::of(self.keys.iter().map(identity).collect::<Result<_, _>>()?))
    }

    fn filter(&self) -> Result<DeadFilter, DeadWorkError> {
        let reason = self
            .reason
            .as_deref()
            .map(|name| DeadReason::of_name(name).ok_or_else(|| DeadWorkError::Reason(name.to_owned())));
        let id = self
            .id
            .as_deref()
            .map(|text| RecordId::parse(text).ok_or_else(|| DeadWorkError::Id(text.to_owned())));
        Ok(DeadFilter {
            reason: reason.transpose()?,
            group: self.of.clone(),
            id: id.transpose()?,
            before_us: None,
        })
    }

    fn cat(
        &self,
        store: &DeadStore,
        selection: &LetterSelection,
        (definitions, site): (&Definitions, &Arc<Site>),
        print: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> Result<(), DeadWorkError> {
        let text = self.template.as_deref().map_or_else(|| LINE.to_owned(), |text| text.replace("\\n", "\n"));
        let template = Template::parse(&text, definitions).map_err(DeadWorkError::Template)?;
        let mut renderer = Renderer::new(RenderOptions::default(), site.clone());
        let (mut rendered, mut written) = (Vec::new(), Ok(()));
        let show = &mut |_, letter: Letter| {
            rendered.clear();
            template.render(&letter.batch, 0, &mut renderer, &mut rendered);
            let text = String::from_utf8_lossy(&rendered);
            written = print(&head(&letter)).and_then(|()| text.lines().try_for_each(&mut *print));
            written.is_ok()
        };
        let unread = store.letters.read(selection, show).map_err(DeadWorkError::Store)?;
        written.map_err(DeadWorkError::Write)?;
        all_read(unread)
    }
}

/// Fails when some letters could not be read.
fn all_read(unread: Unread) -> Result<(), DeadWorkError> {
    if unread == Unread::default() { Ok(()) } else { Err(DeadWorkError::Unread(unread)) }
}

fn list(store: &DeadStore, print: &mut dyn FnMut(&str) -> io::Result<()>) -> Result<(), DeadWorkError> {
    let mut letters = 0;
    let mut reasons = BTreeMap::<&str, u64>::new();
    let mut died: Option<(i64, i64)> = None;
    let heads = store.letters.heads(&mut |_, head| {
        letters += 1;
        *reasons.entry(head.reason.name()).or_default() += 1;
        let (first, last) = died.unwrap_or((head.died_us, head.died_us));
        died = Some((first.min(head.died_us), last.max(head.died_us)));
        true
    });
    heads.map_err(DeadWorkError::Store)?;
    let reasons: Vec<String> = reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    let died =
        died.map_or_else(String::new, |(first, last)| format!("{:.6} to {:.6}", time(first), time(last)));
    print(&format!("{}\t{}\t{}\t{died}", store.id, counted(letters), reasons.join(", ")))
        .map_err(DeadWorkError::Write)
}

fn time(unix_us: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_microsecond(unix_us).unwrap_or_default()
}

fn counted(letters: u64) -> String {
    if letters == 1 { "1 letter".to_owned() } else { format!("{letters} letters") }
}

/// Returns the line above a message.
fn head(letter: &Letter) -> String {
    let died = time(letter.died_us);
    let tries = if letter.attempts == 1 { "try" } else { "tries" };
    format!(
        "{died:.6} {} {} {} {tries}: {} id={}",
        letter.reason.name(),
        letter.group,
        letter.attempts,
        letter.answer,
        letter.id
    )
}
