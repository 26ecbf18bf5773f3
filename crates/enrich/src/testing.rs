//! Code shared by the tests of this crate: a server of prepared answers.
//!
//! In: keys. Out: answers by their first letter. Holds: what the server was asked for. Limits: none.

use crate::{
    asker::{Asker, Terms},
    fault::{Cause, Fault},
    key::Key,
    known::{Answer, CacheLimits, LookupStore},
    servers::{Asking, Lane},
    values::{Gathering, Naming},
};
use message::ValueKind;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use transport::InternalLog;

/// A server that decides by the key: `a` answers, `n` has nothing, `r` refuses it, `f` fails, `h` hangs; by its first letter.
struct Scripted {
    asked: Arc<Mutex<Vec<String>>>,
    /// While it is set, everything fails.
    is_down: Arc<AtomicUsize>,
    keys_max: usize,
}

impl Lane for Scripted {
    fn keys_max(&self) -> usize {
        self.keys_max
    }

    fn ask<'a>(&'a mut self, keys: &'a [Key]) -> Asking<'a> {
        Box::pin(async move {
            let texts: Vec<String> =
                keys.iter().map(|key| String::from_utf8_lossy(key).into_owned()).collect();
            self.asked.lock().unwrap().push(texts.join(" "));
            if texts.iter().any(|text| text.starts_with('h')) {
                std::future::pending::<()>().await;
            }
            let is_down = self.is_down.load(Ordering::Relaxed) > 0;
            texts.iter().map(|text| answer(text, is_down)).collect()
        })
    }

    fn close(&mut self) {
        self.asked.lock().unwrap().push("closed".to_owned());
    }
}

fn answer(text: &str, is_down: bool) -> Result<Answer, Fault> {
    match text.chars().next() {
        _ if is_down => Err(Fault::server("down")),
        Some('n') => Ok(Answer::Missing),
        Some('r') => Ok(Answer::Refused),
        Some('f') => Err(Fault::server("fault")),
        _ => {
            let naming = Naming { prefix: String::new(), single: "value".to_owned() };
            let mut gathering = Gathering::new(&naming);
            gathering.set(b"of", text.as_bytes(), ValueKind::String);
            Ok(Answer::Values(Arc::new(gathering.finish())))
        }
    }
}

/// A server, and who asks it.
pub(crate) struct Stage {
    pub(crate) asker: Asker,
    pub(crate) store: Arc<LookupStore>,
    asked: Arc<Mutex<Vec<String>>>,
    is_down: Arc<AtomicUsize>,
}

/// How long answers are of use.
pub(crate) const LIMITS: CacheLimits = CacheLimits {
    bytes_max: 1 << 20,
    expire: Duration::from_secs(60),
    expire_missing: Duration::from_secs(60),
    expire_stale: Duration::from_secs(120),
};

impl Stage {
    pub(crate) fn new(lanes: usize, keys_max: usize) -> Stage {
        let (asked, is_down) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicUsize>::default());
        let store = Arc::<LookupStore>::default();
        let (heard, down) = (asked.clone(), is_down.clone());
        let lane = move || Scripted { asked: heard.clone(), is_down: down.clone(), keys_max };
        let terms = Terms {
            name: "test".to_owned(),
            lanes: Box::new(move || (0..lanes).map(|_| Box::new(lane()) as Box<dyn Lane>).collect()),
            timeout: Duration::from_millis(50),
            reopen: Duration::from_secs(60),
            limits: LIMITS,
            store: store.clone(),
            log: InternalLog::new("", None),
        };
        Stage { asker: Asker::new(Arc::new(terms)), store, asked, is_down }
    }

    /// Asks for keys, and shows the answers.
    pub(crate) fn ask(&self, keys: &[&str]) -> String {
        let shown = |answer: Result<Answer, Cause>| match answer {
            Ok(Answer::Values(values)) => String::from_utf8_lossy(&values.list[0].value).into_owned(),
            Ok(Answer::Missing) => "-".to_owned(),
            Ok(Answer::Refused) => "refused".to_owned(),
            Err(cause) => format!("!{}", cause.word()),
        };
        let keys = keys.iter().map(|key| key.as_bytes().into()).collect();
        self.asker.ask(keys).into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    /// Returns what the server was asked for since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// Lets the server fail, or work again.
    pub(crate) fn set_down(&self, is_down: usize) {
        self.is_down.store(is_down, Ordering::Relaxed);
    }

    /// Waits until a probe has been answered.
    pub(crate) fn until(&self, works: usize) {
        // The next request is served behind the probe.
        let _ = self.asker.ask(Vec::new());
        assert_eq!(usize::from(self.store.works()), works);
    }
}
