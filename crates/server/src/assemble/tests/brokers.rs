//! `redis()`, `amqp()`, `mqtt()`, `nats()` and `kafka()`: the places and limits of their receivers.

use super::makes;

const LOG: &str = "source s { internal(); }; log { source(s); destination(d); };";

#[track_caller]
fn check(driver: &str, kind: &str, want: &str) {
    let to = format!("to d#0 {kind} {want} Some((1073741824, Hold)) queue=10000");
    makes(&format!("destination d {{ {driver}; }};\n{LOG}"), &["from s#0 internal  Newline", &to]);
}

fn limits(rows: usize, bytes: usize, wait: &str) -> String {
    format!("RequestLimits {{ rows: {rows}, bytes: {bytes}, wait: {wait} }}")
}

#[test]
fn servers_and_batches_are_read() {
    let usual = limits(1000, 8 << 20, "None");
    let redis = |options: &str, want: String| {
        check(&format!("redis({options} command(\"LPUSH\" \"log\", \"$MSG\"))"), "redis", &want);
    };
    redis("", format!("redis,127.0.0.1,6379 {usual}"));
    redis("host(\"h\") port(1) batch-lines(7)", format!("redis,h,1 {}", limits(7, 8 << 20, "None")));
    redis(
        "host(\"/run/sock\") batch-timeout(5)",
        format!("redis,/run/sock {}", limits(1000, 8 << 20, "Some(5ms)")),
    );
    redis(
        "batch-bytes(0) tls(peer-verify(yes)) username(u) auth(p)",
        format!("redis,127.0.0.1,6379 {}", limits(1000, 0, "None")),
    );
    let amqp = |options: &str, want: &str| {
        check(&format!("amqp(username(u) password(p) {options})"), "amqp", &format!("{want} {usual}"));
    };
    amqp("", "amqp,/,127.0.0.1,5672,syslog");
    amqp("vhost(\"v\") host(h) port(1) exchange(\"\") routing-key(\"$HOST\")", "amqp,v,h,1,");
    amqp(
        "exchange(e) exchange-type(topic) exchange-declare(yes) tls(peer-verify(yes))",
        "amqp,/,127.0.0.1,5672,e",
    );
    let mqtt =
        |options: &str, want: &str| check(&format!("mqtt({options})"), "mqtt", &format!("{want} {usual}"));
    mqtt("topic(\"t\")", "mqtt,localhost,1883,t");
    mqtt("topic(\"t/$HOST\") qos(2)", "mqtt,localhost,1883,a template");
    mqtt("topic(\"t\") address(\"ssl://h\") tls(peer-verify(yes))", "mqtt,h,8883,t");
    mqtt("topic(\"t\") address(\"tcp://[::1]:5/\")", "mqtt,::1,5,t");
    let nats =
        |options: &str, want: &str| check(&format!("nats({options})"), "nats", &format!("{want} {usual}"));
    nats("subject(\"s\")", "nats,localhost,4222,s");
    nats("subject(\"s.$HOST\") url(\"tls://h:5\") jetstream(no)", "nats,h,5,a template");
    let kafka = |options: &str, want: &str| {
        let servers = "bootstrap-servers(\"h:1,i:2\")";
        check(&format!("kafka({servers} {options})"), "kafka", want);
        let want = format!("to d#0 kafka-c {want} Some((1073741824, Hold)) queue=10000");
        makes(
            &format!("destination d {{ kafka-c({servers} {options}); }};\n{LOG}"),
            &["from s#0 internal  Newline", &want],
        );
    };
    let usual = limits(10_000, 8 << 20, "None");
    kafka("topic(\"t\")", &format!("kafka,h:1,i:2,t {usual}"));
    kafka(
        "topic(\"t-$HOST\") fallback-topic(\"f\") key(\"$HOST\") message(\"$MSG\") config(\"acks\" => \"all\" \"linger.ms\" => 7)",
        &format!("kafka,h:1,i:2,a template {usual}"),
    );
    kafka(
        "topic(\"t\") sync-send(no) config(compression.codec(\"zstd\") acks(-1)) batch-lines(5)",
        &format!("kafka,h:1,i:2,t {}", limits(5, 8 << 20, "None")),
    );
}
