//! Tests of what is decided, over a database with transitions and a clock that is set.

mod decisions;
mod outbox;
mod site;
