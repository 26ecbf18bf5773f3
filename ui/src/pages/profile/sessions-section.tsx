// The open sessions: this one, and those that can be ended.
import { Section } from "../../components/section.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { formatShortTime } from "../../time/format.ts";
import { zone } from "../../view/preferences.ts";
import { browserName } from "./browser-name.ts";
import type { ProfileModel } from "./profile-model.ts";

const MINUTE_US = 60_000_000;

export function SessionsSection({ model }: { model: ProfileModel }) {
  const { outcome, sessions, busy } = model;
  const list = sessions.value;
  // Seconds say nothing here.
  const at = (us: number): string => formatShortTime(us - (us % MINUTE_US), zone.value);
  return (
    <Section
      id="profile-sessions"
      title="Sessions"
      about="Where you are logged in. End what you do not know, and change your password then."
      outcome={outcome.value?.section === "sessions" ? outcome.value : undefined}
    >
      {list && (
        <ul class="card-list">
          {list.map((session) => (
            <li key={session.id} class="card-row">
              <span class="card-what">
                <b title={session.agent}>
                  <VisibleText text={browserName(session.agent)} />
                </b>
                {session.current && <span class="mark">this session</span>}
                <span class="muted">
                  {session.address && `from ${session.address}, `}since {at(session.opened_us)}, last used{" "}
                  {at(session.used_us)}
                </span>
              </span>
              {!session.current && (
                <button
                  type="button"
                  class="button outlined small"
                  aria-label={`End the session of ${browserName(session.agent)} since ${at(session.opened_us)}`}
                  disabled={busy.value}
                  onClick={() => void model.endSession(session.id)}
                >
                  End
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {list && list.some(({ current }) => !current) && (
        <p class="card-buttons">
          <button type="button" class="button outlined" disabled={busy.value} onClick={() => void model.endOthers()}>
            End all other sessions
          </button>
        </p>
      )}
    </Section>
  );
}
