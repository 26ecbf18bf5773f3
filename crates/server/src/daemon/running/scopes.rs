//! The logspaces for searches: local ones, and those that the configuration makes of them.
//!
//! In: open logspaces, views. Out: scopes, in the order of the configuration. Holds nothing.

use crate::assemble::{LogspaceSpec, ViewMember, ViewSpec};
use api::{Scope, ScopeKind, ScopeMember};
use logspace::Logspace;
use query::{Boundary, ParseOptions, Query};
use std::sync::Arc;

/// Returns local logspaces first, then the others.
pub(super) fn scopes(logspaces: &[(LogspaceSpec, Arc<Logspace>)], views: &[ViewSpec]) -> Vec<Arc<Scope>> {
    let local = logspaces.iter().map(|(spec, logspace)| Scope::local(&spec.name, logspace.clone()));
    let made = views.iter().map(|view| {
        let kind = if view.is_multiple { ScopeKind::Multiple } else { ScopeKind::Filtered };
        // The check has verified that every one of them exists.
        let members = view.members.iter().filter_map(|member| joined(logspaces, member)).collect();
        Scope { name: view.name.clone(), kind, members }
    });
    local.chain(made).map(Arc::new).collect()
}

fn joined(logspaces: &[(LogspaceSpec, Arc<Logspace>)], member: &ViewMember) -> Option<ScopeMember> {
    let (_, logspace) = logspaces.iter().find(|(spec, _)| spec.name == member.base)?;
    let boundary = match &member.ways {
        None => None,
        // A filter that cannot be parsed after all hides all messages.
        Some(ways) => {
            let read = |way: &Vec<String>| {
                let questions = way.iter().map(|text| Query::parse(text, &ParseOptions::default()));
                questions.collect::<Result<Vec<Query>, _>>().ok()
            };
            Some(Arc::new(Boundary::new(&ways.iter().filter_map(read).collect::<Vec<_>>())))
        }
    };
    let shown = member.shown.as_str().into();
    Some(ScopeMember { shown, base: member.base.clone(), logspace: logspace.clone(), boundary })
}
