// The state of the live tail: how many messages arrive, how many are shown, and whether the connection is open.
import { formatCount } from "../../time/format.ts";
import { Icon } from "../../components/icon.tsx";
import type { LiveTail } from "./model/live-tail.ts";

export function LiveStatus({ live, onResume, onStop }: { live: LiveTail; onResume: () => void; onStop: () => void }) {
  const waiting = live.waiting.value;
  const paused = live.paused.value;
  const lost = live.connection.value === "lost";
  const skipped = live.matched.value - live.shown.value;
  const rate = live.rate.value;
  return (
    <div class={`live-status ${paused ? "paused" : ""} ${lost ? "lost" : ""}`}>
      <span class="live-dot" aria-hidden="true" />
      <p>
        {lost
          ? "Connection lost, reconnecting. No message is skipped."
          : paused
            ? "Live, paused while you read"
            : "Live"}
        {!lost && <span class="muted"> · {formatCount(rate)} a second</span>}
        {!paused && rate > 0 && skipped > rate * 2 && (
          <span class="muted">
            {" "}
            · showing {formatCount(live.shown.value)} of {formatCount(live.matched.value)}
          </span>
        )}
        {live.missed.value > 0 && (
          <span class="muted">
            {" "}
            · {formatCount(live.missed.value)} came too fast for the live tail: search for them
          </span>
        )}
      </p>
      <span class="visually-hidden" role="status">
        {paused && waiting > 0 ? `${waiting} new messages` : ""}
      </span>
      {paused && (
        <button type="button" class="button primary small" onClick={onResume}>
          <Icon name="up" size={13} /> {waiting > 0 ? `${formatCount(waiting)} new` : "Back to live"}
        </button>
      )}
      <span class="spacer" />
      <button type="button" class="link-button" onClick={onStop}>
        Stop <span class="key">l</span>
      </button>
    </div>
  );
}
