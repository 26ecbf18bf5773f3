//! The accounts of a directory, which are read again from time to time.
//!
//! In: the directory that is configured now, accounts. Out: changed accounts, in the ledger. Holds nothing between rounds but when to ask
//! again.
//! Limits: accounts are looked through every [`EVERY`]; each is read again when its time has come.

use super::super::{ledger::LedgerKeeper, running::Shared};
use accounts::{AccountChange, AccountError, Accounts};
use api::SecurityEvent;
use directory::{Refreshed, Refresher};
use message::Severity;
use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::runtime::Handle;
use transport::InternalLog;

/// Time between two looks for accounts that are due.
const EVERY: Duration = Duration::from_secs(2);

/// Reads the rights of accounts again, until the runtime ends.
pub(super) async fn keep_current(
    shared: Arc<Shared>,
    accounts: Accounts,
    ledger: LedgerKeeper,
    log: InternalLog,
) {
    let mut refresher = Refresher::default();
    loop {
        let (directory, accounts, ledger, log) =
            (shared.directory().present(), accounts.clone(), ledger.clone(), log.clone());
        // It waits for disks. An answer that cannot be read ends this round alone.
        let round = tokio::task::spawn_blocking(move || {
            let done =
                Handle::current().block_on(refresher.refresh(directory.as_deref(), &accounts, now_s()));
            report(done, &ledger, &log);
            refresher
        });
        refresher = round.await.unwrap_or_default();
        tokio::time::sleep(EVERY).await;
    }
}

/// Writes into the ledger what became of accounts.
fn report(done: Result<Vec<Refreshed>, AccountError>, ledger: &LedgerKeeper, log: &InternalLog) {
    let done = done.unwrap_or_else(|error| {
        log.write(Severity::ERROR, &format!("Rights of the directory cannot be kept; error='{error}'"));
        Vec::new()
    });
    for one in done {
        let event = match one {
            Refreshed::Rights { account } => {
                SecurityEvent::DirectoryRights { user: account, change: AccountChange::Rights }
            }
            Refreshed::Suspended { account, state } => {
                SecurityEvent::DirectorySuspended { user: account, state }
            }
            Refreshed::Unavailable { reason } => SecurityEvent::DirectoryUnavailable { reason },
        };
        if let Err(error) = ledger.security(&event) {
            log.write(Severity::ERROR, &format!("Cannot write the ledger; error='{error}'"));
        }
    }
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
