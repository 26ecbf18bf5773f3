// One alert in the inbox: what, for which key, since when, how much, in which state, who knows of it.
import type { Ref } from "preact";
import type { Alert } from "../../api/alerts.ts";
import { Icon } from "../../components/icon.tsx";
import { SeverityMark } from "../../components/severity.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { shortName } from "../../query/edit.ts";
import { formatDuration, formatNumber, formatShortTime } from "../../time/format.ts";
import type { Zone } from "../../time/zone.ts";
import { stateMeaning, stateWord } from "./inbox-view.ts";

interface Props {
  alert: Alert;
  open: boolean;
  nowUs: number;
  zone: Zone;
  button: Ref<HTMLButtonElement>;
  onOpen(): void;
}

export function AlertRow({ alert, open, nowUs, zone, button, onOpen }: Props) {
  return (
    <li class={`alert-row state-${alert.state} ${alert.acknowledged_us === null ? "" : "known"}`}>
      <button type="button" class="alert-open" aria-current={open} ref={button} onClick={onOpen}>
        <SeverityMark severity={alert.severity} />
        <span class="alert-what">
          <span class="alert-title">
            <VisibleText text={alert.title} />
          </span>
          <AlertKey alertKey={alert.key} />
        </span>
        <span class="alert-value" title="The figure that was compared">
          {alert.value !== null && formatNumber(alert.value)}
        </span>
        <span class="alert-since" title={formatShortTime(alert.began_us, zone)}>
          {formatShortTime(alert.began_us, zone)}
          <span class="muted"> {lastsText(alert, nowUs)}</span>
        </span>
        <span class="alert-state" title={stateMeaning(alert.state)}>
          {stateWord(alert.state)}
        </span>
        <span class="alert-who">
          {alert.acknowledged_us !== null && (
            <>
              <Icon name="check" size={13} />
              <span class="visually-hidden">acknowledged by </span>
              <span class="ellipsis">{alert.acknowledged_by}</span>
            </>
          )}
        </span>
      </button>
    </li>
  );
}

export function AlertKey({ alertKey }: { alertKey: Alert["key"] }) {
  return (
    <>
      {Object.entries(alertKey).map(([name, value]) => (
        <span class="alert-key">
          <span class="muted">{shortName(name)}</span> <VisibleText text={String(value)} />
        </span>
      ))}
    </>
  );
}

/** How long an alert lasts, or lasted: "for 4 min", "12 min ago". */
export function lastsText({ began_us, ended_us, state }: Alert, nowUs: number): string {
  if (state === "occurred") return `${formatDuration(Math.max(0, nowUs - began_us))} ago`;
  return `for ${formatDuration(Math.max(0, (ended_us ?? nowUs) - began_us))}`;
}
