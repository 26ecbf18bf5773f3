//! Compiles log paths: which of them the messages of a source enter.
//!
//! In: the paths of a configuration. Out: a router. Holds nothing.
//! Limits: [`DEPTH_MAX`] levels of nesting; deeper paths are refused.

use super::plan::{DEPTH_MAX, Path, Plan, PlanError, Router, Step};
use crate::parser::Parser;
use std::collections::HashMap;

impl Router {
    /// Compiles paths.
    pub fn new(plan: Plan) -> Result<Router, PlanError> {
        let mut entries: HashMap<String, Vec<usize>> = HashMap::new();
        let mut catchall = Vec::new();
        let mut inner_sources = false;
        for (index, path) in plan.paths.iter().enumerate() {
            let mut inner = Vec::new();
            collect_sources(&path.steps, 1, &mut inner)?;
            inner_sources |= !inner.is_empty();
            for source in path.sources.iter().chain(inner) {
                let paths = entries.entry(source.clone()).or_default();
                if paths.last() != Some(&index) {
                    paths.push(index);
                }
            }
            if path.flags.catchall {
                catchall.push(index);
            }
        }
        for paths in entries.values_mut() {
            paths.extend(&catchall);
            paths.sort_unstable();
            paths.dedup();
        }
        let timed = plan.paths.iter().any(|path| path.steps.iter().any(is_timed));
        let threaded = plan.paths.iter().any(|path| path.thread.is_some());
        Ok(Router { plan, entries, catchall, inner_sources, timed, threaded })
    }

    /// Returns the indexes in the plan of the paths that messages of a source enter.
    pub fn paths_of(&self, source: &str) -> &[usize] {
        self.entries.get(source).unwrap_or(&self.catchall)
    }

    /// Returns the paths, for statistics.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

impl Path {
    /// Returns true when some parser in it waits for another process.
    pub fn waits(&self) -> bool {
        self.steps.iter().any(|step| has_parser(step, &|parser| parser.waits()))
    }
}

fn is_timed(step: &Step) -> bool {
    has_parser(step, &|parser| parser.is_timed())
}

fn has_parser(step: &Step, holds: &dyn Fn(&dyn Parser) -> bool) -> bool {
    let within = |steps: &[Step]| steps.iter().any(|step| has_parser(step, holds));
    match step {
        Step::Parser(parser) => holds(parser.as_ref()),
        Step::Junction(channels) => channels.iter().any(|channel| within(&channel.steps)),
        Step::Embedded(paths) => paths.iter().any(|path| within(&path.steps)),
        Step::Parallel(parallel) => within(parallel.steps()),
        Step::Filter(_) | Step::Rewrite(_) | Step::Outlet(_) | Step::Label(_) => false,
    }
}

/// Collects the sources inside a path, and refuses paths that are nested too deep.
pub(super) fn collect_sources<'a>(
    steps: &'a [Step],
    depth: usize,
    found: &mut Vec<&'a String>,
) -> Result<(), PlanError> {
    if depth > DEPTH_MAX {
        return Err(PlanError::Depth);
    }
    for step in steps {
        match step {
            Step::Junction(channels) => {
                for channel in channels {
                    found.extend(&channel.sources);
                    collect_sources(&channel.steps, depth + 1, found)?;
                }
            }
            Step::Embedded(paths) => {
                for path in paths {
                    found.extend(&path.sources);
                    collect_sources(&path.steps, depth + 1, found)?;
                }
            }
            Step::Parallel(parallel) => collect_sources(parallel.steps(), depth + 1, found)?,
            _ => {}
        }
    }
    Ok(())
}
