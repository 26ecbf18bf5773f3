//! Why nothing can be read at present.
//!
//! In: reasons, and that they are over. Out: a line of our log for each change, and the health of the server. Holds: the last
//! reason. Limits: a reason that stays is said once.

use intake::Settings;
use transport::InternalLog;

/// The trouble that the health of the server shows.
pub(crate) struct TroubleReport {
    log: InternalLog,
    fails: &'static str,
    works: &'static str,
    shown: Option<String>,
}

impl TroubleReport {
    /// Begins without trouble: that of an earlier configuration, whose counters go on, is over. The sentences say that
    /// something fails, and that it works again.
    pub(crate) fn new(
        settings: &Settings,
        log: InternalLog,
        fails: &'static str,
        works: &'static str,
    ) -> TroubleReport {
        settings.counters.set_trouble(None);
        TroubleReport { log, fails, works, shown: None }
    }

    /// Shows a trouble, or that it is over.
    pub(crate) fn show(&mut self, settings: &Settings, trouble: Option<String>) {
        if trouble == self.shown {
            return;
        }
        let id = &settings.id;
        match &trouble {
            Some(why) => self.log.error(&format!("{}; id='{id}', error='{why}'", self.fails)),
            None => self.log.notice(&format!("{}; id='{id}'", self.works)),
        }
        settings.counters.set_trouble(trouble.clone());
        self.shown = trouble;
    }

    /// Shows the trouble with new settings, whose counters do not know it.
    pub(crate) fn show_again(&mut self, settings: &Settings) {
        settings.counters.set_trouble(self.shown.clone());
    }
}
