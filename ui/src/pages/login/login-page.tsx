// The login. After it, the page that the URL names is shown.
import { useEffect, useRef } from "preact/hooks";
import { CodeField } from "../../components/code-field.tsx";
import { Logo } from "../../components/logo.tsx";
import { useLoginSteps } from "../../session/login-steps.ts";
import { below } from "../../view/route.ts";

export function LoginPage({ onLogin }: { onLogin: () => Promise<void> }) {
  const { asksForCode, busy, error, submit, restart } = useLoginSteps(onLogin);
  const user = useRef<HTMLInputElement>(null);
  useEffect(() => user.current?.focus(), [asksForCode]);

  return (
    <main class="login">
      <div class="login-rings" aria-hidden="true">
        <Logo size={760} />
      </div>
      <form class="login-card" onSubmit={(event) => void submit(event)}>
        <h1>
          <Logo size={34} /> Duramen
        </h1>
        {asksForCode ? (
          <CodeField label="Code of your app, or a recovery code" />
        ) : (
          <>
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
          </>
        )}
        <p class="login-error" role="alert">
          {error}
        </p>
        <button class="button primary wide" disabled={busy}>
          {busy ? "Logging in\u2026" : "Log in"}
        </button>
        {asksForCode && (
          <button type="button" class="button wide" onClick={restart}>
            Back to the password
          </button>
        )}
        <p class="login-hint">
          First time here? When the server first started, it printed a user and a password. An administrator can set a
          new one: <a href={below("manual/manual/command-line.html")}>the command line</a>.
        </p>
      </form>
    </main>
  );
}
