//! Answers: the meaning of their status, and what some of them say besides.
//!
//! | module | what it does |
//! |---|---|
//! | `verdict` | the meaning of a status |
//! | `bulk` | Elasticsearch, OpenSearch: a result for each message |
//! | `collector` | Splunk: a code, and the number of the event at which the server stopped |
//! | `ingestion` | OpenObserve: how many records were not stored |

pub(super) mod bulk;
pub(super) mod collector;
pub(super) mod ingestion;
mod verdict;

pub(crate) use verdict::Judge;
