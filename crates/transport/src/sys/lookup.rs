//! Looks up the name of an address with the system's resolver.
//!
//! In: an address. Out: its name. Holds: nothing. Blocks: call it on a thread of its own.
//! Limits: names of `NI_MAXHOST` bytes.
#![allow(unsafe_code)]

use socket2::SockAddr;
use std::{
    ffi::CStr,
    net::{IpAddr, SocketAddr},
};

/// `NI_MAXHOST`
const NAME_BYTES: usize = 1025;

/// Returns the name of an address; `None` when it has none.
pub(crate) fn name_of(address: IpAddr) -> Option<String> {
    let address = SockAddr::from(SocketAddr::new(address, 0));
    let mut name = [0 as libc::c_char; NAME_BYTES];
    // SAFETY: the address and its length come from one `SockAddr`; the name buffer is given with its own length;
    // no service is asked for (null, 0). The call writes a string that ends with NUL when it returns 0.
    let failed = unsafe {
        libc::getnameinfo(
            address.as_ptr().cast(),
            address.len(),
            name.as_mut_ptr(),
            NAME_BYTES as libc::socklen_t,
            std::ptr::null_mut(),
            0,
            libc::NI_NAMEREQD,
        )
    };
    if failed != 0 {
        return None;
    }
    // SAFETY: the buffer starts with a string that ends with NUL, see above.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) };
    name.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests;
