// Alerts on charts over time: a line where each began, and a link for each rule.
//
// In: alerts of a panel. Out: marks. Limits: LINKS_MAX rules have a link; the others are counted.
import type { Alert } from "../../../api/alerts.ts";
import { VisibleText } from "../../../components/visible-text.tsx";
import { follow } from "../../../navigation/location.ts";
import { formatShortTime } from "../../../time/format.ts";
import { pathOf } from "../../../view/route.ts";
import { zone } from "../../../view/preferences.ts";
import { encodeInbox } from "../../alerts/inbox-view.ts";
import { byRule } from "./alerts-in.ts";

const LINKS_MAX = 3;

interface LinesProps {
  alerts: Alert[];
  /** The place of a time. */
  x(us: number): number;
  top: number;
  bottom: number;
}

/** A dashed line with a triangle for each alert. */
export function AlertLines({ alerts, x, top, bottom }: LinesProps) {
  return (
    <g class="chart-alerts-drawn">
      {alerts.map((alert) => {
        const at = x(alert.began_us);
        return (
          <g key={alert.number}>
            <line class="chart-alert" x1={at} x2={at} y1={top} y2={bottom} />
            <path class="chart-alert-head" d={`M${at - 4} ${top - 7}h8l-4 7Z`}>
              <title>{`${alert.title}, ${formatShortTime(alert.began_us, zone.value)}`}</title>
            </path>
          </g>
        );
      })}
    </g>
  );
}

/** The rules of the alerts, each with the way to its alerts. */
export function AlertLinks({ alerts }: { alerts: Alert[] }) {
  const rules = byRule(alerts);
  if (rules.length === 0) return null;
  const others = rules.slice(LINKS_MAX).reduce((sum, { count }) => sum + count, 0);
  return (
    <ul class="chart-alerts" aria-label="Alerts in this time">
      {rules.slice(0, LINKS_MAX).map(({ rule, title, count, lastUs }) => {
        const address = encodeInbox({ state: "all", rule, open: undefined });
        return (
          <li key={rule}>
            <a href={pathOf("alerts") + address} onClick={(event) => follow(event, "alerts", address)}>
              <span aria-hidden="true">{"\u25bc"} </span>
              <VisibleText text={title || rule} />
              {count > 1 && ` \u00d7${count}`}
            </a>{" "}
            <span class="muted">{formatShortTime(lastUs, zone.value)}</span>
          </li>
        );
      })}
      {others > 0 && (
        <li>
          <a href={pathOf("alerts")} onClick={(event) => follow(event, "alerts", "")}>
            {others} more {others === 1 ? "alert" : "alerts"}
          </a>
        </li>
      )}
    </ul>
  );
}
