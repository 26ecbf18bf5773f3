// The login. After it, the page that the URL names is shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { Logo } from "../../components/logo.tsx";
import { describeLoginError } from "./login-error.ts";
import { below } from "../../view/route.ts";

export function LoginPage({ onLogin }: { onLogin: (user: string, password: string) => Promise<void> }) {
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const user = useRef<HTMLInputElement>(null);
  useEffect(() => user.current?.focus(), []);

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
      setError(describeLoginError(cause));
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
            required
            autocapitalize="none"
            spellcheck={false}
            autofocus
            ref={user}
          />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <p class="login-error" role="alert">
          {error}
        </p>
        <button class="button primary wide" disabled={busy}>
          {busy ? "Logging in\u2026" : "Log in"}
        </button>
        <p class="login-hint">
          First time here? When the server first started, it printed a user and a password. An administrator can set a
          new one: <a href={below("manual/manual/command-line.html")}>the command line</a>.
        </p>
      </form>
    </main>
  );
}
