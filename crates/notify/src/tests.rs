//! Tests of what is decided, over a database with transitions and a clock that is set.

mod decisions;
mod for_people;
mod outbox;
mod site;
mod source;
