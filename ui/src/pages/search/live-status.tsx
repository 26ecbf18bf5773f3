// The state of the live tail: how many messages arrive, how many are shown, and whether the connection is open.
import { formatCount } from "../../time/format.ts";
import { Icon } from "../../components/icon.tsx";
import type { ErrorBody } from "../../api/call.ts";
import type { LiveTail } from "./model/live-tail.ts";
import { sentence } from "./states/empty-state.tsx";

export function LiveStatus({ live, onResume, onStop }: { live: LiveTail; onResume: () => void; onStop: () => void }) {
  const refusal = live.refusal.value;
  if (refusal) return <Refused error={refusal} onStop={onStop} />;
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
        Stop live <span class="key">L</span>
      </button>
    </div>
  );
}

function Refused({ error, onStop }: { error: ErrorBody; onStop: () => void }) {
  return (
    <div class="live-status lost" role="alert">
      <span class="live-dot" aria-hidden="true" />
      <p>The live tail has ended. {sentence(error.message)}</p>
      <span class="spacer" />
      <button type="button" class="link-button" onClick={onStop}>
        Stop live <span class="key">L</span>
      </button>
    </div>
  );
}

/** A live search whose pipes make a table: it is made again and again. */
export function LiveTable({ seconds, onStop }: { seconds: number; onStop: () => void }) {
  return (
    <div class="live-status">
      <span class="live-dot" aria-hidden="true" />
      <p>
        Live <span class="muted">· the table is made again every {seconds} seconds</span>
      </p>
      <span class="spacer" />
      <button type="button" class="link-button" onClick={onStop}>
        Stop live <span class="key">L</span>
      </button>
    </div>
  );
}
