//! Names of pods in names of files, as the kubelet makes them.
//!
//! In: the path of a file below `/var/log/containers` or `/var/log/pods`. Out: the names in it. Holds: nothing.
//! Limits: none; a path of another form has no names.

/// Digits of the id of a container.
const ID_DIGITS: usize = 64;
/// Digits of it that messages get, as the tools of container runtimes show them.
const SHORT_ID_DIGITS: usize = 12;

/// The names in the path of a file with the output of a container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LogFile<'p> {
    pub(crate) namespace: &'p str,
    pub(crate) pod: &'p str,
    pub(crate) container: &'p str,
    pub(crate) instance: Instance<'p>,
}

/// The id that distinguishes pods or containers of one name that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Instance<'p> {
    /// The id of the container, whole: below `/var/log/containers`.
    Container(&'p str),
    /// The UUID of the pod: below `/var/log/pods`.
    Pod(&'p str),
}

impl<'p> LogFile<'p> {
    /// Reads a path.
    pub(crate) fn parse(path: &'p str) -> Option<LogFile<'p>> {
        let stem = path.strip_suffix(".log")?;
        let (folders, name) = stem.rsplit_once('/').unwrap_or(("", stem));
        LogFile::of_link(name).or_else(|| LogFile::of_pod(folders))
    }

    /// `POD_NAMESPACE_CONTAINER-ID`
    fn of_link(name: &'p str) -> Option<LogFile<'p>> {
        let (rest, id) = name.rsplit_once('-')?;
        let (pod, rest) = rest.split_once('_')?;
        let (namespace, container) = rest.split_once('_')?;
        let is_id = id.len() == ID_DIGITS && id.bytes().all(is_digit);
        let is_pod = !pod.is_empty() && pod.bytes().all(|byte| is_name(byte) || byte == b'.');
        let are_names =
            [namespace, container].iter().all(|name| !name.is_empty() && name.bytes().all(is_name));
        let instance = Instance::Container(id);
        (is_id && is_pod && are_names).then_some(LogFile { namespace, pod, container, instance })
    }

    /// `NAMESPACE_POD_UUID/CONTAINER`, the folders of files whose names are numbers.
    fn of_pod(folders: &'p str) -> Option<LogFile<'p>> {
        let (folders, container) = folders.rsplit_once('/')?;
        let folder = folders.rsplit('/').next()?;
        let mut parts = folder.split('_');
        let (namespace, pod, uuid) = (parts.next()?, parts.next()?, parts.next()?);
        let is_uuid = !uuid.is_empty() && uuid.bytes().all(is_name);
        let fits = parts.next().is_none() && is_uuid && ![namespace, pod, container].contains(&"");
        fits.then_some(LogFile { namespace, pod, container, instance: Instance::Pod(uuid) })
    }

    /// Returns the names of values, without a prefix, and the values that the path alone gives.
    pub(crate) fn values(&self) -> [(&'static str, &'p str); 4] {
        let instance = match self.instance {
            Instance::Container(id) => ("container_id", &id[..SHORT_ID_DIGITS]),
            Instance::Pod(uuid) => ("pod_uuid", uuid),
        };
        [
            ("namespace_name", self.namespace),
            ("pod_name", self.pod),
            ("container_name", self.container),
            instance,
        ]
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_name(byte: u8) -> bool {
    is_digit(byte) || byte == b'-'
}

#[cfg(test)]
mod tests {
    //! Rows of paths.

    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[track_caller]
    fn check(path: &str, want: &str) {
        let shown = LogFile::parse(path).map(|file| {
            let values = file.values();
            format!("{} {} {} {}={}", values[0].1, values[1].1, values[2].1, values[3].0, values[3].1)
        });
        assert_eq!(shown.as_deref().unwrap_or("-"), want, "{path}");
    }

    #[test]
    fn names_are_those_of_the_kubelet() {
        let short = "container_id=0123456789ab";
        check(
            &format!("/var/log/containers/web-1_default_shop-{ID}.log"),
            &format!("default web-1 shop {short}"),
        );
        check(&format!("db.0_kube-system_a-b-c-{ID}.log"), &format!("kube-system db.0 a-b-c {short}"));
        check("/var/log/pods/ns_web-1_11-22/shop/0.log", "ns web-1 shop pod_uuid=11-22");
        check("ns_web-1_11-22/shop/0.log", "ns web-1 shop pod_uuid=11-22");
        check("/var/log/pods/ns_web-1_11-22/shop/0.log.20161006-001700", "-");
        check("/var/log/pods/ns_web_1_11-22/shop/0.log", "-");
        check("/var/log/pods/ns__11-22/shop/0.log", "-");
        check("/var/log/pods/ns_web-1_11_/shop/0.log", "-");
        check(&format!("/c/web_default_shop-{}.log", &ID[1..]), "-");
        check(&format!("/c/Web_default_shop-{ID}.log"), "-");
        check(&format!("/c/web_default-{ID}.log"), "-");
        check(&format!("/c/web__shop-{ID}.log"), "-");
        check(&format!("/c/web_default_shop-{}ä.log", &ID[2..]), "-");
        check("/var/log/messages.log", "-");
        check("/var/log/messages", "-");
        check("", "-");
        check(".log", "-");
    }
}
