// The list of users, and a new one.
import { useState } from "preact/hooks";
import type { UserList } from "../../api/users.ts";
import { CopyLine } from "../../components/copy-line.tsx";
import { formatShortTime } from "../../time/format.ts";
import { zone } from "../../view/preferences.ts";
import { pathOf } from "../../view/route.ts";
import { QuestionForm } from "./question-form.tsx";
import { UserRow } from "./user-row.tsx";
import type { UsersModel } from "./users-model.ts";

/** Most users that are shown at once; the filter finds the others. */
const SHOWN_MAX = 100;

interface Props {
  model: UsersModel;
  list: UserList;
  self: string;
}

export function UsersTab({ model, list, self }: Props) {
  const [filter, setFilter] = useState("");
  const { made, opened } = model;
  const wanted = filter.trim().toLowerCase();
  const found = list.users.filter(({ name }) => name === opened.value || name.toLowerCase().includes(wanted));
  // Who is opened is shown, however many there are before.
  const shown = found.filter(({ name }, at) => at < SHOWN_MAX || name === opened.value);
  return (
    <section class="card wide" aria-labelledby="users-list">
      <h2 id="users-list">Users</h2>
      <p class="card-about muted">
        Changes ask for your password, except the end of sessions, and are in the ledger with your name and address. The
        last user who may administer every logspace stays.
      </p>
      {made.value && (
        <CopyLine
          label={`The link for ${made.value.user}, which is shown only this once. It sets a password until ${formatShortTime(made.value.expires_us, zone.value)}`}
          text={`${location.origin}${pathOf("invitation")}#${made.value.text}`}
          onDone={() => (made.value = undefined)}
        />
      )}
      <NewUser model={model} />
      {list.users.length > 5 && (
        <label class="users-filter">
          <span>Find a user</span>
          <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
      )}
      <ul class="card-list" aria-label="Users">
        {shown.map((user) => (
          <UserRow key={user.name} model={model} user={user} list={list} self={self} />
        ))}
      </ul>
      {found.length === 0 && <p class="muted">No name has that in it.</p>}
      {found.length > shown.length && (
        <p class="muted">{found.length - shown.length} more: find them by a part of their name.</p>
      )}
    </section>
  );
}

function NewUser({ model }: { model: UsersModel }) {
  const isAsked = model.question.value?.of === "";
  return (
    <>
      <form
        class="card-form new-name"
        aria-label="Add a user"
        onSubmit={(event) => {
          event.preventDefault();
          const name = String(new FormData(event.currentTarget).get("name")).trim();
          if (name) model.askToAdd(name);
        }}
      >
        <label>
          Add a user
          <input
            name="name"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            maxLength={64}
            pattern="[A-Za-z0-9._@\-]+"
            title="Letters, digits and . _ @ -"
            required
          />
        </label>
        {!isAsked && (
          <button class="button primary" disabled={model.busy.value}>
            Add with a link
          </button>
        )}
      </form>
      <QuestionForm model={model} of="" />
    </>
  );
}
