//! Times as people write them: the calendar, and the printed forms of syslog-ng's `ts-format()`.
//!
//! In: a [`message::Stamp`]. Out: text, or calendar fields. Holds: the text of the last second printed.
//! Limits: years 0 to 9999 print with four digits; others print as they are.

mod civil;
mod guess;
mod print;
mod zone;

pub use civil::Civil;
pub(crate) use civil::unix_s_of;
pub use guess::guess_zone;
pub(crate) use print::offset_at;
pub use print::{FRACTION_DIGITS_MAX, StampFormat, StampText};
pub use zone::zone_of;

#[cfg(test)]
mod tests;
