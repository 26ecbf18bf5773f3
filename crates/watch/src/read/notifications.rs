//! Channels and routes from a text: YAML, of which JSON is a part.
//!
//! In: the text of a file: a map with the lists `channels` and `routes`. Out: both, or every error with its line and
//! column. Limits: [`CHANNELS_MAX`], [`ROUTES_MAX`], [`RECIPIENTS_MAX`], and those of the tree.

mod channel;
mod model;

pub use model::{
    Channel, ChannelKind, HttpChannel, MailChannel, MailEncryption, Notifications, Reach, Route, Service,
    Setting,
};

use model::RECIPIENTS_MAX;

use super::{
    RULES_BYTES_MAX,
    fault::{NotificationFault, RuleError, RuleFault},
    node::{Content, Node},
    options::Options,
    tree,
};
use std::{collections::HashSet, sync::Arc};

/// Most channels: each has a thread.
const CHANNELS_MAX: usize = 100;
/// Most routes: each alert is compared with all.
const ROUTES_MAX: usize = 200;

/// Times of a route that does not say others, in microseconds.
const WAIT_US: i64 = 30_000_000;
const INTERVAL_US: i64 = 300_000_000;
const REPEAT_US: i64 = 4 * 3_600_000_000;
/// Notifications an hour of a route that does not say another number: one a minute.
const HOURLY: u32 = 60;
/// Most notifications an hour: one a second, as chats take.
const HOURLY_MAX: u64 = 3_600;

/// Reads the channels and routes of a text; or returns all that is wrong with it.
pub fn read_notifications(text: &str) -> Result<Notifications, Vec<RuleError>> {
    if text.len() > RULES_BYTES_MAX {
        return Err(vec![RuleError::at_start(RuleFault::TooLong)]);
    }
    let root = tree::parse(text).map_err(|error| vec![error])?;
    let (channels, routes) = lists(&root).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    let channels = each(channels, &mut errors, |node| channel::read(node, text), |channel| &channel.id);
    let known: HashSet<Arc<str>> = ids(root.get("channels"));
    let routes = each(routes, &mut errors, |node| route(node, text, &known), |route| &route.id);
    if errors.is_empty() {
        return Ok(Notifications { channels, routes });
    }
    errors.sort_by_key(|error| (error.line, error.column));
    Err(errors)
}

/// Reads the parts of a list, no two of which may have the same id.
fn each<T>(
    nodes: &[Node],
    errors: &mut Vec<RuleError>,
    read: impl Fn(&Node) -> Result<T, Vec<RuleError>>,
    id: impl Fn(&T) -> &Arc<str>,
) -> Vec<Arc<T>> {
    let (mut parts, mut seen) = (Vec::new(), HashSet::new());
    for node in nodes {
        match read(node) {
            Ok(part) if !seen.insert(Arc::clone(id(&part))) => {
                errors.push(node.fault(RuleFault::Notification(NotificationFault::SameIdHere {
                    id: id(&part).to_string(),
                })));
            }
            Ok(part) => parts.push(Arc::new(part)),
            Err(mut faults) => errors.append(&mut faults),
        }
    }
    parts
}

/// Returns the nodes of the channels and of the routes.
fn lists(root: &Node) -> Result<(&[Node], &[Node]), RuleError> {
    let Content::Map(entries) = &root.content else {
        return Err(root.fault(RuleFault::Notification(NotificationFault::NoLists)));
    };
    let is_known = |key: &Node| key.is_text("channels") || key.is_text("routes");
    if let Some((key, _)) = entries.iter().find(|(key, _)| !is_known(key)) {
        let known = "channels, routes".to_owned();
        return Err(key.fault(RuleFault::UnknownKey { key: key.shown(), known }));
    }
    Ok((list(root, "channels", CHANNELS_MAX)?, list(root, "routes", ROUTES_MAX)?))
}

fn list<'a>(root: &'a Node, key: &str, most: usize) -> Result<&'a [Node], RuleError> {
    let Some(node) = root.get(key) else { return Ok(&[]) };
    match &node.content {
        Content::List(list) if list.len() > most => {
            Err(node.fault(RuleFault::Notification(NotificationFault::MoreThan { most })))
        }
        Content::List(list) => Ok(list),
        Content::Text { .. } | Content::Map(_) => {
            Err(node.fault(RuleFault::Notification(NotificationFault::NoLists)))
        }
    }
}

/// Returns the ids of all channels, also of those with errors: a route to them is no further error.
fn ids(channels: Option<&Node>) -> HashSet<Arc<str>> {
    let nodes = channels.map_or(&[][..], Node::one_or_many);
    nodes.iter().filter_map(|node| Some(node.get("id")?.text()?.into())).collect()
}

/// Reads a route; returns all that is wrong with it.
fn route(node: &Node, text: &str, known: &HashSet<Arc<str>>) -> Result<Route, Vec<RuleError>> {
    let mut options = Options::of(node, text)?;
    let id = options.id();
    let alerts = match options.value("alerts") {
        Some(_) => options.query("alerts"),
        None => None,
    };
    let channels = options.some_texts("channels", RECIPIENTS_MAX);
    if let Some(other) = channels.iter().find(|name| !known.contains(name.as_str())) {
        options
            .fault("channels", RuleFault::Notification(NotificationFault::NoChannel { id: other.clone() }));
    }
    let group_by = match options.value("group-by") {
        Some(_) => {
            options.names("group-by");
            options.texts("group-by").unwrap_or_default()
        }
        None => vec!["rule".to_owned()],
    };
    let wait_us = options.duration_or_zero("wait").unwrap_or(WAIT_US);
    let interval_us = options.duration_or_zero("interval").unwrap_or(INTERVAL_US);
    let repeat_us = options.duration_or_zero("repeat").unwrap_or(REPEAT_US);
    let hourly_max = options.count("hourly-max", 1, HOURLY_MAX).map_or(HOURLY, |count| count as u32);
    let heartbeat_us = options.duration("heartbeat");
    options.finish()?;
    Ok(Route {
        id: id.unwrap_or_default().into(),
        alerts,
        channels: channels.into_iter().map(Arc::from).collect(),
        group_by,
        wait_us,
        interval_us,
        repeat_us: Some(repeat_us).filter(|repeat_us| *repeat_us > 0),
        hourly_max,
        heartbeat_us,
    })
}

#[cfg(test)]
mod tests;
