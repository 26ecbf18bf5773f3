//! Threads that follow a logspace: what they report is what one evaluator without interruption reports.

mod crashes;
mod faults;
mod formats;
mod history;
mod saved;
mod site;
