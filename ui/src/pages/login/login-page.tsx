// The login. After it, the page that the URL names is shown.
import { useState } from "preact/hooks";
import { ApiError } from "../../api/call.ts";
import { Logo } from "../../components/logo.tsx";

export function LoginPage({ onLogin }: { onLogin: (user: string, password: string) => Promise<void> }) {
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    setBusy(true);
    setError("");
    try {
      await onLogin(String(data.get("user")), String(data.get("password")));
    } catch (cause) {
      setBusy(false);
      setError(describe(cause));
      form.querySelector<HTMLInputElement>("input[name=password]")?.select();
    }
  }

  return (
    <main class="login">
      <div class="login-rings" aria-hidden="true">
        <Logo size={760} />
      </div>
      <form class="login-card" onSubmit={(event) => void submit(event)}>
        <h1>
          <Logo size={34} /> Duramen
        </h1>
        <label>
          User
          <input
            name="user"
            autocomplete="username"
            defaultValue="admin"
            required
            autocapitalize="none"
            spellcheck={false}
          />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autocomplete="current-password"
            required
            ref={(input) => input?.focus()}
          />
        </label>
        <p class="login-error" role="alert">
          {error}
        </p>
        <button class="button primary wide" disabled={busy}>
          {busy ? "Logging in\u2026" : "Log in"}
        </button>
        <p class="login-hint">
          First time here? The password of <b>admin</b> was printed once, when the server first started. To set a new
          one, run <code>duramen user password admin</code>
        </p>
      </form>
    </main>
  );
}

function describe(cause: unknown): string {
  if (!(cause instanceof ApiError)) return String(cause);
  if (cause.body.code === "unauthorized") return "The user name or the password is wrong.";
  if (cause.body.code === "too_many_attempts") {
    return `Too many attempts. Try again in ${cause.retryAfter ? `${cause.retryAfter} seconds` : "a while"}.`;
  }
  return cause.body.message;
}
