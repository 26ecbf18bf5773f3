//! The values of a line: processes, addresses, users, names, identifiers, times.
//!
//! In: 64 bits that choose. Out: the text of the value. Holds: the lists that values are made of.

use super::{
    names::Names,
    random::{even, mix, skewed},
    write::{self, framed_clock, hex, number, padded, text},
};
use std::io;

/// Outside addresses that recur; one in ten is a new one.
const OUTSIDE: u64 = 200_000;
const INSIDE: u64 = 20_000;
const USERS: u64 = 5_000;
const DOMAINS: u64 = 50_000;
const PATHS: u64 = 100_000;
const ASSETS: u64 = 3_000;

const HEX_LOWER: &[u8; 16] = b"0123456789abcdef";
const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The kind of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Pick(&'static [&'static str]),
    /// A number of hexadecimal digits of an alphabet.
    Hex(usize, &'static [u8; 16]),
    Base64(usize),
    Process,
    Port,
    ServicePort,
    Outside,
    Inside,
    Nat,
    Mac,
    User,
    /// A name that an attacker tries: a common one, or that of a user.
    Guess,
    /// Mostly no user at all.
    WebUser,
    Domain,
    Path,
    Asset,
    Pc,
    Sid,
    Serial,
    Host,
    Uptime,
    Epoch,
    Iso,
    Clock,
    Day,
    Date,
    Clf,
    Ctime,
    Tab,
}

impl Kind {
    pub(super) fn parse(name: &str, names: &Names) -> io::Result<Kind> {
        let (name, size) = name.split_once(':').unwrap_or((name, "0"));
        let size = size.parse().map_err(io::Error::other)?;
        Ok(match name {
            "hex" => Kind::Hex(size, HEX_LOWER),
            "HEX" => Kind::Hex(size, HEX_UPPER),
            "base64" => Kind::Base64(size),
            "pid" => Kind::Process,
            "port" => Kind::Port,
            "service_port" => Kind::ServicePort,
            "outside" => Kind::Outside,
            "inside" => Kind::Inside,
            "nat" => Kind::Nat,
            "mac" => Kind::Mac,
            "user" => Kind::User,
            "guess" => Kind::Guess,
            "web_user" => Kind::WebUser,
            "domain" => Kind::Domain,
            "path" => Kind::Path,
            "asset" => Kind::Asset,
            "pc" => Kind::Pc,
            "sid" => Kind::Sid,
            "serial" => Kind::Serial,
            "host" => Kind::Host,
            "uptime" => Kind::Uptime,
            "epoch" => Kind::Epoch,
            "iso" => Kind::Iso,
            "clock" => Kind::Clock,
            "day" => Kind::Day,
            "date" => Kind::Date,
            "clf" => Kind::Clf,
            "ctime" => Kind::Ctime,
            "tab" => Kind::Tab,
            list => Kind::Pick(names.list(list)?),
        })
    }
}

/// The thing that a value belongs to: it keeps the same value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    Event,
    Host,
    User,
    Inside,
    Outside,
}

impl Scope {
    pub(super) fn parse(name: &str) -> io::Result<Scope> {
        Ok(match name {
            "" => Scope::Event,
            "host" => Scope::Host,
            "user" => Scope::User,
            "inside" => Scope::Inside,
            "outside" => Scope::Outside,
            _ => return Err(io::Error::other(format!("a value belongs to no `{name}`"))),
        })
    }
}

/// An event at one of its lines.
pub(super) struct Moment<'a> {
    /// The event.
    pub(super) seed: u64,
    /// Number of its device, and its name.
    pub(super) host: u64,
    pub(super) host_name: &'a str,
    /// Number of the event, as devices count connections.
    pub(super) serial: u64,
    /// The device's clock.
    pub(super) ms: u64,
    /// New for each line.
    pub(super) fresh: u64,
}

/// Writes values.
pub(super) struct Values {
    words: &'static [&'static str],
    first: &'static [&'static str],
    guesses: &'static [&'static str],
    domain_parts: &'static [&'static str],
    domain_ends: &'static [&'static str],
    vendors: &'static [&'static str],
    departments: &'static [&'static str],
    asset_ends: &'static [&'static str],
    open_ports: &'static [&'static str],
}

impl Values {
    pub(super) fn new(names: &Names) -> io::Result<Values> {
        Ok(Values {
            words: names.list("word")?,
            first: names.list("first")?,
            guesses: names.list("guess")?,
            domain_parts: names.list("domain_part")?,
            domain_ends: names.list("domain_end")?,
            vendors: names.list("vendor")?,
            departments: names.list("department")?,
            asset_ends: names.list("asset_end")?,
            open_ports: names.list("open_port")?,
        })
    }

    /// Returns the number that chooses a value: the same number for the same event, host, user or address.
    #[inline]
    pub(super) fn key(&self, scope: Scope, moment: &Moment) -> u64 {
        match scope {
            Scope::Event => moment.seed,
            Scope::Host => moment.host,
            Scope::User => skewed(mix(moment.seed), USERS),
            Scope::Inside => skewed(mix(moment.seed ^ 1), INSIDE),
            Scope::Outside => skewed(mix(moment.seed ^ 2), OUTSIDE),
        }
    }

    /// Writes the value that `bits` choose.
    #[inline]
    pub(super) fn write(&self, out: &mut Vec<u8>, kind: Kind, bits: u64, moment: &Moment) {
        match kind {
            Kind::Pick(list) => text(out, pick(list, bits)),
            Kind::Hex(digits, alphabet) => (0..digits.div_ceil(16)).for_each(|part| {
                hex(out, mix(bits ^ part as u64), digits - part * 16, alphabet);
            }),
            Kind::Base64(digits) => (0..digits as u64).for_each(|digit| {
                out.push(BASE64[(mix(bits ^ digit) & 63) as usize]);
            }),
            Kind::Process => number(out, 400 + even(bits, 65_000)),
            Kind::Port => number(out, 1024 + even(bits, 64_511)),
            Kind::ServicePort => self.service_port(out, bits),
            Kind::Outside => outside(out, bits),
            Kind::Inside => inside(out, skewed(bits, INSIDE)),
            Kind::Nat => {
                text(out, "203.0.113.");
                number(out, even(bits, 30));
            }
            Kind::Mac => self.mac(out, bits),
            Kind::User => self.user(out, skewed(bits, USERS)),
            Kind::Guess if even(bits, 3) < 2 => text(out, pick(self.guesses, mix(bits))),
            Kind::WebUser if even(bits, 20) > 0 => out.push(b'-'),
            Kind::Guess | Kind::WebUser => self.user(out, skewed(mix(bits), USERS)),
            Kind::Domain => self.domain(out, skewed(bits, DOMAINS)),
            Kind::Path => self.path(out, skewed(bits, PATHS)),
            Kind::Asset => self.asset(out, skewed(bits, ASSETS)),
            Kind::Pc => self.pc(out, skewed(bits, INSIDE)),
            Kind::Sid => {
                text(out, "1004336348-1177238915-682003330-");
                number(out, 1000 + skewed(bits, USERS));
            }
            Kind::Serial => number(out, moment.serial),
            Kind::Host => text(out, moment.host_name),
            Kind::Uptime | Kind::Epoch | Kind::Iso => time(out, kind, moment),
            Kind::Clock => write::clock(out, moment.ms),
            Kind::Day => text(out, "2026-11-01"),
            Kind::Date => framed_clock(out, "2026/11/01 ", moment.ms, ""),
            Kind::Clf => framed_clock(out, "01/Nov/2026:", moment.ms, " +0000"),
            Kind::Ctime => framed_clock(out, "Sun Nov  1 ", moment.ms, " 2026"),
            Kind::Tab => out.push(b'\t'),
        }
    }

    fn service_port(&self, out: &mut Vec<u8>, bits: u64) {
        match self.open_ports.get(skewed(bits, self.open_ports.len() as u64 + 40) as usize) {
            Some(port) => text(out, port),
            None => number(out, 1 + even(mix(bits), 49_000)),
        }
    }

    fn mac(&self, out: &mut Vec<u8>, bits: u64) {
        text(out, pick(self.vendors, bits));
        for byte in 0..3 {
            out.push(b':');
            hex(out, bits >> (8 * byte), 2, HEX_LOWER);
        }
    }

    fn user(&self, out: &mut Vec<u8>, user: u64) {
        let bits = mix(user);
        text(out, pick(self.first, bits));
        match user {
            0..20 => {}
            _ if user.is_multiple_of(3) => {
                out.push(b'.');
                text(out, pick(self.words, mix(bits)));
            }
            _ => number(out, user % 97),
        }
    }

    fn domain(&self, out: &mut Vec<u8>, domain: u64) {
        let bits = mix(domain);
        if bits & 3 == 0 {
            text(out, pick(self.domain_parts, mix(bits ^ 1)));
            out.push(b'.');
        }
        text(out, pick(self.words, mix(bits ^ 2)));
        if domain > 100 {
            text(out, pick(self.words, mix(bits ^ 3)));
        }
        if domain > 2000 {
            number(out, domain % 1000);
        }
        out.push(b'.');
        text(out, pick(self.domain_ends, mix(bits ^ 4)));
    }

    fn path(&self, out: &mut Vec<u8>, path: u64) {
        let bits = mix(path);
        for part in 1..3 {
            out.push(b'/');
            text(out, pick(self.words, mix(bits ^ part)));
        }
        if path > 50 {
            out.push(b'/');
            number(out, path);
        }
        if bits & 1 == 1 {
            text(out, "?page=");
            number(out, even(mix(bits), 20));
        }
    }

    fn asset(&self, out: &mut Vec<u8>, asset: u64) {
        text(out, "/assets/");
        text(out, self.words[asset as usize % self.words.len()]);
        out.push(b'-');
        hex(out, mix(asset), 8, HEX_LOWER);
        text(out, pick(self.asset_ends, mix(asset ^ 1)));
    }

    fn pc(&self, out: &mut Vec<u8>, pc: u64) {
        text(out, "PC-");
        text(out, self.departments[pc as usize % self.departments.len()]);
        out.push(b'-');
        padded(out, pc % 10_000, 4, b'0');
    }
}

/// An entry of a list.
fn pick(list: &[&'static str], bits: u64) -> &'static str {
    list.get(even(bits, list.len() as u64) as usize).copied().unwrap_or_default()
}

fn outside(out: &mut Vec<u8>, bits: u64) {
    let new = even(mix(bits), 10) == 0;
    let address = mix(if new { bits } else { skewed(bits, OUTSIDE) });
    number(out, 1 + even(address, 222));
    for byte in 0..3 {
        out.push(b'.');
        number(out, address >> (8 * byte) & 255);
    }
}

fn inside(out: &mut Vec<u8>, computer: u64) {
    let address = mix(computer);
    text(out, "10.");
    for (limit, dot) in [(40, "."), (16, "."), (256, "")] {
        number(out, (address >> limit.min(32)) % limit);
        text(out, dot);
    }
}

fn time(out: &mut Vec<u8>, kind: Kind, moment: &Moment) {
    match kind {
        Kind::Uptime => {
            padded(out, 1_000_000 + mix(moment.host) % 9_000_000 + moment.ms / 1000, 5, b' ');
            out.push(b'.');
            padded(out, moment.fresh % 1_000_000, 6, b'0');
        }
        // The first of November 2026.
        Kind::Epoch => number(out, 1_793_491_200 + moment.ms / 1000),
        _ => write::iso(out, moment.ms),
    }
}
