// The state of the live tail: messages received, messages shown, and the connection.
import { count } from "../../time/format.ts";
import { Icon } from "../../components/icon.tsx";
import type { Live } from "./model/live-tail.ts";

export function LiveLine({ live, onResume, onStop }: { live: Live; onResume: () => void; onStop: () => void }) {
  const waiting = live.waiting.value;
  const paused = live.paused.value;
  const lost = live.connection.value === "lost";
  const passed = live.matched.value - live.shown.value;
  const rate = live.rate.value;
  return (
    <div class={`live-line ${paused ? "paused" : ""} ${lost ? "lost" : ""}`}>
      <span class="live-dot" aria-hidden="true" />
      <p>
        {lost ? "Connection lost, trying again. Nothing is skipped." : paused ? "Live, paused while you read" : "Live"}
        {!lost && <span class="dim"> · {count(rate)} a second</span>}
        {!paused && rate > 0 && passed > rate * 2 && (
          <span class="dim">
            {" "}
            · showing {count(live.shown.value)} of {count(live.matched.value)}
          </span>
        )}
        {live.missed.value > 0 && (
          <span class="dim"> · {count(live.missed.value)} came too fast to look at: search for them</span>
        )}
      </p>
      <span class="offscreen" role="status">
        {paused && waiting > 0 ? `${waiting} new messages` : ""}
      </span>
      {paused && (
        <button type="button" class="button primary small" onClick={onResume}>
          <Icon name="up" size={13} /> {waiting > 0 ? `${count(waiting)} new` : "Back to live"}
        </button>
      )}
      <span class="grow" />
      <button type="button" class="linklike" onClick={onStop}>
        Stop <span class="key">l</span>
      </button>
    </div>
  );
}
