//! `/openapi.json`: the API's description of itself (OpenAPI 3.1).
//!
//! In: nothing. Out: a document made from the handlers' own types.

use axum::Json;
use utoipa::OpenApi;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Duramen",
        description = "Search, live tail, saved objects, alerts and health of a Duramen log server"
    ),
    paths(
        super::session::login,
        super::session::logout,
        super::session::session,
        super::sessions::list,
        super::sessions::end,
        super::sessions::end_all,
        super::session::login_code,
        super::password::change,
        super::factor::show,
        super::factor::begin,
        super::factor::enrol,
        super::factor::renew,
        super::factor::remove,
        super::tokens::list,
        super::tokens::create,
        super::tokens::revoke,
        super::users::list,
        super::users::add,
        super::users::act,
        super::roles::set_access,
        super::roles::set,
        super::roles::remove,
        super::invitation::show,
        super::invitation::accept,
        super::logspaces::logspaces,
        super::search::search,
        super::export::export,
        super::export::report,
        super::package::make,
        super::package::take,
        super::keys::unlock,
        super::keys::lock,
        super::keys::seal,
        super::facets::facets,
        super::columns::columns,
        super::columns::values,
        super::validate::validate,
        super::explain::explain,
        super::message::context,
        super::message::message,
        super::tail::tail,
        super::dashboards::run,
        super::dashboards::run_draft,
        super::objects::list,
        super::objects::create,
        super::objects::object,
        super::objects::change,
        super::objects::delete,
        super::objects::versions,
        super::objects::version,
        super::objects::restore,
        super::objects::people,
        super::objects::share,
        super::alerts::list,
        super::alerts::acknowledge,
        super::alerts::rule_state,
        super::alerts::rules::list,
        super::alerts::notifications::list,
        super::alerts::notifications::one,
        super::alerts::notifications::silences,
        super::alerts::notifications::silence,
        super::alerts::notifications::end_silence,
        super::alerts::notifications::test,
        super::alerts::preview::preview,
        super::objects::plan,
        super::objects::apply,
        super::objects::export,
        super::health::health,
    )
)]
struct Description;

/// Describes the API.
pub(crate) async fn openapi() -> Json<utoipa::openapi::OpenApi> {
    Json(Description::openapi())
}
