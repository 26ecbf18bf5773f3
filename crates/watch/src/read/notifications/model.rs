//! Channels and routes, checked: who is notified of which alerts, over what, and how often.
//!
//! In: values that the reader has checked. Out: the same. Holds: secrets only as the places where they are kept.
//! Limits: those of the reader.

use query::Query;
use std::{path::PathBuf, sync::Arc};

/// Most recipients of a mail, and most channels of a route.
pub(super) const RECIPIENTS_MAX: usize = 100;

/// The channels and routes of a file.
#[derive(Clone, Debug, Default)]
pub struct Notifications {
    /// The channels.
    pub channels: Vec<Arc<Channel>>,
    /// The routes, in their order. Every route that an alert matches gets it.
    pub routes: Vec<Arc<Route>>,
}

/// A way to somebody.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its identifier, unique among channels.
    pub id: Arc<str>,
    /// How notifications get there.
    pub kind: ChannelKind,
}

/// The kinds of channels.
#[derive(Clone, Debug)]
pub enum ChannelKind {
    /// Requests of HTTP.
    Http(HttpChannel),
    /// Mails.
    Mail(MailChannel),
}

impl ChannelKind {
    /// Returns its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            ChannelKind::Http(http) => http.service.name(),
            ChannelKind::Mail(_) => "mail",
        }
    }
}

/// Requests of HTTP to somebody.
#[derive(Clone, Debug)]
pub struct HttpChannel {
    /// The service, which decides about the bodies.
    pub service: Service,
    /// The address of requests.
    pub url: Setting,
    /// The addresses that it may lead to.
    pub reach: Reach,
    /// A file with the certificates of authorities; none: those of the machine.
    pub ca_file: Option<PathBuf>,
}

/// The services that take requests of HTTP.
#[derive(Clone, Debug)]
pub enum Service {
    /// A webhook, signed as Standard Webhooks says if there is a secret.
    Webhook {
        /// The secret, `whsec_` and base64.
        secret: Option<Setting>,
    },
    /// An incoming webhook of Slack.
    Slack,
    /// A workflow of Teams.
    Teams,
    /// A bot of Telegram.
    Telegram {
        /// The token of the bot.
        token: Setting,
        /// The chat: its number, or its name with an `@`.
        chat: String,
    },
    /// A service of PagerDuty.
    PagerDuty {
        /// The key of its integration of the kind "Events API v2".
        routing_key: Setting,
    },
    /// A user of Matrix.
    Matrix {
        /// The access token of the user.
        token: Setting,
        /// The id of the room.
        room: String,
    },
}

impl Service {
    fn name(&self) -> &'static str {
        match self {
            Service::Webhook { .. } => "webhook",
            Service::Slack => "slack",
            Service::Teams => "teams",
            Service::Telegram { .. } => "telegram",
            Service::Matrix { .. } => "matrix",
            Service::PagerDuty { .. } => "pagerduty",
        }
    }
}

/// The addresses that a URL may lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reach {
    /// Those of the public internet.
    #[default]
    Public,
    /// All: also this machine, private networks and link-local addresses.
    Any,
}

/// A value that may be a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// It stands in the file of channels.
    Text(String),
    /// The first line of a file, which is read whenever it is needed.
    File(PathBuf),
    /// A variable of the environment.
    Environment(String),
}

/// Mails to somebody.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailChannel {
    /// The mail server.
    pub server: String,
    /// Its port.
    pub port: u16,
    /// How the connection is encrypted.
    pub encryption: MailEncryption,
    /// The address of the sender.
    pub from: String,
    /// The addresses of the recipients, at least one.
    pub to: Vec<String>,
    /// Name and password for the server.
    pub login: Option<(String, Setting)>,
    /// A file with the certificates of authorities; none: those of the machine.
    pub ca_file: Option<PathBuf>,
}

/// Encryption of a connection to a mail server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MailEncryption {
    /// The connection is encrypted before anything is sent; a server that does not offer it gets nothing.
    #[default]
    StartTls,
    /// TLS from the start.
    Tls,
    /// None.
    None,
}

/// Which alerts go to which channels, and how often. Times are in microseconds.
#[derive(Clone, Debug)]
pub struct Route {
    /// Its identifier, unique among routes.
    pub id: Arc<str>,
    /// The alerts, as a query over their records; none: all.
    pub alerts: Option<Query>,
    /// The identifiers of its channels, at least one.
    pub channels: Vec<Arc<str>>,
    /// The fields of the record by which alerts are grouped.
    pub group_by: Vec<String>,
    /// Time that the first alert of a group waits for others; one that is critical or worse does not wait.
    pub wait_us: i64,
    /// Least time between two notifications of a group.
    pub interval_us: i64,
    /// Time after which a group that still fires is notified again; none: never.
    pub repeat_us: Option<i64>,
    /// Most notifications an hour; further ones are merged.
    pub hourly_max: u32,
    /// Time between two signs of life; none: this route sends none.
    pub heartbeat_us: Option<i64>,
}
