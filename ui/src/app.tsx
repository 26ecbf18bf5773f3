// Shows the login to visitors, and the search page to users.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, setSessionGuard } from "./api/call.ts";
import { login } from "./api/login.ts";
import { readLogspaces, type Logspace } from "./api/logspaces.ts";
import { logout } from "./api/logout.ts";
import { readSession, type Session } from "./api/session.ts";
import { LoginPage } from "./pages/login/login-page.tsx";
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

async function logIn(user: string, password: string): Promise<void> {
  await login(user, password);
  await loadSession();
}

/** Starts another session of the same user: the page stays as it is, and the calls that wait are repeated. */
async function logInAgain(user: string, password: string): Promise<void> {
  await login(user, password);
  renewable.resume();
}

async function logOut(): Promise<void> {
  await logout().catch(() => undefined);
  renewable.resume();
  appState.value = "login";
}

export function App() {
  useEffect(() => {
    setSessionGuard(renewable);
    watchKeys();
    void loadSession();
  }, []);
  const state = appState.value;
  if (state === "loading") return null;
  if (state === "login") return <LoginPage onLogin={logIn} />;
  if (state === "unavailable") return <ServerUnavailable onRetry={loadSession} />;
  const { user } = state.session;
  return (
    <>
      <SearchPage
        session={state.session}
        logspaces={state.logspaces}
        ended={renewable.state.value !== "valid"}
        onLogin={() => void renewable.renew().catch(() => undefined)}
        onLogout={() => void logOut()}
      />
      {renewable.state.value === "asking" && (
        <SessionEnded
          user={user}
          onLogin={(password) => logInAgain(user, password)}
          onDismiss={() => renewable.dismiss()}
        />
      )}
    </>
  );
}
