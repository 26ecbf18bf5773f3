//! Destinations that send requests over HTTP, one file per kind of driver.
//!
//! Begin with `http`: others build on it. `grpc` is shared by those that speak gRPC, and `cloud` has the tokens of `http()`.

mod clickhouse;
mod cloud;
mod elasticsearch;
mod grpc;
mod hdfs;
mod http;
mod indexes;
mod loki;
mod nrdp;
mod otlp;
mod splunk;
