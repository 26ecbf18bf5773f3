//! `kubernetes-metadata-parser()`: the pods of messages, by the names of files and from the API server of a cluster.
//!
//! In: messages of files that the kubelet has named; pods of one node, listed once and then watched. Out: the same messages with names, labels
//! and the rest. Holds: the pods, and a thread with one connection.
//! Limits: see each module.
//!
//! The node's pods are watched, instead of asking for each that is not known: the load of the API server does not depend on the number of
//! pods or restarts here, labels that change are seen, and what is known is used while it cannot be reached.
//!
//! | module | what it does |
//! |---|---|
//! | `file_name` | names of pods in names of files |
//! | `pod` | a pod, as the API server describes it |
//! | `store` | the pods that are known |
//! | `api` | requests to the API server, and events of a watch |
//! | `watcher` | the thread that lists and watches |
//! | `step` | the step of a log path |

mod api;
mod file_name;
mod pod;
mod step;
mod store;
mod watcher;

pub use api::ApiServer;
pub use step::{PodStep, PodStepOptions};
pub use store::PodStore;
pub use watcher::PodWatch;
