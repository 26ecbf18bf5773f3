//! Starts and stops the HTTP server.
//!
//! In: addresses, TLS settings, the state. Out: a running listener. Limits: [`GRACE`] for open calls at shutdown.

mod memory_release;

use crate::{
    BODY_BYTES_MAX, endpoint,
    request::{
        connection::{ConnectionLimits, Connections, Listener, PresentTls, Purpose},
        guard,
    },
    state::State,
};
use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{delete, get, post, put},
};
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    task::{AbortHandle, JoinHandle},
    time::timeout,
};

/// Largest body of a log-in: a name and a password, with space for escapes.
const LOGIN_BYTES_MAX: usize = 16 << 10;
/// Largest body with the grants of a user or a role: a thousand, with long names.
const PEOPLE_BYTES_MAX: usize = 256 << 10;
/// Longest time that open calls may take when the server stops.
const GRACE: Duration = Duration::from_secs(2);

/// A running HTTP server.
pub struct Listening {
    /// The address it listens on.
    pub address: SocketAddr,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

impl Listening {
    /// Stops listening, waits a little for open calls, and ends.
    pub async fn stop(self) {
        // There is no receiver when the tasks have ended by themselves.
        let _ = self.stop.send(true);
        let ends: Vec<AbortHandle> = self.tasks.iter().map(JoinHandle::abort_handle).collect();
        let all = async {
            for task in self.tasks {
                // It has no result.
                let _ = task.await;
            }
        };
        if timeout(GRACE, all).await.is_err() {
            ends.iter().for_each(AbortHandle::abort);
        }
    }
}

/// The addresses to listen on, and the limits of connections.
pub struct ListenOptions {
    /// The address of the page and the API.
    pub address: SocketAddr,
    /// Addresses where plain HTTP is redirected to it.
    pub redirects: Vec<SocketAddr>,
    /// Its TLS settings.
    pub tls: PresentTls,
    /// Limits of its connections.
    pub connections: ConnectionLimits,
}

impl ListenOptions {
    /// Makes the options of plain HTTP at an address, in a process that may have 1,024 open files.
    pub fn plain(address: SocketAddr) -> ListenOptions {
        let connections = ConnectionLimits::of_descriptors(1_024);
        ListenOptions { address, redirects: Vec::new(), tls: Arc::new(|| None), connections }
    }
}

/// Listens; inside a tokio runtime.
pub async fn listen(options: ListenOptions, state: Arc<State>) -> io::Result<Listening> {
    let page = Listener::bind(options.address).await?;
    let address = page.address();
    let mut listeners = vec![(page, Purpose::Page)];
    for redirect in &options.redirects {
        listeners.push((Listener::bind(*redirect).await?, Purpose::Redirect));
    }
    tokio::spawn(memory_release::watch(Arc::downgrade(&state)));
    let (stop, stopped) = watch::channel(false);
    let routes = routes(state.clone());
    let connections =
        Connections::new(address.port(), options.tls, options.connections, state, routes, stopped);
    let serve = |(listener, purpose)| connections.clone().serve(listener, purpose);
    Ok(Listening { address, stop, tasks: listeners.into_iter().map(serve).collect() })
}

/// The limit of bodies with files of objects.
fn files_limit() -> DefaultBodyLimit {
    DefaultBodyLimit::max(endpoint::objects::FILES_BODY_BYTES_MAX)
}

/// Returns the routes of saved objects.
fn object_routes() -> Router<Arc<State>> {
    Router::new()
        .route("/objects", get(endpoint::objects::list).post(endpoint::objects::create))
        .route(
            "/objects/{id}",
            get(endpoint::objects::object).put(endpoint::objects::change).delete(endpoint::objects::delete),
        )
        .route("/objects/{id}/versions", get(endpoint::objects::versions))
        .route("/objects/{id}/versions/{revision}", get(endpoint::objects::version))
        .route("/objects/{id}/restore", post(endpoint::objects::restore))
        .route("/objects/{id}/acl", get(endpoint::objects::people).put(endpoint::objects::share))
        .route("/object-files", get(endpoint::objects::export))
        .route("/object-files/plan", post(endpoint::objects::plan).layer(files_limit()))
        .route("/object-files/apply", post(endpoint::objects::apply).layer(files_limit()))
        .route("/dashboards/run", post(endpoint::dashboards::run_draft))
        .route("/dashboards/{id}/run", post(endpoint::dashboards::run))
}

/// Returns the routes of calls about users: log-ins, sessions, passwords, tokens.
fn account_routes() -> Router<Arc<State>> {
    Router::new()
        .route("/login", post(endpoint::session::login).layer(DefaultBodyLimit::max(LOGIN_BYTES_MAX)))
        .route("/logout", post(endpoint::session::logout))
        .route("/session", get(endpoint::session::session))
        .route("/sessions", get(endpoint::sessions::list).delete(endpoint::sessions::end_all))
        .route("/sessions/{id}", delete(endpoint::sessions::end))
        .route(
            "/tokens",
            get(endpoint::tokens::list)
                .post(endpoint::tokens::create)
                .layer(DefaultBodyLimit::max(LOGIN_BYTES_MAX)),
        )
        .route("/password", post(endpoint::password::change).layer(DefaultBodyLimit::max(LOGIN_BYTES_MAX)))
        .route(
            "/factor",
            get(endpoint::factor::show)
                .post(endpoint::factor::begin)
                .layer(DefaultBodyLimit::max(LOGIN_BYTES_MAX)),
        )
        .route("/factor/enrol", post(endpoint::factor::enrol).layer(DefaultBodyLimit::max(LOGIN_BYTES_MAX)))
        .route(
            "/factor/recovery",
            post(endpoint::factor::renew).layer(DefaultBodyLimit::max(LOGIN_BYTES_MAX)),
        )
        .route("/factor/remove", post(endpoint::factor::remove).layer(DefaultBodyLimit::max(LOGIN_BYTES_MAX)))
        .route(
            "/login/code",
            post(endpoint::session::login_code).layer(DefaultBodyLimit::max(LOGIN_BYTES_MAX)),
        )
        .route("/tokens/{id}", delete(endpoint::tokens::revoke))
        .merge(people_routes().layer(DefaultBodyLimit::max(PEOPLE_BYTES_MAX)))
}

/// Returns the routes of calls about other users, and about invitations.
fn people_routes() -> Router<Arc<State>> {
    Router::new()
        .route("/users", get(endpoint::users::list).post(endpoint::users::add))
        .route("/users/{name}/{action}", post(endpoint::users::act))
        .route("/users/{name}/access", put(endpoint::roles::set_access))
        .route("/roles/{name}", put(endpoint::roles::set))
        .route("/roles/{name}/remove", post(endpoint::roles::remove))
        .route("/invitation", post(endpoint::invitation::show))
        .route("/invitation/accept", post(endpoint::invitation::accept))
}

/// Returns the routes of all paths.
pub(crate) fn routes(state: Arc<State>) -> Router {
    let api = Router::new()
        .merge(account_routes())
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
        .merge(object_routes())
        .route("/alerts", get(endpoint::alerts::list))
        .route("/alerts/{number}/acknowledge", post(endpoint::alerts::acknowledge))
        .route("/rules", get(endpoint::alerts::rules::list))
        .route("/notifications", get(endpoint::alerts::notifications::list))
        .route("/notifications/{id}", get(endpoint::alerts::notifications::one))
        .route(
            "/silences",
            get(endpoint::alerts::notifications::silences).post(endpoint::alerts::notifications::silence),
        )
        .route("/silences/{number}", delete(endpoint::alerts::notifications::end_silence))
        .route("/channels/{id}/test", post(endpoint::alerts::notifications::test))
        .route("/rules/preview", post(endpoint::alerts::preview::preview))
        .route("/rules/{id}/state", get(endpoint::alerts::rule_state))
        .route("/health", get(endpoint::health::health))
        .route("/openapi.json", get(endpoint::openapi::openapi))
        .fallback(endpoint::unknown)
        .method_not_allowed_fallback(endpoint::wrong_method);
    Router::new()
        .nest("/api/v1", api)
        .route("/o/{id}", get(endpoint::objects::link))
        .route("/metrics", get(endpoint::health::metrics))
        .fallback(endpoint::page)
        .layer(middleware::from_fn(guard::encrypt))
        .layer(middleware::from_fn_with_state(state.clone(), guard::only_for_us))
        .layer(middleware::from_fn(guard::harden))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(state)
}
