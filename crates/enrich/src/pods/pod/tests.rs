//! Pods, read from objects as the reference of the API describes them.

use super::*;
use crate::values::Naming;
use serde_json::json;

const ID: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn object() -> Value {
    json!({
        "metadata": {
            "namespace": "default", "name": "web-1", "uid": "u-1",
            "labels": {"app": "web", "odd": 7},
            "annotations": {"a/b": "c", "kubernetes.io/config.hash": "static", "huge": "x".repeat(VALUES_BYTES_MAX + 1)},
        },
        "spec": {
            "initContainers": [{"name": "init", "image": "init:1"}],
            "containers": [{"name": "shop", "image": "shop:1"}, {"name": "new", "image": "new:2"}],
        },
        "status": {"containerStatuses": [{
            "name": "shop", "image": "docker.io/shop:1", "imageID": "docker-pullable://shop@sha256:1",
            "containerID": format!("containerd://{ID}"),
            "lastState": {"terminated": {"containerID": "containerd://before"}},
            "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
        }]},
    })
}

#[track_caller]
fn check(pod: &Pod, container: &str, instance: Instance<'_>, want: &str) {
    let file = LogFile { namespace: "default", pod: "web-1", container, instance };
    let naming = Naming { prefix: "k.".to_owned(), single: String::new() };
    let mut gathering = Gathering::new(&naming);
    pod.add_values(&file, "/", &mut gathering);
    let values = gathering.finish();
    let shown: Vec<String> = values
        .list
        .iter()
        .map(|value| format!("{}={}", value.name.as_str(), String::from_utf8_lossy(&value.value)))
        .collect();
    assert_eq!(shown.join(" "), want);
}

#[test]
fn a_message_gets_what_belongs_to_its_container() {
    let pod = Pod::read(&object()).unwrap();
    let rest = "k.labels/app=web k.annotations/a/b=c k.annotations/kubernetes.io/config.hash=static";
    check(
        &pod,
        "shop",
        Instance::Container("before"),
        &format!(
            "k.pod_uuid=u-1 k.docker_id=before k.container_image=docker.io/shop:1 k.container_hash=shop@sha256:1 {rest}"
        ),
    );
    check(
        &pod,
        "shop",
        Instance::Pod("u-1"),
        &format!("k.docker_id={ID} k.container_image=docker.io/shop:1 k.container_hash=shop@sha256:1 {rest}"),
    );
    check(&pod, "init", Instance::Pod("u-1"), &format!("k.container_image=init:1 {rest}"));
    check(&pod, "unknown", Instance::Pod("u-1"), rest);
}

#[test]
fn pods_of_one_name_are_told_apart() {
    let mut pod = Pod::read(&object()).unwrap();
    let is_of = |pod: &Pod, instance| {
        pod.is_of(&LogFile { namespace: "default", pod: "web-1", container: "shop", instance })
    };
    assert!(is_of(&pod, Instance::Container(ID)) && is_of(&pod, Instance::Container("before")));
    assert!(is_of(&pod, Instance::Pod("u-1")) && is_of(&pod, Instance::Pod("static")));
    assert!(!is_of(&pod, Instance::Pod("u-2")) && !is_of(&pod, Instance::Container("other")));
    // A restart: the ids of the containers before are kept, up to a bound.
    for number in 0..20 {
        let mut object = object();
        object["status"]["containerStatuses"][0]["containerID"] = json!(format!("containerd://n{number}"));
        object["status"]["containerStatuses"][0]["lastState"] = json!({});
        let mut now = Pod::read(&object).unwrap();
        now.remember_containers(&pod);
        pod = now;
    }
    assert!(is_of(&pod, Instance::Container("n19")) && is_of(&pod, Instance::Container("n12")));
    assert!(!is_of(&pod, Instance::Container(ID)) && !is_of(&pod, Instance::Container("n11")));
}

#[test]
fn what_is_no_pod_is_not_one() {
    for object in
        [json!(null), json!([]), json!({"metadata": {"name": "x", "uid": "y"}}), json!({"metadata": 1})]
    {
        assert_eq!(Pod::read(&object), None, "{object}");
    }
    let odd = json!({"metadata": {"namespace": "n", "name": "x", "uid": "y", "labels": []}, "spec": {"containers": 3},
        "status": {"containerStatuses": ["x", {"lastState": 7}]}});
    let pod = Pod::read(&odd).unwrap();
    assert_eq!((pod.labels.len(), pod.containers.len()), (0, 1));
    assert!(pod.bytes() > POD_OVERHEAD_BYTES);
}
