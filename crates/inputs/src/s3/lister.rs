//! Finds the objects that are not read yet.
//!
//! In: the list of the bucket. Out: jobs for the workers. Holds: a page of the list, and the highest name that was seen. Limits: a page is
//! handed out before the next one is asked for; a job waits until a worker is free.
//!
//! The first look, and one after each `full-list-freq()`, is at the whole list: objects whose names come before those that were read
//! are found there. The others are at the names behind the highest one.

use super::{
    options::{OldObjects, S3Source},
    progress::{Job, Progress},
    register::RegisterError,
    troubles::{Subject, Troubles},
};
use intake::{Settings, SettingsCell};
use services::{BucketReader, FaultKind, ListFrom, ObjectList, ReadFault};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};
use transport::InternalLog;

/// First pause after a failure; each further one is twice as long.
pub(super) const PAUSE_MIN: Duration = Duration::from_millis(250);

/// The part of the list that is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    Whole,
    Behind,
}

/// Why a look at the list ended early.
enum RoundError {
    /// The place where it was to continue is not known to the server any more.
    Place(ReadFault),
    Register(RegisterError),
    /// The workers have ended, so the source is about to.
    Over,
}

impl From<RegisterError> for RoundError {
    fn from(error: RegisterError) -> RoundError {
        RoundError::Register(error)
    }
}

pub(super) struct Lister {
    pub(super) cell: Arc<SettingsCell>,
    /// Those that its options are from.
    pub(super) settings: Arc<Settings>,
    pub(super) options: S3Source,
    pub(super) bucket: BucketReader,
    pub(super) progress: Arc<Progress>,
    pub(super) troubles: Arc<Troubles>,
    pub(super) jobs: mpsc::Sender<Job>,
    pub(super) log: InternalLog,
    /// The highest name that was seen.
    pub(super) highest: String,
    /// Archived objects in the whole list.
    pub(super) archived: usize,
}

impl Lister {
    /// Looks at the list until the source ends.
    pub(super) async fn run(mut self) {
        let mut whole_due = Instant::now();
        loop {
            self.refresh();
            if !self.progress.has_unreadable() {
                self.troubles.set(Subject::Objects, None);
            }
            let is_due = Instant::now() >= whole_due || self.progress.needs_whole_list();
            let scope = if is_due { Scope::Whole } else { Scope::Behind };
            let pause = match self.round(scope).await {
                Ok(()) => {
                    if scope == Scope::Whole {
                        whole_due = Instant::now() + self.options.full_list_every;
                    }
                    self.options.follow_every
                }
                Err(RoundError::Over) => return,
                Err(RoundError::Place(fault)) => {
                    self.troubles.set(Subject::List, Some(fault.to_string()));
                    whole_due = Instant::now();
                    PAUSE_MIN
                }
                Err(RoundError::Register(error)) => {
                    self.troubles.set(Subject::Register, Some(error.to_string()));
                    whole_due = Instant::now();
                    self.options.reopen_after.max(PAUSE_MIN)
                }
            };
            sleep(pause).await;
        }
    }

    /// Takes new settings over after a reload.
    fn refresh(&mut self) {
        let settings = self.cell.settings();
        if Arc::ptr_eq(&settings, &self.settings) {
            return;
        }
        // A reload may have read certificates again.
        if let Some(options) = settings.input::<S3Source>() {
            self.options = options.clone();
            self.bucket = BucketReader::new(Arc::new(self.options.bucket.clone()));
        }
        self.settings = settings;
    }

    async fn round(&mut self, scope: Scope) -> Result<(), RoundError> {
        let mut from = match scope {
            Scope::Whole => {
                self.progress.begin_round();
                ListFrom::Start
            }
            Scope::Behind => {
                self.hand_out(self.progress.unreadable()?).await?;
                ListFrom::Behind(self.highest.clone())
            }
        };
        let mut archived = 0;
        loop {
            let page = self.page(&from).await?;
            let next = page.next.clone();
            if let Some(last) = page.objects.iter().map(|object| &object.key).max()
                && *last > self.highest
            {
                self.highest.clone_from(last);
            }
            let count = page.objects.len();
            let objects: Vec<_> = page.objects.into_iter().filter(|object| !object.is_archived).collect();
            archived += count - objects.len();
            let old = if scope == Scope::Whole { self.options.old } else { OldObjects::Read };
            let jobs = self.progress.admit(objects, old)?;
            self.troubles.set(Subject::Register, None);
            self.hand_out(jobs).await?;
            match next {
                Some(token) => from = ListFrom::Token(token),
                None => break,
            }
        }
        if scope == Scope::Whole {
            self.progress.end_round()?;
            self.report_archived(archived);
        }
        Ok(())
    }

    /// Asks for a page until the server gives it.
    async fn page(&mut self, from: &ListFrom) -> Result<ObjectList, RoundError> {
        let mut pause = PAUSE_MIN;
        loop {
            let fault = match self.bucket.list(&self.options.prefix, from).await {
                Ok(page) => {
                    self.troubles.set(Subject::List, None);
                    return Ok(page);
                }
                Err(fault) => fault,
            };
            if fault.kind == FaultKind::Place && matches!(from, ListFrom::Token(_)) {
                return Err(RoundError::Place(fault));
            }
            let most = self.options.reopen_after.max(PAUSE_MIN);
            let wait = match fault.kind {
                FaultKind::Away(Some(wait)) => wait,
                _ => pause.min(most),
            };
            self.troubles.set(Subject::List, Some(fault.to_string()));
            sleep(wait).await;
            pause = (pause * 2).min(most);
            self.refresh();
        }
    }

    async fn hand_out(&self, jobs: Vec<Job>) -> Result<(), RoundError> {
        for job in jobs {
            self.jobs.send(job).await.map_err(|_| RoundError::Over)?;
        }
        Ok(())
    }

    fn report_archived(&mut self, archived: usize) {
        if archived != self.archived {
            self.archived = archived;
            let id = &self.settings.id;
            self.log.notice(&format!(
                "Objects in an archive of S3 are not read until they are copied out of it; id='{id}', objects='{archived}'"
            ));
        }
    }
}
