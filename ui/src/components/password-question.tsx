// The password, once more, before something that outlasts the session.
import { useEffect, useRef } from "preact/hooks";

interface Props {
  /** The words on the button. */
  action: string;
  busy: boolean;
  onAnswer(password: string): void;
  onCancel(): void;
}

export function PasswordQuestion({ action, busy, onAnswer, onCancel }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      class="card-form"
      aria-label={action}
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(String(new FormData(event.currentTarget).get("confirm")));
      }}
    >
      <label>
        Your password, once more
        <input name="confirm" type="password" autocomplete="current-password" required ref={input} />
      </label>
      <p class="card-buttons">
        <button class="button primary" disabled={busy}>
          {action}
        </button>
        <button type="button" class="button outlined" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}
