//! The options of `loggen`, as syslog-ng's.
//!
//! In: the command line. Out: values within their limits.

use clap::Args;
use std::{net::IpAddr, path::PathBuf};

/// Sends messages to a server.
#[derive(Args, Debug, Clone)]
pub(crate) struct Options {
    /// Host or address, or the path of a unix socket
    pub(crate) target: String,
    /// Port; 514 when left out
    pub(crate) port: Option<u16>,
    /// TCP or UDP (the default unless --unix)
    #[arg(short = 'i', long)]
    pub(crate) inet: bool,
    /// A unix socket
    #[arg(short = 'x', long)]
    pub(crate) unix: bool,
    /// A stream: TCP or unix-stream (the default)
    #[arg(short = 'S', long)]
    pub(crate) stream: bool,
    /// Datagrams: UDP or unix-dgram
    #[arg(short = 'D', long, conflicts_with = "stream")]
    pub(crate) dgram: bool,
    /// IPv6
    #[arg(short = '6', long)]
    pub(crate) ipv6: bool,
    /// TLS over TCP; the server's certificate is not checked
    #[arg(short = 'U', long)]
    pub(crate) use_ssl: bool,
    /// DTLS over UDP; the server's certificate is not checked
    #[arg(long, conflicts_with_all = ["stream", "unix", "use_ssl", "proxied"])]
    pub(crate) dtls: bool,
    /// Messages a second for each active connection
    #[arg(short = 'r', long, default_value_t = 1000)]
    pub(crate) rate: u64,
    /// Size of a generated message in bytes
    #[arg(short = 's', long, default_value_t = 256)]
    pub(crate) size: usize,
    /// Seconds to send
    #[arg(short = 'I', long, default_value_t = 10)]
    pub(crate) interval: u64,
    /// Send without a time limit
    #[arg(short = 'T', long)]
    pub(crate) permanent: bool,
    /// Messages to send on each connection; ends earlier when --interval is over
    #[arg(short = 'n', long)]
    pub(crate) number: Option<u64>,
    /// RFC 5424 messages, octet-counted
    #[arg(short = 'P', long)]
    pub(crate) syslog_proto: bool,
    /// No octet counting, even with --syslog-proto
    #[arg(short = 'F', long)]
    pub(crate) no_framing: bool,
    /// Structured data of generated RFC 5424 messages
    #[arg(short = 'p', long, value_name = "SDATA")]
    pub(crate) sdata: Option<String>,
    /// Send the lines of a file (- is standard input)
    #[arg(short = 'R', long, value_name = "FILE")]
    pub(crate) read_file: Option<PathBuf>,
    /// Start the file again when its end is reached
    #[arg(short = 'l', long)]
    pub(crate) loop_reading: bool,
    /// Skip this number of words at the start of each line
    #[arg(long, default_value_t = 0)]
    pub(crate) skip_tokens: usize,
    /// Send the lines unchanged; by default a line that is not a syslog message gets a header
    #[arg(short = 'd', long)]
    pub(crate) dont_parse: bool,
    /// Connections that send
    #[arg(long, default_value_t = 1)]
    pub(crate) active_connections: usize,
    /// Idle connections that are only held open
    #[arg(long, default_value_t = 0)]
    pub(crate) idle_connections: usize,
    /// Reconnect when the server goes away
    #[arg(long)]
    pub(crate) reconnect: bool,
    /// Begin with a burst of one second's messages
    #[arg(long)]
    pub(crate) rate_burst_start: bool,
    /// Send as fast as possible and ignore --rate
    #[arg(long)]
    pub(crate) perf: bool,
    /// Send a header of the PROXY protocol first, in its version 1 (text) or 2 (binary)
    #[arg(
        short = 'H',
        long,
        value_name = "VERSION",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = clap::value_parser!(u8).range(1..=2)
    )]
    pub(crate) proxied: Option<u8>,
    /// Source address of the PROXY header
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) proxy_src_ip: IpAddr,
    /// Destination address of the PROXY header
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) proxy_dst_ip: IpAddr,
    /// Source port of the PROXY header
    #[arg(long, default_value_t = 1234)]
    pub(crate) proxy_src_port: u16,
    /// Destination port of the PROXY header
    #[arg(long, default_value_t = 514)]
    pub(crate) proxy_dst_port: u16,
    /// Send the PROXY header before the TLS handshake
    #[arg(long)]
    pub(crate) proxied_tls_passthrough: bool,
    /// Local port of the connection
    #[arg(long)]
    pub(crate) client_port: Option<u16>,
    /// Print CSV on standard output
    #[arg(short = 'C', long)]
    pub(crate) csv: bool,
    /// Print nothing but the summary
    #[arg(short = 'Q', long)]
    pub(crate) quiet: bool,
    /// No effect: there is no further output
    #[arg(long)]
    pub(crate) debug: bool,
}
