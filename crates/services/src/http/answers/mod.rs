//! Answers that say more than their status.
//!
//! | module | what it does |
//! |---|---|
//! | `form` | the form of an answer, by the address it comes from |
//! | `bulk` | Elasticsearch, OpenSearch: a result for each message |
//! | `collector` | Splunk: a code, and the number of the event at which the server stopped |
//! | `ingestion` | OpenObserve: how many records were not stored |

pub(super) mod bulk;
pub(super) mod collector;
mod form;
pub(super) mod ingestion;

pub(crate) use form::AnswerForm;
