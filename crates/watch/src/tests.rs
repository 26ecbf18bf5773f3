//! Tests of whole evaluators: by hand for each kind, against a naive model, at limits, through snapshots.

mod by_hand;
mod limits;
mod manual;
mod oracle;
mod random;
mod site;
mod snapshots;
