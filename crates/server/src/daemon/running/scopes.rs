//! The logspaces for searches: local ones, and those that the configuration makes of them.
//!
//! In: open logspaces, families, views. Out: scopes, in the order of the configuration. Holds: the scopes, until a family
//! has more logspaces; the boundaries of views, which are costly to make.

use super::families::{Family, FamilyLogspace};
use crate::assemble::{LogspaceSpec, ViewMember, ViewSpec};
use api::{Scope, ScopeKind, ScopeMember};
use logspace::Logspace;
use query::{Boundary, MEMBERS_MAX, ParseOptions, Query};
use std::{collections::HashMap, sync::Arc};

/// The scopes of a configuration.
#[derive(Default)]
pub(super) struct ScopeTable {
    views: Vec<ViewSpec>,
    /// By view and local logspace.
    boundaries: HashMap<(String, String), Option<Arc<Boundary>>>,
    /// The number of logspaces that the scopes were made of.
    made_of: Option<usize>,
    scopes: Vec<Arc<Scope>>,
}

/// The logspaces that scopes are made of.
#[derive(Clone, Copy)]
pub(super) struct Local<'a> {
    pub(super) logspaces: &'a [(LogspaceSpec, Arc<Logspace>)],
    pub(super) families: &'a [Arc<Family>],
}

impl ScopeTable {
    /// Makes a table for the views of a configuration.
    pub(super) fn new(views: Vec<ViewSpec>) -> ScopeTable {
        ScopeTable { views, ..ScopeTable::default() }
    }

    /// Returns local logspaces first, then all logspaces of each family as one, then the others.
    pub(super) fn scopes(&mut self, local: Local<'_>) -> Vec<Arc<Scope>> {
        let count = local.families.iter().map(|family| family.members.count()).sum();
        if self.made_of != Some(count) {
            self.scopes = self.made(local).into_iter().map(Arc::new).collect();
            self.made_of = Some(count);
        }
        self.scopes.clone()
    }

    fn made(&mut self, local: Local<'_>) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = local
            .logspaces
            .iter()
            .map(|(spec, logspace)| Scope::local(&spec.name, logspace.clone()))
            .collect();
        for family in local.families {
            let members = family.members.list();
            scopes.extend(
                members.iter().map(|member| Scope::local(&member.spec.name, member.logspace.clone())),
            );
            let members = members.into_iter().take(MEMBERS_MAX).map(|member| ScopeMember {
                shown: member.spec.name.as_str().into(),
                base: member.spec.name,
                logspace: member.logspace,
                boundary: None,
            });
            let (name, kind) = (family.combined.clone(), ScopeKind::Multiple);
            scopes.push(Scope { name, kind, members: members.collect() });
        }
        for view in std::mem::take(&mut self.views) {
            let kind = if view.is_multiple { ScopeKind::Multiple } else { ScopeKind::Filtered };
            // The check has verified that every one of them exists.
            let members = view.members.iter().flat_map(|member| self.joined(local, &view.name, member));
            let members = members.take(MEMBERS_MAX).collect();
            scopes.push(Scope { name: view.name.clone(), kind, members });
            self.views.push(view);
        }
        scopes
    }

    /// Returns the logspaces of a view's member: one, or all of a family.
    fn joined(&mut self, local: Local<'_>, view: &str, member: &ViewMember) -> Vec<ScopeMember> {
        let found: Vec<(String, Arc<str>, Arc<Logspace>)> =
            match local.families.iter().find(|family| family.combined == member.base) {
                Some(family) => {
                    let named =
                        |one: FamilyLogspace| (one.spec.name, member.shown.as_str().into(), one.logspace);
                    family.members.list().into_iter().map(named).collect()
                }
                None => {
                    let found = local.logspaces.iter().find(|(spec, _)| spec.name == member.base);
                    let named = |(spec, logspace): &(LogspaceSpec, Arc<Logspace>)| {
                        (spec.name.clone(), member.shown.as_str().into(), logspace.clone())
                    };
                    found.map(named).into_iter().collect()
                }
            };
        let make = |(base, shown, logspace): (String, Arc<str>, Arc<Logspace>)| {
            let key = (view.to_owned(), base.clone());
            let boundary = self.boundaries.entry(key).or_insert_with(|| boundary(member)).clone();
            ScopeMember { shown, base, logspace, boundary }
        };
        found.into_iter().map(make).collect()
    }
}

/// Returns the boundary of a view's member; `None` when all messages are visible.
fn boundary(member: &ViewMember) -> Option<Arc<Boundary>> {
    let ways = member.ways.as_ref()?;
    // A filter that cannot be parsed after all hides all messages.
    let read = |way: &Vec<String>| {
        let questions = way.iter().map(|text| Query::parse(text, &ParseOptions::default()));
        questions.collect::<Result<Vec<Query>, _>>().ok()
    };
    Some(Arc::new(Boundary::new(&ways.iter().filter_map(read).collect::<Vec<_>>())))
}
