// The login over the dimmed page after the session has ended. What is typed and shown on the page stays.
//
// It takes the focus only when no key was pressed for a while, so that a query being typed never ends in the password field.
import { useEffect, useRef, useState } from "preact/hooks";
import { CodeField } from "../components/code-field.tsx";
import { UserNameField } from "../components/user-name-field.tsx";
import { useLoginSteps } from "./login-steps.ts";

/** How long no key may have been pressed before the dialog takes the focus. */
const QUIET_MS = 1_000;
const CHECK_MS = 100;

interface Props {
  user: string;
  /** There is a session again. */
  onLogin(): Promise<void>;
  onDismiss(): void;
}

let lastKeyAt = -Infinity;

/** Remembers when keys are pressed, from the start of the page on. */
export function watchKeys(): void {
  addEventListener("keydown", () => (lastKeyAt = performance.now()), { capture: true, passive: true });
}

export function SessionEnded({ user, onLogin, onDismiss }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { asksForCode, busy, error, submit } = useLoginSteps(onLogin);
  const [quiet, setQuiet] = useState(false);

  useEffect(() => {
    const timer = setInterval(() => {
      if (performance.now() - lastKeyAt < QUIET_MS) return;
      clearInterval(timer);
      setQuiet(true);
      dialog.current?.showModal();
    }, CHECK_MS);
    return () => clearInterval(timer);
  }, []);

  return (
    <>
      {!quiet && (
        <div class="session-veil" role="status">
          <p>Your session has ended. The login opens when you stop typing; your text stays.</p>
        </div>
      )}
      <dialog
        class="session-dialog"
        aria-labelledby="session-ended"
        ref={dialog}
        onCancel={(event) => {
          event.preventDefault();
          onDismiss();
        }}
      >
        <form onSubmit={(event) => void submit(event, user)}>
          <h2 id="session-ended">Your session has ended</h2>
          <p class="muted">Your query, the result and your place in it are kept.</p>
          <UserNameField user={user} />
          {asksForCode ? (
            <CodeField label="Code of your app, or a recovery code" />
          ) : (
            <label>
              Password of <b>{user}</b>
              <input name="password" type="password" autocomplete="current-password" required autofocus />
            </label>
          )}
          <p class="login-error" role="alert">
            {error}
          </p>
          <p class="session-buttons">
            <button class="button primary" disabled={busy}>
              {busy ? "Logging in\u2026" : "Log in"}
            </button>
            <button type="button" class="button outlined" onClick={onDismiss}>
              Not now
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}
