//! The options of `kubernetes-metadata-parser()`.
//!
//! In: nothing. Out: rows.

use crate::options::row::{Row, ValueKind as V, row};

pub(super) const PODS: &[Row] = &[
    row("prefix", V::Text, ".k8s.", "put before the names of all values"),
    row("template", V::Template, "${FILE_NAME}", "path of the file with the output of the container"),
    row("key-delimiter", V::Text, ".", "between labels or annotations and the name of one"),
    row(
        "use-api",
        V::YesNo,
        "yes",
        "ask the API server of the cluster for metadata, if this server runs in a pod with a service account",
    ),
    row(
        "api-server",
        V::Text,
        "that of KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT",
        "address of the API server: https://host:port",
    ),
    row("node-name", V::Text, "the environment variable NODE_NAME", "the node whose pods are watched"),
    row(
        "token-file",
        V::Text,
        "/var/run/secrets/kubernetes.io/serviceaccount/token",
        "file with the token that is shown to the API server, read for each request",
    ),
    row(
        "ca-file",
        V::Text,
        "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
        "certificate of the authority that the API server's certificate is from",
    ),
    row(
        "metadata-timeout",
        V::Decimal(0.0, 3600.0),
        "2",
        "longest wait for the metadata of a pod that is not known yet, in seconds",
    ),
    row("cache-bytes", V::Number(1 << 16, 1 << 40), "16777216", "bytes of the pods that are known"),
    row(
        "time-reopen",
        V::Decimal(1.0, 86400.0),
        "60",
        "longest time for which an API server that fails is left alone, in seconds",
    ),
];
