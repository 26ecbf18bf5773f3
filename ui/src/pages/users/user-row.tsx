// One user: a line of the list, and when it is opened the rights and everything else that can be changed.
import type { User, UserAction, UserList } from "../../api/users.ts";
import { formatShortTime } from "../../time/format.ts";
import { zone } from "../../view/preferences.ts";
import { AccessForm } from "./access-form.tsx";
import { summaryOf } from "./effective.ts";
import { QuestionForm } from "./question-form.tsx";
import type { UsersModel } from "./users-model.ts";

const MINUTE_US = 60_000_000;

interface Props {
  model: UsersModel;
  user: User;
  list: UserList;
  /** The user who looks at the page. */
  self: string;
}

export function UserRow({ model, user, list, self }: Props) {
  const isOpen = model.opened.value === user.name;
  const id = `user-${user.name}`;
  return (
    <li class="person">
      <div class="card-row">
        <span class="card-what">
          <b>{user.name}</b>
          {user.name === self && <span class="mark">you</span>}
          {user.locked && <span class="mark over">locked out</span>}
          {!user.has_password && <span class="mark">invited</span>}
          {user.has_factor && <span class="mark">second factor</span>}
          <span class="muted">{summaryOf(user)}</span>
          <span class="muted">{activityOf(user)}</span>
        </span>
        <button
          type="button"
          class="button outlined small"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`Change ${user.name}`}
          onClick={() => model.open(isOpen ? undefined : user.name)}
        >
          Change
        </button>
      </div>
      {isOpen && (
        <div class="person-details" id={id}>
          <AccessForm
            // What others have changed meanwhile is shown, and not undone.
            key={JSON.stringify([user.grants, user.roles])}
            model={model}
            user={user}
            list={list}
          />
          <Actions model={model} user={user} />
          <QuestionForm model={model} of={user.name} />
        </div>
      )}
    </li>
  );
}

function Actions({ model, user }: { model: UsersModel; user: User }) {
  const actions: { action: UserAction; label: string; shown: boolean }[] = [
    { action: "invite", label: "Link to set a password", shown: !user.locked },
    { action: "reset-factor", label: "Reset the second factor", shown: user.has_factor },
    { action: "lock", label: "Lock out", shown: !user.locked },
    { action: "unlock", label: "Let in again", shown: user.locked },
    { action: "remove", label: "Remove", shown: true },
  ];
  return (
    <p class="card-buttons">
      {user.sessions > 0 && (
        <button
          type="button"
          class="button outlined"
          disabled={model.busy.value}
          onClick={() => void model.endSessions(user.name)}
        >
          End all sessions
        </button>
      )}
      {actions.map(
        ({ action, label, shown }) =>
          shown && (
            <button
              type="button"
              class="button outlined"
              key={action}
              disabled={model.busy.value}
              onClick={() => model.askToChange(user.name, action)}
            >
              {label}
            </button>
          ),
      )}
    </p>
  );
}

/** When the user was seen last, and what is open. */
function activityOf(user: User): string {
  const at = (us: number): string => formatShortTime(us - (us % MINUTE_US), zone.value);
  const parts = [user.seen_us === undefined ? "never seen" : `last seen ${at(user.seen_us)}`];
  if (user.sessions > 0) parts.push(user.sessions === 1 ? "1 session" : `${user.sessions} sessions`);
  if (user.tokens > 0) parts.push(user.tokens === 1 ? "1 API token" : `${user.tokens} API tokens`);
  if (user.invited_until_us !== undefined) {
    const isOver = user.invited_until_us <= Date.now() * 1000;
    parts.push(isOver ? "the link has expired" : `link valid until ${at(user.invited_until_us)}`);
  }
  return parts.join(", ");
}
