//! Options of the verbs about alerts and notifications.

use super::super::options::Login;
use clap::{Args, Subcommand};

/// Options of `alerts`.
#[derive(Args, Debug)]
pub(crate) struct AlertsOptions {
    #[command(subcommand)]
    pub(super) verb: AlertsVerb,
}

/// The verbs of `alerts`.
#[derive(Subcommand, Debug)]
pub(super) enum AlertsVerb {
    /// List alerts, newest first
    Ls {
        #[command(flatten)]
        call: Call,
        /// Only in this state: firing, occurred, resolved, forgotten, ended or unknown
        #[arg(long)]
        state: Option<String>,
        /// Only of the rule with this id
        #[arg(long)]
        rule: Option<String>,
        /// Only of this logspace
        #[arg(long)]
        logspace: Option<String>,
        /// Most alerts, up to 500
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: u32,
    },
    /// Tell others that you know of alerts; reminders stop, the alerts do not end
    Ack {
        #[command(flatten)]
        call: Call,
        /// Numbers of alerts, as `ls` shows them
        #[arg(required = true, value_name = "NUMBER")]
        numbers: Vec<u64>,
        /// A note for others
        #[arg(long, default_value = "")]
        note: String,
    },
}

/// Options of `silence`.
#[derive(Args, Debug)]
pub(crate) struct SilenceOptions {
    #[command(subcommand)]
    pub(super) verb: SilenceVerb,
}

/// The verbs of `silence`.
#[derive(Subcommand, Debug)]
pub(super) enum SilenceVerb {
    /// List silences, newest first
    Ls {
        #[command(flatten)]
        call: Call,
    },
    /// Mute the alerts that a query matches, from now on
    Add {
        #[command(flatten)]
        call: Call,
        /// A query over alerts, such as rule:disk-full host:db1; several words are joined
        #[arg(required = true)]
        query: Vec<String>,
        /// How long, such as 30m, 2h or 7d; at most 30 days
        #[arg(long = "for", value_name = "TIME")]
        time: String,
        /// Why, for others to read
        #[arg(long)]
        reason: String,
    },
    /// End silences before their time
    End {
        #[command(flatten)]
        call: Call,
        /// Numbers of silences, as `ls` shows them
        #[arg(required = true, value_name = "NUMBER")]
        numbers: Vec<u64>,
    },
}

/// Options of `channel`.
#[derive(Args, Debug)]
pub(crate) struct ChannelOptions {
    #[command(subcommand)]
    pub(super) verb: ChannelVerb,
}

/// The verbs of `channel`.
#[derive(Subcommand, Debug)]
pub(super) enum ChannelVerb {
    /// Send a test over a channel and show the answer of its receiver; exit status 1 when it does not arrive
    Test {
        #[command(flatten)]
        call: Call,
        /// The id of the channel
        id: String,
    },
}

/// The server, and the format of its answer.
#[derive(Args, Debug)]
pub(super) struct Call {
    #[command(flatten)]
    pub(super) login: Login,
    /// Print JSON, as the API sends it
    #[arg(long)]
    pub(super) json: bool,
}
