// The head of a dashboard on a wall: its name, the age of its figures, and a way back.
import { useEffect, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { formatClockTime } from "../../time/format.ts";
import { zone } from "../../view/preferences.ts";
import type { BoardModel } from "./board-model.ts";

const LOOK_EVERY_MS = 5_000;

/** Figures that missed two refreshes are marked as old. */
const MISSED = 2;

export function KioskHead({ model }: { model: BoardModel }) {
  const [nowUs, setNow] = useState(Date.now() * 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() * 1000), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const takenUs = model.takenUs.value;
  const isOld = takenUs !== undefined && nowUs - takenUs > (MISSED + 1) * model.refreshS.value * 1e6;
  return (
    <header class="top page-head board-head kiosk-head">
      <h1 class="ellipsis">
        <VisibleText text={model.object.value?.name ?? "Dashboard"} />
      </h1>
      <span class={`muted board-age ${isOld ? "old" : ""}`} role="status">
        {takenUs !== undefined && `as of ${formatClockTime(takenUs, zone.value).slice(0, 8)}`}
        {isOld && ", not refreshed since"}
      </span>
      <Button title="Show the dashboard with its tools" kind="outlined" onClick={() => model.leaveKiosk()}>
        Leave
      </Button>
    </header>
  );
}
