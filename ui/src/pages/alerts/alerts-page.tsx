// The inbox: what the rules have reported, newest first.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { ALERT_TABS, PageHead, type PageProps } from "../../components/page-head.tsx";
import { StatusMessage } from "../../components/status-message.tsx";
import { openPage } from "../../navigation/location.ts";
import { below } from "../../view/route.ts";
import { zone } from "../../view/preferences.ts";
import "../../style/alerts.css";
import { AlertDetail } from "./alert-detail.ts";
import { AlertPane } from "./alert-pane.tsx";
import { AlertRow } from "./alert-row.tsx";
import { AlertsModel } from "./alerts-model.ts";
import { INBOX_STATES, type InboxState } from "./inbox-view.ts";

const CLOCK_MS = 1_000;
const STATE_LABELS: Record<InboxState, string> = {
  all: "All",
  firing: "Firing",
  occurred: "Occurred",
  resolved: "Resolved",
};

export function AlertsPage(props: PageProps) {
  const inbox = useMemo(() => new AlertsModel(), []);
  const detail = useMemo(() => new AlertDetail(), []);
  const rows = useRef<(HTMLButtonElement | null)[]>([]);
  const nowUs = useNow();
  useEffect(() => {
    inbox.start();
    document.title = "Alerts \u00b7 Duramen";
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!runKey(event, inbox, () => rows.current[inbox.cursor.value]?.focus())) return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      inbox.stop();
      detail.stop();
    };
  }, []);
  const alerts = inbox.alerts.value;
  const opened = inbox.opened.value;
  return (
    <div class="page">
      <PageHead {...props} title="Alerts" tabs={ALERT_TABS} />
      <Filters inbox={inbox} />
      <main class={`panels ${opened ? "with-alert" : ""}`}>
        <div class="alert-column">
          {inbox.error.value && (
            <p class="alert-error" role="alert">
              {inbox.error.value.message} {alerts && "The alerts below are those that were read before."}
            </p>
          )}
          {alerts && alerts.length === 0 && <Nothing inbox={inbox} />}
          {alerts && alerts.length > 0 && (
            <ul class="alert-list" aria-label="Alerts">
              {alerts.map((alert, index) => (
                <AlertRow
                  key={alert.number}
                  alert={alert}
                  open={alert.number === opened?.number}
                  nowUs={nowUs}
                  zone={zone.value}
                  button={(node) => {
                    rows.current[index] = node;
                  }}
                  onOpen={() => inbox.open(index)}
                />
              ))}
            </ul>
          )}
          {alerts && inbox.more.value && (
            <p class="alert-more">
              <Button title="Show older alerts" kind="outlined" onClick={() => void inbox.readOlder()}>
                Show older alerts
              </Button>
            </p>
          )}
        </div>
        {opened && (
          <AlertPane
            alert={opened}
            detail={detail}
            nowUs={nowUs}
            zone={zone.value}
            onAcknowledge={(note) => void inbox.acknowledge(opened, note)}
            onOfRule={() => openPage("rules", `?open=${encodeURIComponent(opened.rule)}`)}
            onClose={() => inbox.close()}
          />
        )}
      </main>
      <p class={`notice ${inbox.notice.value ? "on" : ""}`} role="status">
        {inbox.notice.value}
      </p>
    </div>
  );
}

function Filters({ inbox }: { inbox: AlertsModel }) {
  const { state, rule } = inbox.view.value;
  return (
    <div class="page-filters">
      <div class="segmented" role="group" aria-label="State">
        {INBOX_STATES.map((name) => (
          <button
            type="button"
            class={name === state ? "on" : ""}
            aria-pressed={name === state}
            onClick={() => inbox.navigate({ state: name })}
          >
            {STATE_LABELS[name]}
          </button>
        ))}
      </div>
      {rule && (
        <Button
          title={`Show alerts of all rules`}
          icon="close"
          kind="outlined"
          onClick={() => inbox.navigate({ rule: "" })}
        >
          <span class="ellipsis">of {rule}</span>
        </Button>
      )}
      <span class="spacer" />
      <span class="muted key-hints" aria-hidden="true">
        <kbd class="key">j</kbd> <kbd class="key">k</kbd> move <kbd class="key">a</kbd> acknowledge
      </span>
    </div>
  );
}

function Nothing({ inbox }: { inbox: AlertsModel }) {
  const { state, rule } = inbox.view.value;
  if (state !== "all" || rule)
    return (
      <StatusMessage
        icon="check"
        title="No such alerts"
        action="Show all alerts"
        onAction={() => inbox.navigate({ state: "all", rule: "" })}
      >
        <p>There are none in this state{rule && " of this rule"}.</p>
      </StatusMessage>
    );
  return (
    <StatusMessage icon="bell" title="No alerts yet" action="See the rules" onAction={() => openPage("rules", "")}>
      <p>
        Rules watch messages as they arrive, each message once and in the order of reception, and report here.{" "}
        <a href={below("manual/manual/rules.html")}>How to write rules</a>
      </p>
    </StatusMessage>
  );
}

/** The time now, so that durations on the page move. */
function useNow(): number {
  const [nowUs, setNow] = useState(Date.now() * 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() * 1000), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowUs;
}

/** Acts on a key; returns true if it was one of ours. */
function runKey(event: KeyboardEvent, inbox: AlertsModel, focusRow: () => void): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  const target = event.composedPath()[0] as HTMLElement | undefined;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target?.tagName ?? "")) {
    if (event.key === "Escape") target?.blur();
    return event.key === "Escape";
  }
  if (target?.closest("[role=dialog], dialog")) return false;
  const steps: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
  const step = steps[event.key];
  if (step !== undefined) {
    // The first press goes to the row of the cursor, the next ones move it.
    const isOnRow = target?.classList.contains("alert-open") === true;
    inbox.move(isOnRow ? step : 0);
    focusRow();
    return true;
  }
  if (event.key === "a") {
    const shown = inbox.opened.value ?? inbox.alerts.value?.[inbox.cursor.value];
    // The key never replaces the note of somebody else.
    if (shown?.acknowledged_us === null) void inbox.acknowledge(shown, "");
    else if (shown) inbox.notify(`${shown.title} is acknowledged by ${shown.acknowledged_by}`);
    return true;
  }
  if (event.key === "Escape" && inbox.view.value.open !== undefined) {
    inbox.close();
    focusRow();
    return true;
  }
  return false;
}
