// The matrix of users and logspaces: what each may do there, and why.
import { useState } from "preact/hooks";
import type { User, UserList } from "../../api/users.ts";
import { EVERY_LOGSPACE, explain, rightsOf, RIGHTS } from "./effective.ts";

/** Most lines and columns that are shown at once; the filters find the others. */
const LINES_MAX = 100;
const COLUMNS_MAX = 30;

interface Props {
  list: UserList;
  onChange(user: string): void;
}

export function RightsTab({ list, onChange }: Props) {
  const [userFilter, setUserFilter] = useState("");
  const [logspaceFilter, setLogspaceFilter] = useState("");
  const [cell, setCell] = useState<{ user: string; logspace: string }>();
  const users = list.users.filter(({ name }) => name.toLowerCase().includes(userFilter.trim().toLowerCase()));
  const logspaces = list.logspaces.filter((name) => name.toLowerCase().includes(logspaceFilter.trim().toLowerCase()));
  const columns = [EVERY_LOGSPACE, ...logspaces.slice(0, COLUMNS_MAX)];
  const chosen = cell && list.users.find(({ name }) => name === cell.user);
  return (
    <section class="card wide" aria-labelledby="users-rights">
      <h2 id="users-rights">Rights</h2>
      <p class="card-about muted">
        What each user may do: S search, E export, A administer. Choose a cell to see which grant or role it comes from.
      </p>
      <div class="users-filters">
        <label class="users-filter">
          <span>Find a user</span>
          <input type="search" value={userFilter} onInput={(event) => setUserFilter(event.currentTarget.value)} />
        </label>
        <label class="users-filter">
          <span>Find a logspace</span>
          <input
            type="search"
            value={logspaceFilter}
            onInput={(event) => setLogspaceFilter(event.currentTarget.value)}
          />
        </label>
      </div>
      <div class="matrix-frame" role="region" aria-labelledby="users-rights" tabIndex={0}>
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">User</th>
              {columns.map((name) => (
                <th scope="col" key={name}>
                  {name === EVERY_LOGSPACE ? "all (*)" : name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {users.slice(0, LINES_MAX).map((user) => (
              <tr key={user.name}>
                <th scope="row">
                  <button
                    type="button"
                    class="matrix-name"
                    aria-label={`${user.name}: change the rights`}
                    onClick={() => onChange(user.name)}
                  >
                    {user.name}
                  </button>
                </th>
                {columns.map((logspace) => (
                  <td key={logspace}>
                    <Cell
                      user={user}
                      logspace={logspace}
                      isChosen={cell?.user === user.name && cell.logspace === logspace}
                      onChoose={() => setCell({ user: user.name, logspace })}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {users.length > LINES_MAX && <p class="muted">{users.length - LINES_MAX} more users: find them by name.</p>}
      {logspaces.length > COLUMNS_MAX && (
        <p class="muted">{logspaces.length - COLUMNS_MAX} more logspaces: find them by name.</p>
      )}
      <div class="matrix-why" role="status">
        {cell && chosen && (
          <>
            <b>
              {chosen.name} in {cell.logspace === EVERY_LOGSPACE ? "all logspaces" : cell.logspace}
            </b>
            <ul>
              {explain(chosen, cell.logspace).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  );
}

interface CellProps {
  user: User;
  logspace: string;
  isChosen: boolean;
  onChoose(): void;
}

function Cell({ user, logspace, isChosen, onChoose }: CellProps) {
  const rights = rightsOf(user, logspace);
  const where = logspace === EVERY_LOGSPACE ? "all logspaces" : logspace;
  return (
    <button
      type="button"
      class={`matrix-cell ${rights.length === 0 ? "empty" : ""}`}
      aria-pressed={isChosen}
      onClick={onChoose}
    >
      <span aria-hidden="true">
        {RIGHTS.map((right) => (rights.includes(right) ? right.charAt(0).toUpperCase() : "\u00b7")).join("")}
      </span>
      <span class="visually-hidden">{`${user.name} in ${where}: ${rights.join(", ") || "nothing"}`}</span>
    </button>
  );
}
