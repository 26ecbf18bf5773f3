// Shows the login to visitors, and the pages to users.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, setSessionGuard } from "./api/call.ts";
import { readLogspaces, type Logspace } from "./api/logspaces.ts";
import { logout } from "./api/logout.ts";
import { readSession, type Session } from "./api/session.ts";
import { LoginPage } from "./pages/login/login-page.tsx";
import { LazyPage } from "./navigation/lazy-page.tsx";
import { currentPage, isKiosk, openPage, watchLocation } from "./navigation/location.ts";
import { listenForGoKeys } from "./navigation/go-keys.ts";
import { maySee, Rail } from "./navigation/rail.tsx";
import { SearchPage } from "./pages/search/search-page.tsx";
import { SessionEnded, watchKeys } from "./session/session-ended.tsx";
import { RenewableSession } from "./session/session-state.ts";
import { ServerUnavailable } from "./pages/search/states/server-unavailable.tsx";

type AppState = "loading" | "login" | "unavailable" | { session: Session; logspaces: Logspace[] };
const appState = signal<AppState>("loading");
const renewable = new RenewableSession();

async function loadSession(): Promise<void> {
  try {
    // Requested together: the first rows arrive one round trip sooner.
    const [session, logspaces] = await Promise.all([readSession("fail"), readLogspaces("fail")]);
    appState.value = { session, logspaces };
  } catch (cause) {
    const refused = cause instanceof ApiError && cause.body.code === "unauthorized";
    appState.value = refused ? "login" : "unavailable";
  }
}

/** There is another session of the same user: the page stays as it is, and the calls that wait are repeated. */
async function logInAgain(): Promise<void> {
  renewable.resume();
}

async function logOut(): Promise<void> {
  await logout().catch(() => undefined);
  renewable.resume();
  appState.value = "login";
}

/** Leads from an invitation to the log-in, or to the page of a user who was logged in all the time. */
function leaveInvitation(): void {
  openPage("search", "");
  void loadSession();
}

export function App() {
  useEffect(() => {
    setSessionGuard(renewable);
    watchKeys();
    watchLocation();
    // Who has an invitation need not be logged in, and may be somebody else than the one who is.
    if (currentPage.value !== "invitation") void loadSession();
  }, []);
  const state = appState.value;
  if (currentPage.value === "invitation")
    return <LazyPage key="invitation" load={loadInvitation} props={{ onDone: leaveInvitation }} />;
  if (state === "loading") return null;
  if (state === "login") return <LoginPage onLogin={loadSession} />;
  if (state === "unavailable") return <ServerUnavailable onRetry={loadSession} />;
  return <Pages session={state.session} logspaces={state.logspaces} />;
}

/** The page of the address, beside the navigation. */
function Pages({ session, logspaces }: { session: Session; logspaces: Logspace[] }) {
  useEffect(() => listenForGoKeys((page) => maySee(session, page)), [session]);
  const page = maySee(session, currentPage.value) ? currentPage.value : "search";
  useEffect(() => {
    // The page that is shown is always the one that the address names.
    if (page !== currentPage.value) openPage(page, "");
  }, [page, currentPage.value]);
  const props = {
    session,
    logspaces,
    ended: renewable.state.value !== "valid",
    onLogin: () => void renewable.renew().catch(() => undefined),
    onLogout: () => void logOut(),
  };
  return (
    <div class="shell">
      {!(page === "dashboards" && isKiosk.value) && <Rail session={session} />}
      {page === "search" && <SearchPage {...props} />}
      {page === "dashboards" && <LazyPage key="dashboards" load={loadDashboards} props={props} />}
      {page === "alerts" && <LazyPage key="alerts" load={loadAlerts} props={props} />}
      {page === "rules" && <LazyPage key="rules" load={loadRules} props={props} />}
      {page === "draft" && <LazyPage key="draft" load={loadDraft} props={props} />}
      {(page === "users" || page === "rights" || page === "roles") && (
        <LazyPage key="users" load={loadUsers} props={props} />
      )}
      {page === "profile" && <LazyPage key="profile" load={loadProfile} props={props} />}
      {renewable.state.value === "asking" && (
        <SessionEnded user={session.user} onLogin={logInAgain} onDismiss={() => renewable.dismiss()} />
      )}
    </div>
  );
}

const loadAlerts = async () => (await import("./pages/alerts/alerts-page.tsx")).AlertsPage;
const loadDashboards = async () => (await import("./pages/dashboards/dashboards-page.tsx")).DashboardsPage;
const loadDraft = async () => (await import("./pages/draft/draft-page.tsx")).DraftPage;
const loadInvitation = async () => (await import("./pages/invitation/invitation-page.tsx")).InvitationPage;
const loadProfile = async () => (await import("./pages/profile/profile-page.tsx")).ProfilePage;
const loadRules = async () => (await import("./pages/rules/rules-page.tsx")).RulesPage;
const loadUsers = async () => (await import("./pages/users/users-page.tsx")).UsersPage;
