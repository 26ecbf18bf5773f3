// The roles: named bundles of grants, which users have beside their own.
import { useState } from "preact/hooks";
import type { Role, UserList } from "../../api/users.ts";
import { GrantsEditor } from "./grants-editor.tsx";
import { QuestionForm } from "./question-form.tsx";
import type { UsersModel } from "./users-model.ts";

interface Props {
  model: UsersModel;
  list: UserList;
}

export function RolesTab({ model, list }: Props) {
  return (
    <section class="card wide" aria-labelledby="users-roles">
      <h2 id="users-roles">Roles</h2>
      <p class="card-about muted">
        A role is a name for several grants. What is changed here counts at once for all who have it.
      </p>
      <NewRole model={model} list={list} />
      <ul class="card-list" aria-label="Roles">
        {list.roles.map((role) => (
          <RoleRow key={role.name} role={role} model={model} list={list} />
        ))}
      </ul>
      {list.roles.length === 0 && <p class="muted">There are none.</p>}
    </section>
  );
}

function NewRole({ model, list }: Props) {
  const [taken, setTaken] = useState(false);
  const isAsked = model.question.value?.of === "";
  return (
    <>
      <form
        class="card-form new-name"
        aria-label="Make a role"
        onSubmit={(event) => {
          event.preventDefault();
          const name = String(new FormData(event.currentTarget).get("name")).trim();
          const isTaken = list.roles.some((role) => role.name === name);
          setTaken(isTaken);
          if (name && !isTaken) model.askToSetRole(name, [], true);
        }}
      >
        <label>
          Make a role
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
            Make it
          </button>
        )}
      </form>
      {taken && (
        <p class="card-outcome failed" role="alert">
          There is a role of that name.
        </p>
      )}
      <QuestionForm model={model} of="" />
    </>
  );
}

function RoleRow({ role, model, list }: Props & { role: Role }) {
  const isOpen = model.openedRole.value === role.name;
  const holders = list.users.filter(({ roles }) => roles.includes(role.name)).map(({ name }) => name);
  const id = `role-${role.name}`;
  return (
    <li class="person">
      <div class="card-row">
        <span class="card-what">
          <b>{role.name}</b>
          <span class="muted">
            {role.grants.map(({ logspace, may }) => `${may.join(", ")} in ${logspace}`).join("; ") || "no rights"}
          </span>
          <span class="muted">{holdersText(holders)}</span>
        </span>
        <button
          type="button"
          class="button outlined small"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`Change ${role.name}`}
          onClick={() => model.openRole(isOpen ? undefined : role.name)}
        >
          Change
        </button>
      </div>
      {isOpen && (
        <div class="person-details" id={id}>
          <RoleForm key={JSON.stringify(role.grants)} role={role} model={model} list={list} />
          <QuestionForm model={model} of={role.name} />
        </div>
      )}
    </li>
  );
}

function RoleForm({ role, model, list }: Props & { role: Role }) {
  const [grants, setGrants] = useState(role.grants);
  return (
    <form
      class="card-form"
      aria-label={`Grants of ${role.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = grants.filter(({ may }) => may.length > 0);
        model.askToSetRole(role.name, wanted, false);
      }}
    >
      <GrantsEditor label="Grants" grants={grants} logspaces={list.logspaces} onChange={setGrants} />
      <p class="card-buttons">
        <button class="button primary" disabled={model.busy.value}>
          Set the grants
        </button>
        <button
          type="button"
          class="button outlined"
          disabled={model.busy.value}
          onClick={() => model.askToRemoveRole(role.name)}
        >
          Remove
        </button>
      </p>
    </form>
  );
}

/** Names the users of a role, the first of many. */
function holdersText(names: string[]): string {
  if (names.length === 0) return "nobody has it";
  const more = names.length - 5;
  return `given to ${names.slice(0, 5).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
