// The page behind the link of an invitation: its user sets a password. Nobody is logged in.
import { useEffect, useRef, useState } from "preact/hooks";
import { acceptInvitation, readInvitation, type Invited } from "../../api/invitation.ts";
import { sentenceOf } from "../../api/sentence.ts";
import { Logo } from "../../components/logo.tsx";
import { UserNameField } from "../../components/user-name-field.tsx";

type Step = "reading" | "refused" | "asking" | "done";

/** The text of the invitation: what is behind `#` is sent to no server. */
const textOfAddress = (): string => location.hash.slice(1);

export function InvitationPage({ onDone }: { onDone(): void }) {
  const [text, setText] = useState(textOfAddress);
  const [step, setStep] = useState<Step>("reading");
  const [invited, setInvited] = useState<Invited>();
  const [error, setError] = useState("");
  useEffect(() => {
    document.title = "Invitation \u00b7 Duramen";
    const onHash = (): void => setText(textOfAddress());
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
  useEffect(() => {
    let stopped = false;
    setStep("reading");
    setError("");
    readInvitation(text).then(
      (answer) => {
        if (stopped) return;
        setInvited(answer);
        setStep("asking");
      },
      (cause: unknown) => {
        if (stopped) return;
        setError(sentenceOf(cause));
        setStep("refused");
      },
    );
    return () => (stopped = true);
  }, [text]);
  return (
    <main class="login" aria-busy={step === "reading"}>
      <div class="login-rings" aria-hidden="true">
        <Logo size={760} />
      </div>
      <div class="login-card">
        <h1>
          <Logo size={34} /> Duramen
        </h1>
        {step === "asking" && invited && (
          <PasswordForm text={text} invited={invited} onAccepted={() => setStep("done")} />
        )}
        {step === "refused" && (
          <>
            <p class="login-error" role="alert">
              {error}
            </p>
            <button type="button" class="button wide" onClick={onDone}>
              To the log-in
            </button>
          </>
        )}
        {step === "done" && invited && (
          <>
            <p class="login-said" role="status">
              The password of <b>{invited.user}</b> is set. The link is used up.
            </p>
            <button type="button" class="button primary wide" autofocus onClick={onDone}>
              Log in
            </button>
          </>
        )}
      </div>
    </main>
  );
}

interface FormProps {
  text: string;
  invited: Invited;
  onAccepted(): void;
}

function PasswordForm({ text, invited, onAccepted }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    const fresh = String(data.get("new"));
    if (fresh !== String(data.get("again"))) {
      setError("The two passwords differ.");
      return form.querySelector<HTMLInputElement>("input[name=again]")?.focus();
    }
    setBusy(true);
    setError("");
    try {
      await acceptInvitation(text, fresh);
      onAccepted();
    } catch (cause) {
      setError(sentenceOf(cause));
      first.current?.focus();
    }
    setBusy(false);
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <p class="login-said">
        You were invited as <b>{invited.user}</b>. Choose a password that nobody else knows.
      </p>
      <UserNameField user={invited.user} />
      <label>
        New password
        <input
          name="new"
          type="password"
          autocomplete="new-password"
          required
          aria-describedby="invitation-rule"
          ref={first}
        />
      </label>
      <label>
        New password again
        <input name="again" type="password" autocomplete="new-password" required />
      </label>
      <p class="login-error" role="alert">
        {error}
      </p>
      <button class="button primary wide" disabled={busy}>
        {busy ? "Setting it\u2026" : "Set the password"}
      </button>
      <p class="login-hint" id="invitation-rule">
        At least {invited.password_chars_min} characters: a long sentence is easier to remember than a short riddle.
        Blanks and all letters are allowed.
      </p>
    </form>
  );
}
