// Shows the login to visitors, and the search page to users.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, whenUnauthorized } from "./api/call.ts";
import { login } from "./api/login.ts";
import { readLogspaces, type Logspace } from "./api/logspaces.ts";
import { logout } from "./api/logout.ts";
import { readSession, type Session } from "./api/session.ts";
import { LoginPage } from "./pages/login/login-page.tsx";
import { SearchPage } from "./pages/search/search-page.tsx";
import { Away } from "./pages/search/states/server-unavailable.tsx";

type Gate = "asking" | "login" | "away" | { session: Session; logspaces: Logspace[] };
const gate = signal<Gate>("asking");

async function openGate(): Promise<void> {
  try {
    // Requested together: the first rows arrive one round trip sooner.
    const [session, logspaces] = await Promise.all([readSession(), readLogspaces()]);
    gate.value = { session, logspaces };
  } catch (cause) {
    const refused = cause instanceof ApiError && cause.body.code === "unauthorized";
    gate.value = refused ? "login" : "away";
  }
}

async function enter(user: string, password: string): Promise<void> {
  await login(user, password);
  await openGate();
}

async function leave(): Promise<void> {
  await logout().catch(() => undefined);
  gate.value = "login";
}

export function App() {
  useEffect(() => {
    whenUnauthorized(() => (gate.value = "login"));
    void openGate();
  }, []);
  const now = gate.value;
  if (now === "asking") return null;
  if (now === "login") return <LoginPage onLogin={enter} />;
  if (now === "away") return <Away onRetry={openGate} />;
  return <SearchPage session={now.session} logspaces={now.logspaces} onLogout={leave} />;
}
