//! A pod, as the API server describes it.
//!
//! In: an object of JSON. Out: what messages get of it. Holds: that, and nothing else of the object.
//! Limits: an annotation longer than [`VALUES_BYTES_MAX`] is left out, because no message could have it.

use super::file_name::{Instance, LogFile};
use crate::values::{Gathering, VALUES_BYTES_MAX};
use message::ValueKind;
use serde_json::Value;

/// Bytes that a pod takes beside its texts.
const POD_OVERHEAD_BYTES: usize = 512;
/// Bytes that a text takes beside its own.
const TEXT_OVERHEAD_BYTES: usize = 48;
/// Most ids of a container that are kept: the kubelet keeps files of one that ended.
const CONTAINER_IDS_MAX: usize = 8;
/// The UUID that the kubelet gives the folders of a pod which comes from a file of the node: the object of the API server has
/// another one.
const STATIC_POD_UUID: &str = "kubernetes.io/config.hash";

/// A pod.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pod {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    labels: Vec<(String, String)>,
    annotations: Vec<(String, String)>,
    containers: Vec<Container>,
}

/// A container of a pod.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Container {
    name: String,
    image: String,
    /// Id of the image, with its digest.
    hash: String,
    /// Ids of the container that runs, and of those before it, newest first.
    ids: Vec<String>,
}

impl Pod {
    /// Reads an object; `None` when it is no pod.
    pub(crate) fn read(object: &Value) -> Option<Pod> {
        let metadata = object.get("metadata")?;
        let of = |name: &str| metadata.get(name).and_then(Value::as_str).map(str::to_owned);
        let mut pod = Pod {
            namespace: of("namespace")?,
            name: of("name")?,
            uid: of("uid")?,
            labels: texts(metadata.get("labels")),
            annotations: texts(metadata.get("annotations")),
            containers: Vec::new(),
        };
        // Images as the specification wants them; the status has what the runtime took.
        for container in lists(object.get("spec"), "ontainers") {
            pod.container(container).image = text(container, "image");
        }
        for status in lists(object.get("status"), "ontainerStatuses") {
            let (image, hash) = (text(status, "image"), text(status, "imageID"));
            let states = [Some(status), inner(status, "lastState"), inner(status, "state")];
            let ids = states.into_iter().flatten().map(|state| text(state, "containerID"));
            let ids: Vec<String> = ids.map(|id| without_scheme(&id)).filter(|id| !id.is_empty()).collect();
            let known = pod.container(status);
            if !image.is_empty() {
                known.image = image;
            }
            known.hash = hash.strip_prefix("docker-pullable://").unwrap_or(&hash).to_owned();
            known.ids = ids;
            known.ids.dedup();
        }
        Some(pod)
    }

    fn container(&mut self, object: &Value) -> &mut Container {
        let name = text(object, "name");
        let place = self.containers.iter().position(|known| known.name == name).unwrap_or_else(|| {
            self.containers.push(Container { name, ..Container::default() });
            self.containers.len() - 1
        });
        &mut self.containers[place]
    }

    /// Returns true if this is the pod that a file is of, and not another one of the same name.
    pub(crate) fn is_of(&self, file: &LogFile<'_>) -> bool {
        match file.instance {
            Instance::Pod(uuid) => {
                let is_static = |(name, value): &(String, String)| name == STATIC_POD_UUID && value == uuid;
                self.uid == uuid || self.annotations.iter().any(is_static)
            }
            Instance::Container(id) => {
                self.containers.iter().any(|container| container.ids.iter().any(|known| known == id))
            }
        }
    }

    /// Keeps the ids of containers that were known before: files of containers that ended are read for some time.
    pub(crate) fn remember_containers(&mut self, before: &Pod) {
        for old in &before.containers {
            let Some(now) = self.containers.iter_mut().find(|now| now.name == old.name) else { continue };
            let forgotten = old.ids.iter().filter(|id| !now.ids.contains(id)).cloned();
            let forgotten: Vec<String> = forgotten.collect();
            now.ids.extend(forgotten);
            now.ids.truncate(CONTAINER_IDS_MAX);
        }
    }

    /// Adds the values of messages from a file of this pod, beside those that the path gives.
    pub(crate) fn add_values(&self, file: &LogFile<'_>, key_delimiter: &str, gathering: &mut Gathering<'_>) {
        let mut set = |name: &str, value: &str| {
            if !value.is_empty() {
                gathering.set(name.as_bytes(), value.as_bytes(), ValueKind::String);
            }
        };
        let container = self.containers.iter().find(|known| known.name == file.container);
        let newest = container.and_then(|container| container.ids.first()).map_or("", String::as_str);
        match file.instance {
            Instance::Container(id) => {
                set("pod_uuid", &self.uid);
                set("docker_id", id);
            }
            Instance::Pod(_) => set("docker_id", newest),
        }
        if let Some(container) = container {
            set("container_image", &container.image);
            set("container_hash", &container.hash);
        }
        for (kind, pairs) in [("labels", &self.labels), ("annotations", &self.annotations)] {
            for (name, value) in pairs {
                set(&format!("{kind}{key_delimiter}{name}"), value);
            }
        }
    }

    /// Returns the bytes that it takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        let pairs = self.labels.iter().chain(&self.annotations);
        let of_pairs = pairs.map(|(name, value)| name.len() + value.len() + 2 * TEXT_OVERHEAD_BYTES);
        let of_containers = self.containers.iter().map(|one| {
            let ids: usize = one.ids.iter().map(|id| id.len() + TEXT_OVERHEAD_BYTES).sum();
            one.name.len() + one.image.len() + one.hash.len() + ids + 3 * TEXT_OVERHEAD_BYTES
        });
        let own = self.namespace.len() + self.name.len() + self.uid.len();
        POD_OVERHEAD_BYTES + own + of_pairs.sum::<usize>() + of_containers.sum::<usize>()
    }
}

/// Containers of all kinds: `containers`, `initContainers` and `ephemeralContainers`, or their statuses.
fn lists<'v>(object: Option<&'v Value>, ending: &str) -> impl Iterator<Item = &'v Value> {
    let names = [format!("c{ending}"), format!("initC{ending}"), format!("ephemeralC{ending}")];
    let lists = names.map(|name| object.and_then(|object| object.get(&name)).and_then(Value::as_array));
    lists.into_iter().flatten().flatten()
}

/// `state.terminated` and the like: whichever of them is there.
fn inner<'v>(status: &'v Value, name: &str) -> Option<&'v Value> {
    status.get(name)?.as_object()?.values().next()
}

fn text(object: &Value, name: &str) -> String {
    object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// `containerd://ID`
fn without_scheme(id: &str) -> String {
    id.split_once("://").map_or(id, |(_, id)| id).to_owned()
}

fn texts(pairs: Option<&Value>) -> Vec<(String, String)> {
    let pairs = pairs.and_then(Value::as_object).into_iter().flatten();
    let texts = pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    texts.filter(|(_, value)| value.len() <= VALUES_BYTES_MAX).collect()
}

#[cfg(test)]
mod tests;
