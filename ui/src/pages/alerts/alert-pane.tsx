// An alert: its facts, the messages behind it, their course, and how complete its rule has seen them.
import { useEffect, useState } from "preact/hooks";
import type { Alert } from "../../api/alerts.ts";
import { BarStrip } from "../../components/bar-strip.tsx";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { SeverityMark } from "../../components/severity.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { follow } from "../../navigation/location.ts";
import { formatNumber, formatShortTime } from "../../time/format.ts";
import type { Zone } from "../../time/zone.ts";
import { encodeView } from "../../view/codec.ts";
import { pathOf } from "../../view/route.ts";
import type { AlertDetail } from "./alert-detail.ts";
import { isSameRule, messagesOf, queryOf } from "./alert-messages.ts";
import { AlertKey, lastsText } from "./alert-row.tsx";
import { coverageText, levelOf } from "./coverage.ts";
import { stateMeaning, stateWord } from "./inbox-view.ts";

/** The messages behind an alert, for kinds where they are not simply those within its window. */
const MESSAGES_OF: Record<string, string> = {
  match: "Show the message",
  "new-value": "Show the message",
  absence: "Show the last message before the silence",
};

interface Props {
  alert: Alert;
  detail: AlertDetail;
  nowUs: number;
  zone: Zone;
  onAcknowledge(note: string): void;
  onOfRule(): void;
  onClose(): void;
}

export function AlertPane({ alert, detail, nowUs, zone, onAcknowledge, onOfRule, onClose }: Props) {
  useEffect(() => void detail.read(alert), [alert.number]);
  const rule = detail.rule.value;
  const health = detail.healthOf(alert);
  return (
    <section class="alert-pane" aria-label="Alert">
      <header class="alert-pane-head">
        <h2>
          <VisibleText text={alert.title} />
        </h2>
        <Button icon="close" title="Close" shortcut="Esc" onClick={onClose} />
      </header>
      <p class="alert-pane-key">
        <SeverityMark severity={alert.severity} />
        <AlertKey alertKey={alert.key} />
      </p>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <b>{stateWord(alert.state)}</b> {lastsText(alert, nowUs)}
          <span class="fact-note">{stateMeaning(alert.state)}</span>
        </dd>
        <dt>Began</dt>
        <dd>
          {formatShortTime(alert.began_us, zone)}
          {alert.sequence === null && <span class="fact-note">by the passing of time</span>}
        </dd>
        {alert.ended_us !== null && alert.state !== "occurred" && (
          <>
            <dt>Ended</dt>
            <dd>{formatShortTime(alert.ended_us, zone)}</dd>
          </>
        )}
        {alert.value !== null && (
          <>
            <dt>Figure</dt>
            <dd>{formatNumber(alert.value)}</dd>
          </>
        )}
        <dt>Logspace</dt>
        <dd>{alert.logspace}</dd>
        <dt>Rule</dt>
        <dd>
          <button type="button" class="link-button" onClick={onOfRule}>
            {alert.rule}
          </button>
          {typeof rule !== "string" && <span class="fact-note">{rule.condition}</span>}
        </dd>
      </dl>
      <Messages alert={alert} detail={detail} zone={zone} />
      {health && (
        <p class={`coverage ${levelOf(health)}`}>
          <Icon name={levelOf(health) === "well" ? "check" : "alert"} size={14} />
          <span>
            {coverageText(health)}
            {health.trouble !== null && `: ${health.trouble}`}
          </span>
        </p>
      )}
      {typeof rule !== "string" && rule.description && (
        <p class="alert-description">
          <VisibleText text={rule.description} />
        </p>
      )}
      <Acknowledgement key={alert.number} alert={alert} zone={zone} onAcknowledge={onAcknowledge} />
    </section>
  );
}

/** The messages behind the alert, as a link and as a course. */
function Messages({ alert, detail, zone }: Pick<Props, "alert" | "detail" | "zone">) {
  const rule = detail.rule.value;
  if (rule === "loading") return <p class="muted">Reading the rule…</p>;
  if (rule === "gone" || !isSameRule(alert, rule))
    return (
      <p class="alert-changed">
        {rule === "gone" ? "The rule is not in force any more" : "The rule was changed since"}: its messages cannot be
        named exactly.
      </p>
    );
  const view = encodeView(messagesOf(alert, rule));
  const query = queryOf(alert, rule);
  return (
    <>
      <p>
        <a
          class="button primary alert-messages"
          href={pathOf("search") + view}
          onClick={(event) => follow(event, "search", view)}
        >
          <Icon name="search" />
          {MESSAGES_OF[rule.kind] ?? "Show the messages"}
        </a>
      </p>
      <p class="alert-query">
        <code>
          <VisibleText text={query || "*"} />
        </code>
      </p>
      {detail.course.value && (
        <BarStrip
          bars={detail.course.value}
          marks={alert.ended_us === null ? [alert.began_us] : [alert.began_us, alert.ended_us]}
          zone={zone}
          label="Messages of this query over time"
        />
      )}
      {detail.courseError.value && <p class="alert-changed">{detail.courseError.value}</p>}
    </>
  );
}

function Acknowledgement({ alert, zone, onAcknowledge }: Pick<Props, "alert" | "zone" | "onAcknowledge">) {
  const [note, setNote] = useState("");
  const isKnown = alert.acknowledged_us !== null;
  return (
    <form
      class="acknowledge"
      onSubmit={(event) => {
        event.preventDefault();
        onAcknowledge(note);
        setNote("");
      }}
    >
      {isKnown && (
        <p>
          <Icon name="check" size={14} /> Acknowledged by <b>{alert.acknowledged_by}</b>,{" "}
          {formatShortTime(alert.acknowledged_us!, zone)}
          {alert.note && (
            <span class="acknowledge-note">
              <VisibleText text={alert.note} />
            </span>
          )}
        </p>
      )}
      <label>
        Note for others
        <input name="note" value={note} maxLength={500} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <button class={`button ${isKnown ? "outlined" : "primary"}`} title="Acknowledge  (a)">
        {isKnown ? "Acknowledge again" : "Acknowledge"}
      </button>
    </form>
  );
}
