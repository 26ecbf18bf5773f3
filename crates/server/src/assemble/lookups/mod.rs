//! Values that other people's systems have for messages.
//!
//! | module | what it makes |
//! |---|---|
//! | `servers` | databases of `add-contextual-data()` that are servers |
//! | `pods` | the API server of `kubernetes-metadata-parser()` |

mod pods;
mod servers;
