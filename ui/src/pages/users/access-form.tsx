// The roles and the own grants of a user, as they are being edited.
import { useState } from "preact/hooks";
import type { User, UserList } from "../../api/users.ts";
import { GrantsEditor } from "./grants-editor.tsx";
import type { UsersModel } from "./users-model.ts";

interface Props {
  model: UsersModel;
  user: User;
  list: UserList;
}

export function AccessForm({ model, user, list }: Props) {
  const [grants, setGrants] = useState(user.grants);
  const [roles, setRoles] = useState(user.roles);
  const toggle = (name: string): void =>
    setRoles(roles.includes(name) ? roles.filter((role) => role !== name) : [...roles, name]);
  return (
    <form
      class="card-form"
      aria-label={`Rights of ${user.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        model.askToSetAccess(
          user.name,
          grants.filter(({ may }) => may.length > 0),
          // A role that was removed meanwhile is no mistake of the administrator.
          roles.filter((name) => list.roles.some((role) => role.name === name)),
        );
      }}
    >
      <fieldset>
        <legend>Roles</legend>
        {list.roles.length === 0 && <p class="muted">There are none: make one under Roles.</p>}
        <div class="role-choices">
          {list.roles.map(({ name }) => (
            <label class="choice" key={name}>
              <input type="checkbox" checked={roles.includes(name)} onChange={() => toggle(name)} />
              {name}
            </label>
          ))}
        </div>
      </fieldset>
      <GrantsEditor label="Own grants" grants={grants} logspaces={list.logspaces} onChange={setGrants} />
      <p class="card-buttons">
        <button class="button primary" disabled={model.busy.value}>
          Set the rights
        </button>
      </p>
    </form>
  );
}
