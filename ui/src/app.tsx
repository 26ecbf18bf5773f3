// Shows the login to visitors, and the search page to users.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, setUnauthorizedListener } from "./api/call.ts";
import { login } from "./api/login.ts";
import { readLogspaces, type Logspace } from "./api/logspaces.ts";
import { logout } from "./api/logout.ts";
import { readSession, type Session } from "./api/session.ts";
import { LoginPage } from "./pages/login/login-page.tsx";
import { SearchPage } from "./pages/search/search-page.tsx";
import { ServerUnavailable } from "./pages/search/states/server-unavailable.tsx";

type AppState = "loading" | "login" | "unavailable" | { session: Session; logspaces: Logspace[] };
const appState = signal<AppState>("loading");

async function loadSession(): Promise<void> {
  try {
    // Requested together: the first rows arrive one round trip sooner.
    const [session, logspaces] = await Promise.all([readSession(), readLogspaces()]);
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

async function logOut(): Promise<void> {
  await logout().catch(() => undefined);
  appState.value = "login";
}

export function App() {
  useEffect(() => {
    setUnauthorizedListener(() => (appState.value = "login"));
    void loadSession();
  }, []);
  const state = appState.value;
  if (state === "loading") return null;
  if (state === "login") return <LoginPage onLogin={logIn} />;
  if (state === "unavailable") return <ServerUnavailable onRetry={loadSession} />;
  return <SearchPage session={state.session} logspaces={state.logspaces} onLogout={() => void logOut()} />;
}
