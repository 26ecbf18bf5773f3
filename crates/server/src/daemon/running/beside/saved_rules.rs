//! Rules that people keep on the server: which of them run, with the rights of their owners.
//!
//! In: objects of the kind `rule`, the accounts and their grants, the rules of files. Out: the rules that run, and why others
//! do not. Holds: the objects that were read last, for when they cannot be read.
//! A rule runs while its owner may search every logspace that it names. A rule of a file without an owner runs with the rights of
//! the configuration.

use accounts::{AccountError, Accounts, Right};
use alerts::{SavedRule, SavedRules, StoppedRule};
use objects::{Kept, KeptRule, Kind, Origin, Store};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// The objects and the accounts.
pub(super) struct RuleOwners {
    objects: Arc<Store>,
    accounts: Accounts,
    last: Mutex<Read>,
}

/// The objects as they were read last, with their rules; none for one that cannot be read.
#[derive(Clone, Default)]
struct Read {
    /// The number of changes before they were read; none: they have to be read again.
    count: Option<u64>,
    rules: Arc<Vec<(Kept, Option<KeptRule>)>>,
}

/// The rules that run, and those that do not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Decision {
    pub(super) saved: SavedRules,
    /// Rules that are switched on and do not run, for each of their logspaces.
    pub(super) stopped: Vec<StoppedRule>,
}

impl Decision {
    /// Returns the ids of the rules that run.
    pub(super) fn running(&self) -> BTreeSet<String> {
        self.saved.running.iter().map(|one| one.id.clone()).collect()
    }

    /// Returns why rules do not run, by their ids.
    pub(super) fn reasons(&self) -> BTreeMap<String, String> {
        self.stopped.iter().map(|one| (one.rule.clone(), one.reason.clone())).collect()
    }
}

impl RuleOwners {
    pub(super) fn new(objects: Arc<Store>, accounts: Accounts) -> RuleOwners {
        RuleOwners { objects, accounts, last: Mutex::default() }
    }

    /// Returns the objects.
    pub(super) fn objects(&self) -> &Arc<Store> {
        &self.objects
    }

    /// Decides which rules run; `files` has the rules of files, which count before objects of the same id. An error means that
    /// the accounts cannot be read.
    pub(super) fn decide(&self, files: &BTreeMap<String, PathBuf>) -> Result<Decision, AccountError> {
        let mut decision = Decision::default();
        for (one, kept) in self.rules().iter() {
            let name = &one.content.name;
            let Some(kept) = kept else {
                decision.saved.problems.push(format!("rule {name:?}: this version cannot read it"));
                continue;
            };
            if !kept.is_enabled {
                continue;
            }
            if let Some(path) = files.get(one.id.as_str()) {
                let path = path.display();
                let text = format!("rule {name:?}: {path} has a rule with its id {}, which counts", one.id);
                decision.saved.problems.push(text);
                continue;
            }
            let Some(reason) = self.reason(one, &kept.rule.logspaces)? else {
                let (id, logspaces) = (one.id.to_string(), kept.rule.logspaces.clone());
                decision.saved.running.push(SavedRule { id, logspaces, text: kept.text.clone() });
                continue;
            };
            let owner = one.owner.name();
            let remedy = "give it to an owner who may, or its owner the right";
            let text = format!("rule {name:?} ({}) is stopped, because {reason}: {remedy}", one.id);
            decision.saved.problems.push(text);
            let stopped = |logspace: &String| StoppedRule::of(&kept.rule, logspace, owner, &reason);
            decision.stopped.extend(kept.rule.logspaces.iter().map(stopped));
        }
        Ok(decision)
    }

    /// Returns the objects with their rules, read again only after a change; those that were read last when they cannot be read
    /// now, which is in the health of the server.
    fn rules(&self) -> Arc<Vec<(Kept, Option<KeptRule>)>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let count = self.objects.change_count();
        if last.count != Some(count) {
            let kept = Kind::RULE.parse().ok().and_then(|kind| self.objects.kept(kind).ok());
            last.count = kept.as_ref().map(|_| count);
            if let Some(kept) = kept {
                let read = |one: Kept| {
                    let rule = one.content.rule(&one.id);
                    (one, rule)
                };
                last.rules = Arc::new(kept.into_iter().map(read).collect());
            }
        }
        Arc::clone(&last.rules)
    }

    /// Returns why a rule may not run; none when it may.
    fn reason(&self, one: &Kept, logspaces: &[String]) -> Result<Option<String>, AccountError> {
        let owner = &one.owner;
        let is_file = matches!(one.origin, Origin::File(_));
        if owner.is_nobody() {
            return Ok((!is_file).then(|| "it has no owner".to_owned()));
        }
        let name = owner.name();
        let account = self.accounts.id(name)?;
        // A file names the account that has the name now.
        let is_present = if is_file { account.is_some() } else { account.as_ref() == Some(owner) };
        if !is_present {
            return Ok(Some(format!("the account of its owner {name} was removed")));
        }
        for logspace in logspaces {
            if !self.accounts.may(name, logspace, Right::Search)? {
                return Ok(Some(format!("its owner {name} may not search {logspace}")));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    //! Owners with and without rights.

    use super::*;
    use objects::{Caller, Content, Request};
    use serde_json::json;
    use tempfile::TempDir;

    struct Site {
        folder: TempDir,
        accounts: Accounts,
        owners: RuleOwners,
    }

    impl Site {
        fn new() -> Site {
            let folder = TempDir::new().unwrap();
            let accounts = Accounts::at(&folder.path().join("users.json"));
            for name in ["eva", "bob"] {
                accounts.add(name, "a long password").unwrap();
            }
            let store = Arc::new(Store::open(&folder.path().join("objects.db")));
            store.set_users(Arc::new(accounts.clone()));
            let owners = RuleOwners::new(store, accounts.clone());
            Site { folder, accounts, owners }
        }

        fn save(&self, owner: &str, name: &str, spec: serde_json::Value) -> String {
            let content = Content::new("rule".parse().unwrap(), (name, ""), "", Vec::new(), spec).unwrap();
            let caller = Caller { user: self.accounts.id(owner).unwrap().unwrap(), is_administrator: false };
            let request = Request { caller: &caller, now_us: 1_795_000_000_000_000, record: &|_| Ok(()) };
            self.owners.objects.create(&request, content, "").unwrap().summary.id.to_string()
        }

        fn decide(&self) -> Decision {
            self.owners.decide(&BTreeMap::new()).unwrap()
        }

        #[track_caller]
        fn check(&self, running: usize, problem: &str) {
            let decision = self.decide();
            assert_eq!(decision.running().len(), running, "{decision:?}");
            let problems = decision.saved.problems.join("\n");
            assert!(problems.contains(problem) && problems.is_empty() == problem.is_empty(), "{problems}");
        }
    }

    fn rule(logspace: &[&str]) -> serde_json::Value {
        json!({"logspace": logspace, "query": "failed", "kind": "match"})
    }

    #[test]
    fn a_rule_runs_while_its_owner_may_search_all_that_it_watches() {
        let site = Site::new();
        let id = site.save("eva", "Failed", rule(&["main", "other"]));
        site.check(0, "its owner eva may not search main");
        site.accounts.grant("eva", "main", &[Right::Search]).unwrap();
        site.check(0, "its owner eva may not search other");
        site.accounts.grant("eva", "other", &[Right::Export]).unwrap();
        site.check(0, "its owner eva may not search other");
        site.accounts.grant("eva", "*", &[Right::Search]).unwrap();
        site.check(1, "");
        let files = BTreeMap::from([(id.clone(), PathBuf::from("/etc/rules/a.yaml"))]);
        let decision = site.owners.decide(&files).unwrap();
        assert!(decision.saved.running.is_empty() && decision.stopped.is_empty(), "{decision:?}");
        assert!(decision.saved.problems[0].contains("/etc/rules/a.yaml"), "{decision:?}");
        site.accounts.revoke("eva", "*", &[Right::Search]).unwrap();
        let stopped = site.decide().stopped;
        let logspaces: Vec<&str> = stopped.iter().map(|one| one.logspace.as_str()).collect();
        assert_eq!((logspaces, stopped[0].owner.as_str()), (vec!["main", "other"], "eva"));
        assert_eq!(site.decide().reasons()[&id], "its owner eva may not search other");
    }

    #[test]
    fn a_rule_stops_while_its_owner_is_locked_out() {
        let site = Site::new();
        site.accounts.grant("eva", "main", &[Right::Search]).unwrap();
        site.save("eva", "Failed", rule(&["main"]));
        site.check(1, "");
        site.accounts.lock("eva").unwrap();
        site.check(0, "its owner eva may not search main");
        site.accounts.unlock("eva").unwrap();
        site.check(1, "");
    }

    #[test]
    fn another_account_of_the_name_gives_no_right() {
        let site = Site::new();
        site.accounts.grant("eva", "main", &[Right::Search]).unwrap();
        site.save("eva", "Failed", rule(&["main"]));
        site.check(1, "");
        site.accounts.remove("eva").unwrap();
        site.check(0, "the account of its owner eva was removed");
        site.accounts.add("eva", "another password").unwrap();
        site.accounts.grant("eva", "main", &[Right::Search]).unwrap();
        site.check(0, "the account of its owner eva was removed");
    }

    #[test]
    fn a_rule_that_is_switched_off_does_not_run_and_is_no_problem() {
        let site = Site::new();
        let mut spec = rule(&["main"]);
        spec["enabled"] = false.into();
        site.save("eva", "Failed", spec);
        site.check(0, "");
    }

    #[test]
    fn a_file_without_an_owner_runs_and_one_with_an_owner_needs_their_right() {
        let site = Site::new();
        let folder = site.folder.path().join("etc");
        std::fs::create_dir(&folder).unwrap();
        let file = json!({"id": "failed", "kind": "rule", "name": "Failed", "spec": rule(&["main"])});
        std::fs::write(folder.join("a.json"), file.to_string()).unwrap();
        let mut owned = file.clone();
        (owned["id"], owned["name"], owned["owner"]) = ("other".into(), "Other".into(), "bob".into());
        std::fs::write(folder.join("b.json"), owned.to_string()).unwrap();
        site.owners.objects.reload(&folder);
        site.check(1, "its owner bob may not search main");
        site.accounts.grant("bob", "main", &[Right::Search]).unwrap();
        site.check(2, "");
    }

    #[test]
    fn what_cannot_be_read_changes_nothing() {
        let site = Site::new();
        site.accounts.grant("eva", "main", &[Right::Search]).unwrap();
        site.save("eva", "Failed", rule(&["main"]));
        site.check(1, "");
        site.owners.objects.close();
        site.check(1, "");
        std::fs::write(site.folder.path().join("users.json"), "{").unwrap();
        assert!(site.owners.decide(&BTreeMap::new()).is_err());
    }
}
