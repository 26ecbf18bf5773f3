//! The address of servers of MongoDB, with settings (`mongodb://user:password@host:port,host/database?name=value`).
//!
//! In: text. Out: its parts. Holds: them. Limits: what cannot be honoured is refused by name; what has no effect is listed.

use super::{
    options::{Mechanism, Waiters, WriteConcern},
    session::PORT,
};
use std::{fmt, path::PathBuf, time::Duration};

/// The parts of an address.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MongodbUri {
    /// The servers: a name, an address or the path of a unix socket; and a port.
    pub servers: Vec<(String, u16)>,
    /// The user and its password.
    pub login: Option<(String, String)>,
    /// The database.
    pub database: Option<String>,
    /// `authSource`
    pub source: Option<String>,
    /// `authMechanism`
    pub mechanism: Option<Mechanism>,
    /// `replicaSet`
    pub set: Option<String>,
    /// `directConnection`
    pub direct: Option<bool>,
    /// `tls` or `ssl`
    pub tls: Option<bool>,
    /// `tlsCAFile`
    pub ca_file: Option<PathBuf>,
    /// `tlsCertificateKeyFile`: a certificate and its key.
    pub cert_file: Option<PathBuf>,
    /// `connectTimeoutMS`
    pub connect: Option<Duration>,
    /// `socketTimeoutMS`
    pub answer: Option<Duration>,
    /// `serverSelectionTimeoutMS`
    pub selection: Option<Duration>,
    /// `w`, `wtimeoutMS`, `journal`
    pub concern: WriteConcern,
    /// Names of settings that have no effect here.
    pub ignored: Vec<String>,
}

/// The reason why a text is no address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UriError {
    /// It begins with something else.
    Scheme,
    /// It asks the name service for servers.
    Lookup,
    /// It names no server.
    NoServer,
    /// A server has a port that is none.
    Port,
    /// A percent sign is not followed by two digits, or what they say is not UTF-8.
    Escape,
    /// A login has a user, but no password.
    NoPassword,
    /// A database cannot have this name.
    Database(String),
    /// A setting has a name that is none.
    Setting,
    /// A setting has a value that it cannot have.
    Value(String),
    /// A setting is not supported; the text says what to write.
    Refused(String, &'static str),
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UriError::Scheme => f.write_str("it does not begin with mongodb://"),
            UriError::Lookup => f.write_str(
                "mongodb+srv:// is not supported; name the servers: mongodb://host1,host2/database?replicaSet=name&tls=true",
            ),
            UriError::NoServer => f.write_str("it names no server"),
            UriError::Port => f.write_str("a server has a port that is none"),
            UriError::Escape => f.write_str("a % is not followed by two hexadecimal digits of a UTF-8 text"),
            UriError::NoPassword => f.write_str("its user has no password"),
            UriError::Database(name) => write!(f, "`{name}` is no name of a database"),
            UriError::Setting => f.write_str("a setting has a name that is none: are `%`, `@`, `:`, `/` and `?` of a password escaped?"),
            UriError::Value(name) => write!(f, "`{name}` has a value that it cannot have"),
            UriError::Refused(name, instead) => write!(f, "`{name}` is not supported: {instead}"),
        }
    }
}

/// Settings of drivers that do things in another way, or that are about reading.
const WITHOUT_EFFECT: [&str; 24] = [
    "appname",
    "compressors",
    "heartbeatfrequencyms",
    "localthresholdms",
    "maxidletimems",
    "maxpoolsize",
    "maxstalenessseconds",
    "minpoolsize",
    "readconcernlevel",
    "readpreference",
    "readpreferencetags",
    "retryreads",
    "retrywrites",
    "serverselectiontryonce",
    "slaveok",
    "socketcheckintervalms",
    "tlsdisablecertificaterevocationcheck",
    "tlsdisableocspendpointcheck",
    "uuidrepresentation",
    "waitqueuemultiple",
    "waitqueuetimeoutms",
    "zlibcompressionlevel",
    "servermonitoringmode",
    "srvmaxhosts",
];

impl MongodbUri {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<MongodbUri, UriError> {
        let rest = match text.split_once("://") {
            Some(("mongodb", rest)) => rest,
            Some(("mongodb+srv", _)) => return Err(UriError::Lookup),
            _ => return Err(UriError::Scheme),
        };
        let (rest, settings) = rest.split_once('?').unwrap_or((rest, ""));
        let (login, rest) = match rest.rsplit_once('@') {
            Some((login, rest)) => (Some(login), rest),
            None => (None, rest),
        };
        let (servers, database) = servers_and_database(rest);
        let mut uri = MongodbUri { login: login.map(user).transpose()?, ..MongodbUri::default() };
        for server in servers.split(',') {
            uri.servers.push(self::server(server)?);
        }
        if !database.is_empty() {
            uri.database = Some(check_database(unescaped(database)?)?);
        }
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            // What is no name may be a part of a password that was not escaped.
            match name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                true => uri.set(name, &unescaped(value)?)?,
                false => return Err(UriError::Setting),
            }
        }
        Ok(uri)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), UriError> {
        let wrong = || UriError::Value(name.to_owned());
        let refused = |instead| Err(UriError::Refused(name.to_owned(), instead));
        let truth = || match value {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(wrong()),
        };
        let text = || if value.is_empty() { Err(wrong()) } else { Ok(value.to_owned()) };
        let time = || value.parse().map(Duration::from_millis).map_err(|_| wrong());
        match name.to_ascii_lowercase().as_str() {
            "authsource" => self.source = Some(text()?),
            "replicaset" => self.set = Some(text()?),
            "directconnection" => self.direct = Some(truth()?),
            "tls" | "ssl" => self.tls = Some(truth()?),
            "tlscafile" | "sslcertificateauthorityfile" => self.ca_file = Some(text()?.into()),
            "tlscertificatekeyfile" | "sslclientcertificatekeyfile" => self.cert_file = Some(text()?.into()),
            "connecttimeoutms" => self.connect = Some(time()?).filter(|time| !time.is_zero()),
            "sockettimeoutms" => self.answer = Some(time()?).filter(|time| !time.is_zero()),
            "serverselectiontimeoutms" => self.selection = Some(time()?).filter(|time| !time.is_zero()),
            "wtimeoutms" | "wtimeout" => {
                self.concern.within = Some(time()?).filter(|time| !time.is_zero());
            }
            "journal" | "j" => self.concern.journal = Some(truth()?),
            "safe" if !truth()? => self.concern.waiters = Some(Waiters::Servers(0)),
            "safe" => {}
            "w" => self.concern.waiters = Some(Waiters::parse(&text()?).ok_or_else(wrong)?),
            "authmechanism" => match value {
                "SCRAM-SHA-1" => self.mechanism = Some(Mechanism::Sha1),
                "SCRAM-SHA-256" => self.mechanism = Some(Mechanism::Sha256),
                _ => return refused("SCRAM-SHA-256 and SCRAM-SHA-1 are"),
            },
            "tlsinsecure"
            | "tlsallowinvalidcertificates"
            | "tlsallowinvalidhostnames"
            | "sslallowinvalidcertificates"
            | "sslallowinvalidhostnames" => {
                return refused("write tls(peer-verify(...)) beside uri()");
            }
            "tlscertificatekeyfilepassword" | "sslclientcertificatekeypassword" => {
                return refused(
                    "write tls(cert-file(...) key-file(...)) beside uri(), and give the password by `ctl credentials`",
                );
            }
            "authmechanismproperties" | "gssapiservicename" => return refused("SCRAM has no properties"),
            "loadbalanced" if truth()? => return refused("name a server that takes writes"),
            "loadbalanced" => {}
            other if WITHOUT_EFFECT.contains(&other) => self.ignored.push(name.to_owned()),
            _ => return refused("no driver has it"),
        }
        Ok(())
    }
}

impl Waiters {
    /// Reads a number of servers, `majority`, or a name.
    pub fn parse(text: &str) -> Option<Waiters> {
        match (text, text.parse::<i32>()) {
            ("majority", _) => Some(Waiters::Majority),
            (_, Ok(count)) => (count >= 0).then_some(Waiters::Servers(count)),
            (name, Err(_)) => (!name.is_empty()).then(|| Waiters::Named(name.to_owned())),
        }
    }
}

/// Splits servers from the database. The path of a unix socket has slashes itself, unless they are escaped; it ends with `.sock`.
fn servers_and_database(text: &str) -> (&str, &str) {
    let socket_end =
        text.starts_with('/').then(|| text.rfind(".sock")).flatten().map(|at| at + ".sock".len());
    match socket_end {
        Some(end) => (&text[..end], text[end..].strip_prefix('/').unwrap_or_default()),
        None => text.split_once('/').unwrap_or((text, "")),
    }
}

fn user(text: &str) -> Result<(String, String), UriError> {
    let (user, password) = text.split_once(':').ok_or(UriError::NoPassword)?;
    match user.is_empty() || password.is_empty() {
        true => Err(UriError::NoPassword),
        false => Ok((unescaped(user)?, unescaped(password)?)),
    }
}

/// Reads a server: `host`, `host:port`, `[address]:port`, or the path of a unix socket.
pub(super) fn server(text: &str) -> Result<(String, u16), UriError> {
    let text = unescaped(text.trim())?;
    if text.starts_with('/') {
        return Ok((text, 0));
    }
    let (host, port) = match text.rsplit_once(':') {
        // A colon within brackets is one of an address.
        Some((host, port)) if !port.ends_with(']') => {
            let port: u16 = port.parse().map_err(|_| UriError::Port)?;
            (host, port)
        }
        _ => (text.as_str(), PORT),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.is_empty() || port == 0 {
        true => Err(UriError::NoServer),
        false => Ok((host.to_owned(), port)),
    }
}

/// Returns a name that a database can have.
pub(super) fn check_database(name: String) -> Result<String, UriError> {
    let is_long = name.len() > 63;
    match name.is_empty() || is_long || name.contains(['/', '\\', ' ', '"', '$', '.', '\0']) {
        true => Err(UriError::Database(name)),
        false => Ok(name),
    }
}

/// Resolves percent signs.
fn unescaped(text: &str) -> Result<String, UriError> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let (digits, after) = rest.split_first_chunk::<2>().ok_or(UriError::Escape)?;
        let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'));
        let digits = digits.ok_or(UriError::Escape)?;
        out.push(u8::from_str_radix(digits, 16).map_err(|_| UriError::Escape)?);
        rest = after;
    }
    String::from_utf8(out).map_err(|_| UriError::Escape)
}
