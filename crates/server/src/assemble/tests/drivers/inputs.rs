//! Sources that read other systems: their options as text.

use inputs::{AmqpSource, KafkaSource, MqttSource, NatsSource, S3Source, SqlSource};
use intake::SourceSpec;

/// Returns what the options of a source say.
pub(super) fn input_of(spec: &SourceSpec) -> Vec<String> {
    let (driver, options) = (&spec.driver, &spec.options);
    let mut lines = Vec::new();
    if let Some(kafka) = driver.input::<KafkaSource>() {
        lines.push(format!("{:?} {} {}", kafka.topics, kafka.stores_metadata, kafka.records_max));
        lines.push(kafka.properties.shown());
    } else if let Some(mqtt) = driver.input::<MqttSource>() {
        let server = &mqtt.server;
        lines.push(format!("{} {} {} {}", mqtt.topic, server.host, server.port, server.tls.is_some()));
        lines.push(format!("{:?} {:?} {:?}", mqtt.login, mqtt.session, mqtt.qos));
        lines.push(format!("{:?} {:?} {:?}", mqtt.timeout, mqtt.reopen_after, options.encoding.is_some()));
    } else if let Some(amqp) = driver.input::<AmqpSource>() {
        let server = &amqp.server;
        let limits = (amqp.prefetch, amqp.deliveries_max, amqp.frame_bytes, amqp.heartbeat);
        lines.push(format!("{} {} {} {}", server.host, server.port, server.tls.is_some(), amqp.vhost));
        lines.push(format!("{:?} {:?} {limits:?}", amqp.login, amqp.queue));
        lines.push(format!("{:?} {:?} {:?}", amqp.metadata, amqp.timeout, amqp.reopen_after));
        lines.push(format!("{:?} {:?}", options.framing, options.hosts));
        return lines;
    } else if let Some(nats) = driver.input::<NatsSource>() {
        let server = |server: &transport::Endpoint| {
            format!("{} {} {}", server.host, server.port, server.tls.is_some())
        };
        lines.push(format!("{:?} {:?}", nats.servers.iter().map(server).collect::<Vec<_>>(), nats.login));
        lines.push(format!("{:?} {:?} {} {:?}", nats.stream, nats.subject, nats.durable, nats.consumer));
        lines.push(format!("{} {:?} {:?} {:?}", nats.fetch, nats.metadata, nats.timeout, nats.reopen_after));
    } else if let Some(sql) = driver.input::<SqlSource>() {
        let pauses = (sql.follow_every, sql.timeout, sql.reopen_after);
        lines.push(format!("{} {:?} {:?} {:?}", sql.server.name(), sql.table, sql.columns, sql.prefix));
        lines.push(format!("{:?} {:?} {:?}", sql.connect_query, sql.fetch_query, sql.init_query));
        lines.push(format!("{:?} {:?} {:?}", sql.archive_query, sql.persist_name, sql.old));
        lines.push(format!("{:?} {} {pauses:?}", sql.pace, sql.rows_max));
    } else if let Some(s3) = driver.input::<S3Source>() {
        let pauses = (s3.follow_every, s3.full_list_every, s3.bucket.timeout, s3.reopen_after);
        lines.push(format!("{} {} {:?}", s3.bucket.address, s3.bucket.region, s3.bucket.login));
        lines.push(format!("{} {:?} {} {:?} {:?}", s3.name, s3.prefix, s3.workers, s3.old, s3.persist_name));
        lines.push(format!("{pauses:?} {} {:?}", options.encoding.is_some(), options.multi_line.is_some()));
    }
    lines.push(format!("{:?} {:?} {:?}", options.framing, options.decode.flags, options.hosts));
    lines
}
