// The form for a new API token.
import { useState } from "preact/hooks";
import type { Logspace } from "../../api/logspaces.ts";
import type { ProfileModel } from "./profile-model.ts";
import { DAYS_MAX, EMPTY_FIELDS, requestOf, SCOPES, type TokenFields } from "./token-form.ts";

interface Props {
  model: ProfileModel;
  logspaces: Logspace[];
  onClose(): void;
}

/** The list with an item, or without it. */
const toggled = <T,>(list: T[], item: T): T[] =>
  list.includes(item) ? list.filter((known) => known !== item) : [...list, item];

export function NewTokenForm({ model, logspaces, onClose }: Props) {
  const [fields, setFields] = useState<TokenFields>(EMPTY_FIELDS);
  const set = (change: Partial<TokenFields>): void => setFields({ ...fields, ...change });

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget as HTMLFormElement).get("password"));
    const request = requestOf(fields);
    if ("fault" in request) return model.say("tokens", request.fault, true);
    if (await model.makeToken({ ...request, password })) onClose();
  }

  return (
    <form class="card-form token-form" aria-label="New API token" onSubmit={(event) => void submit(event)}>
      <label>
        What it is for
        <input
          name="name"
          maxLength={100}
          autocomplete="off"
          required
          autofocus
          ref={(input) => void (input && fields === EMPTY_FIELDS && input.focus())}
          value={fields.name}
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
      </label>
      <fieldset>
        <legend>It may</legend>
        {SCOPES.map(([scope, words]) => (
          <label class="choice" key={scope}>
            <input
              type="checkbox"
              name="scope"
              value={scope}
              checked={fields.scopes.includes(scope)}
              onChange={() => set({ scopes: toggled(fields.scopes, scope) })}
            />
            {words} <code class="muted">{scope}</code>
          </label>
        ))}
      </fieldset>
      {logspaces.length > 1 && (
        <fieldset>
          <legend>In these logspaces (none chosen: all that you may search)</legend>
          {logspaces.map(({ name }) => (
            <label class="choice" key={name}>
              <input
                type="checkbox"
                name="logspace"
                value={name}
                checked={fields.logspaces.includes(name)}
                onChange={() => set({ logspaces: toggled(fields.logspaces, name) })}
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
      <label>
        From these addresses or networks (empty: from everywhere)
        <input
          name="networks"
          autocomplete="off"
          placeholder="10.0.0.0/8, 192.0.2.7"
          value={fields.networks}
          onInput={(event) => set({ networks: event.currentTarget.value })}
        />
      </label>
      <label>
        Days until it expires, at most {DAYS_MAX}
        <input
          name="days"
          inputMode="numeric"
          autocomplete="off"
          value={fields.days}
          onInput={(event) => set({ days: event.currentTarget.value })}
        />
      </label>
      <label>
        Your password, once more
        <input name="password" type="password" autocomplete="current-password" required />
      </label>
      <p class="card-buttons">
        <button class="button primary" disabled={model.busy.value}>
          Make the token
        </button>
        <button type="button" class="button outlined" onClick={onClose}>
          Cancel
        </button>
      </p>
    </form>
  );
}
