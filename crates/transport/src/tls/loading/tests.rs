//! Settings that are read when they are first needed.

use super::*;
use crate::{
    testing::Pki,
    tls::{ClientTls, ServerTls},
};
use std::{fs, sync::Arc};

#[test]
fn files_are_read_once() {
    let pki = Pki::new();
    let server = Configured::<ServerTls>::new(pki.options("server"));
    let first = Arc::as_ptr(server.settings().unwrap().config());
    fs::remove_file(pki.path("server.key")).unwrap();
    let copy = server.clone();
    assert_eq!(Arc::as_ptr(copy.settings().unwrap().config()), first);
}

#[test]
fn what_could_not_be_read_is_tried_again() {
    let pki = Pki::new();
    let hidden = pki.path("hidden");
    fs::rename(pki.path("client.key"), &hidden).unwrap();
    let client = Configured::<ClientTls>::new(pki.options("client"));
    assert!(client.settings().unwrap_err().to_string().starts_with("cannot read "));
    fs::rename(&hidden, pki.path("client.key")).unwrap();
    assert!(client.settings().unwrap().has_certificate());
    let anonymous = Configured::<ClientTls>::new(pki.anonymous());
    assert!(!anonymous.settings().unwrap().has_certificate());
}

#[test]
fn they_are_equal_when_their_options_are() {
    let pki = Pki::new();
    let configured = |options| Configured::<ServerTls>::new(options);
    let server = configured(pki.options("server"));
    server.settings().unwrap();
    server.options.passwords.add(&pki.path("server.key"), "oak");
    assert_eq!(server, configured(pki.options("server")));
    assert_ne!(server, configured(pki.options("client")));
    assert_eq!(format!("{:?}", server.options.passwords), "Passwords");
}
