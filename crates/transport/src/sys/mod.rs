//! System calls that std, socket2 and tokio do not offer, behind safe functions.
//!
//! In: borrowed descriptors, paths, addresses. Out: `io::Result`s. Holds: nothing.
//! All `unsafe` of this crate is in this folder; each block says why it is sound.

mod descriptor;
pub(crate) mod dtls;
mod heap;
mod inherited;
mod lookup;
mod many;
mod send_many;

pub use descriptor::{
    end_with_this_thread, force_receive_buffer, kill_group, make_pipe, readiness, set_nonblocking,
    signal_group, socket_drops, wait_writable,
};
pub use heap::{bound_free_memory, release_free_memory};
pub use inherited::inherited_socket;
pub(crate) use lookup::name_of;
pub use many::{Datagrams, Received, coalesce};
pub use send_many::{SENT_MAX, send_many};
