//! Starts and stops the HTTP server.
//!
//! In: addresses, TLS settings, the state. Out: a running listener. Limits: [`GRACE`] for open calls at shutdown.

use crate::{
    BODY_BYTES_MAX, assets,
    connection::{Caller, Connections, PresentTls},
    endpoint, give_back, guard,
    state::State,
};
use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::{HeaderMap, Uri},
    middleware,
    routing::{get, post},
};
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{sync::watch, task::JoinHandle};

/// Largest body of a log-in: a name and a password, with room for escapes.
const LOGIN_BYTES_MAX: usize = 16 << 10;
/// How long open calls may take once the server is told to stop.
const GRACE: Duration = Duration::from_secs(2);

/// A running HTTP server.
pub struct Listening {
    /// The address it listens on.
    pub address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<io::Result<()>>,
}

impl Listening {
    /// Stops listening, waits a little for open calls, and ends.
    pub async fn stop(self) {
        // Nobody listens any more when the task has ended by itself.
        let _ = self.stop.send(true);
        let _ = tokio::time::timeout(GRACE, self.task).await;
    }
}

/// Where to listen.
pub struct Place {
    /// The address of the page and the API.
    pub address: SocketAddr,
    /// Addresses where plain HTTP is sent on to it.
    pub redirects: Vec<SocketAddr>,
    /// Its TLS settings.
    pub tls: PresentTls,
}

impl Place {
    /// Plain HTTP at an address.
    pub fn plain(address: SocketAddr) -> Place {
        Place { address, redirects: Vec::new(), tls: Arc::new(|| None) }
    }
}

/// Listens; inside a tokio runtime.
pub async fn listen(place: Place, state: Arc<State>) -> io::Result<Listening> {
    let listener = Connections::open(place.address, &place.redirects, place.tls).await?;
    let address = listener.address();
    let (stop, mut stopped) = watch::channel(false);
    tokio::spawn(give_back::watch(Arc::downgrade(&state)));
    let service = routes(state).into_make_service_with_connect_info::<Caller>();
    let serve = axum::serve(listener, service).with_graceful_shutdown(async move {
        // An error means that the sender is gone: stop as well.
        let _ = stopped.wait_for(|stop| *stop).await;
    });
    Ok(Listening { address, stop, task: tokio::spawn(async move { serve.await }) })
}

/// All paths.
pub(crate) fn routes(state: Arc<State>) -> Router {
    let api = Router::new()
        .route("/login", post(endpoint::session::login).layer(DefaultBodyLimit::max(LOGIN_BYTES_MAX)))
        .route("/logout", post(endpoint::session::logout))
        .route("/session", get(endpoint::session::session))
        .route("/logspaces", get(endpoint::logspaces::logspaces))
        .route("/search", post(endpoint::search::search))
        .route("/export", get(endpoint::export::export))
        .route("/export/report", get(endpoint::export::report))
        .route("/package", get(endpoint::package::take).post(endpoint::package::make))
        .route("/unlock", post(endpoint::keys::unlock))
        .route("/lock", post(endpoint::keys::lock))
        .route("/seal", post(endpoint::keys::seal))
        .route("/facets", post(endpoint::facets::facets))
        .route("/columns", get(endpoint::columns::columns))
        .route("/values", get(endpoint::columns::values))
        .route("/validate", get(endpoint::validate::validate))
        .route("/explain", post(endpoint::explain::explain))
        .route("/context", get(endpoint::message::context))
        .route("/message", get(endpoint::message::message))
        .route("/tail", get(endpoint::tail::tail))
        .route("/health", get(endpoint::health::health))
        .route("/openapi.json", get(endpoint::openapi::openapi))
        .fallback(endpoint::unknown);
    Router::new()
        .nest("/api/v1", api)
        .route("/metrics", get(endpoint::health::metrics))
        .fallback(get(|uri: Uri, headers: HeaderMap| async move { assets::serve(uri.path(), &headers) }))
        .layer(middleware::from_fn(guard::encrypt))
        .layer(middleware::from_fn(guard::harden))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(state)
}
