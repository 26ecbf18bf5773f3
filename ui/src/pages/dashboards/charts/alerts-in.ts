// The alerts that belong to a chart.
//
// In: alerts, the logspace and the range of a panel. Out: those of both, and a count for each rule.
import type { Alert } from "../../../api/alerts.ts";
import type { Span } from "../../../time/range.ts";

/** Returns the alerts of a logspace that began in a range, the newest first. */
export function alertsIn(alerts: Alert[], logspace: string, { fromUs, toUs }: Span): Alert[] {
  const within = alerts.filter(
    (alert) => alert.logspace === logspace && alert.began_us >= fromUs && alert.began_us < toUs,
  );
  return within.sort((a, b) => b.began_us - a.began_us);
}

export interface RuleMarks {
  rule: string;
  title: string;
  count: number;
  lastUs: number;
}

/** Returns one entry for each rule, that of the newest alert first. */
export function byRule(alerts: Alert[]): RuleMarks[] {
  const rules = new Map<string, RuleMarks>();
  for (const { rule, title, began_us } of alerts) {
    const known = rules.get(rule);
    if (known) known.count++;
    else rules.set(rule, { rule, title, count: 1, lastUs: began_us });
  }
  return [...rules.values()];
}
