// Another password: the one until now, and the new one twice.
import { useState } from "preact/hooks";
import { Section } from "../../components/section.tsx";
import { UserNameField } from "../../components/user-name-field.tsx";
import type { ProfileModel } from "./profile-model.ts";

export function PasswordSection({ model, user }: { model: ProfileModel; user: string }) {
  const [differs, setDiffers] = useState(false);
  const outcome = model.outcome.value;

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    const fresh = String(data.get("new"));
    const isSame = fresh === String(data.get("again"));
    setDiffers(!isSame);
    if (!isSame) return form.querySelector<HTMLInputElement>("input[name=again]")?.focus();
    if (await model.changePassword(String(data.get("password")), fresh)) form.reset();
  }

  return (
    <Section
      id="profile-password"
      title="Password"
      about="A long sentence is easier to remember than a short riddle. Blanks and all letters are allowed, and it never has to be changed without a reason."
      outcome={
        differs
          ? { text: "The two new passwords differ.", failed: true }
          : outcome?.section === "password"
            ? outcome
            : undefined
      }
    >
      <form class="card-form" onSubmit={(event) => void submit(event)}>
        <UserNameField user={user} />
        <label>
          Password until now
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <label>
          New password
          <input name="new" type="password" autocomplete="new-password" required />
        </label>
        <label>
          New password again
          <input name="again" type="password" autocomplete="new-password" required />
        </label>
        <p class="card-buttons">
          <button class="button primary" disabled={model.busy.value}>
            Change the password
          </button>
          <span class="muted">Your other sessions end.</span>
        </p>
      </form>
    </Section>
  );
}
