// The search that shows the messages behind an alert.
//
// In: an alert and its rule. Out: a view of the search page: query, logspace and range by the clock of reception, the one
// that rules use. Nothing for an alert whose rule is another one now.
import type { Alert } from "../../api/alerts.ts";
import type { Rule } from "../../api/rules.ts";
import { addFilter, quoteField } from "../../query/edit.ts";
import { fromUs } from "../../time/range.ts";
import { DEFAULT_VIEW, type View } from "../../view/view.ts";

/** Longer values of a key are cut in it, so that no message has them. */
const KEY_BYTES_MAX = 256;
const DAY_US = 86_400_000_000;

/** Returns true if the rule is still the one that has reported the alert. */
export function isSameRule(alert: Alert, rule: Rule | undefined): rule is Rule {
  return rule?.version === alert.version;
}

/** The messages that the rule is about, with the values of the alert's key. */
export function queryOf(alert: Alert, rule: Rule): string {
  const about = rule.then === null ? rule.query : `(${rule.query || "*"}) OR (${rule.then})`;
  let query = about;
  for (const [field, value] of Object.entries(alert.key)) {
    if (new TextEncoder().encode(value).length >= KEY_BYTES_MAX) continue;
    if (value === rule.missing) query = withoutField(query, field, value);
    else query = addFilter(query, field, value, "include");
  }
  return query;
}

function withoutField(query: string, field: string, value: string): string {
  const either = `(${quoteField(field)}:"${value.replace(/[\\"]/g, "\\$&")}" OR NOT _exists_:${quoteField(field)})`;
  return query.trim() === "" || query.trim() === "*" ? either : `(${query}) AND ${either}`;
}

/** The messages that made the alert begin. */
export function messagesOf(alert: Alert, rule: Rule): View {
  const range = { from: fromUs(firstUs(alert, rule)), to: fromUs(lastUs(alert, rule)) };
  const open = rule.window_us === 0 && alert.sequence !== null ? alert.sequence : undefined;
  return { ...DEFAULT_VIEW, logspace: alert.logspace, query: queryOf(alert, rule), range, clock: "received", open };
}

/** A sliding window does not hold the message that is exactly as old as the window; all others do. */
function firstUs(alert: Alert, rule: Rule): number {
  return alert.began_us - rule.window_us + (rule.window === "sliding" ? 1 : 0);
}

/** The end of a range is not part of it; a message that makes an alert begin is. */
function lastUs(alert: Alert, rule: Rule): number {
  return alert.began_us + (rule.window === "tumbling" ? 0 : 1);
}

/** A day that ends with the alert, or now: what its messages did before and meanwhile. */
export function courseOf(alert: Alert, nowUs: number): { fromUs: number; toUs: number } {
  const endUs = Math.min(nowUs, Math.max(alert.ended_us ?? nowUs, alert.began_us + DAY_US / 24));
  return { fromUs: Math.min(endUs - DAY_US, alert.began_us - DAY_US / 2), toUs: endUs };
}
