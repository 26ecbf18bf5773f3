//! Two endpoints in virtual time, joined by a link that loses, delays, repeats and reorders.

mod forgeries;
mod grid;
mod hostile;
mod link;
mod network;
mod schedules;
