// Says which messages are missing from an answer because they are locked or damaged, and when they were received. A key
// unlocks them for this session.
import { useState } from "preact/hooks";
import { ApiError } from "../../api/call.ts";
import type { Logspace } from "../../api/logspaces.ts";
import type { Unread } from "../../api/search.ts";
import { lock, unlock } from "../../api/unlock.ts";
import { Icon } from "../../components/icon.tsx";
import { formatShortTime } from "../../time/format.ts";
import type { Zone } from "../../time/zone.ts";

/** Most gaps that are listed one by one. */
const NAMED_MAX = 3;

interface Props {
  logspace: Logspace | undefined;
  unread: Unread[];
  zone: Zone;
  /** Called after the keys have changed: the search has to be repeated. */
  onChange(): void;
}

export function UnreadNotice({ logspace, unread, zone, onChange }: Props) {
  const [asking, setAsking] = useState(false);
  if (!logspace || (unread.length === 0 && !logspace.unlocked)) return null;
  const locked = unread.some(({ why }) => why === "locked");
  return (
    <div class="unread-notice" role="status">
      {unread.length > 0 && <Icon name="alert" size={14} />}
      <span class="unread-text">{unread.length > 0 ? describeUnread(unread, zone) : "Unlocked for this session."}</span>
      {locked && !asking && (
        <button type="button" class="button outlined" onClick={() => setAsking(true)}>
          Unlock
        </button>
      )}
      {logspace.unlocked && (
        <button type="button" class="button outlined" onClick={() => void lock(logspace.name).then(onChange)}>
          Lock again
        </button>
      )}
      {asking && (
        <UnlockForm
          logspace={logspace.name}
          onCancel={() => setAsking(false)}
          onDone={() => {
            setAsking(false);
            onChange();
          }}
        />
      )}
    </div>
  );
}

function describeUnread(unread: Unread[], zone: Zone): string {
  const named = unread.slice(0, NAMED_MAX).map(({ logspace, from_us, to_us, why }) => {
    const where = logspace ? `${logspace}: ` : "";
    const what = why === "locked" ? "locked" : `damaged (${why})`;
    return `${where}${formatShortTime(from_us, zone)} to ${formatShortTime(to_us, zone)} ${what}`;
  });
  const more = unread.length > NAMED_MAX ? `, and ${unread.length - NAMED_MAX} more` : "";
  return `Not searched: ${named.join("; ")}${more}.`;
}

function UnlockForm({ logspace, onCancel, onDone }: { logspace: string; onCancel(): void; onDone(): void }) {
  const [key, setKey] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [error, setError] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    unlock(logspace, key, passphrase).then(onDone, (cause: unknown) =>
      setError(cause instanceof ApiError ? cause.body.message : String(cause)),
    );
  };
  return (
    <form class="unlock-form" onSubmit={submit}>
      <label>
        Key file{" "}
        <input
          type="file"
          onChange={(event) => void event.currentTarget.files?.[0]?.text().then((text) => setKey(text.trim()))}
        />
      </label>
      <label>
        Passphrase{" "}
        <input
          type="password"
          autocomplete="off"
          placeholder="if it has one"
          value={passphrase}
          onInput={(event) => setPassphrase(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary" disabled={!key}>
        Unlock for this session
      </button>
      <button type="button" class="button" onClick={onCancel}>
        Cancel
      </button>
      {error && <span class="unlock-error">{error}</span>}
    </form>
  );
}
