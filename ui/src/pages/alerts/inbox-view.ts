// The filter of the inbox and the selected alert, as one value <-> the query part of its address.
import type { AlertState } from "../../api/alerts.ts";

export type InboxState = "all" | "firing" | "occurred" | "resolved";
export const INBOX_STATES: readonly InboxState[] = ["all", "firing", "occurred", "resolved"];

export interface InboxView {
  state: InboxState;
  /** Only alerts of this rule; empty for those of all. */
  rule: string;
  /** Number of the alert in the pane. */
  open: number | undefined;
}

export const DEFAULT_INBOX: InboxView = { state: "all", rule: "", open: undefined };

export function encodeInbox(view: InboxView): string {
  const parts = new URLSearchParams();
  if (view.state !== DEFAULT_INBOX.state) parts.set("state", view.state);
  if (view.rule) parts.set("rule", view.rule);
  if (view.open !== undefined) parts.set("open", String(view.open));
  const text = parts.toString();
  return text ? `?${text}` : "";
}

export function decodeInbox(text: string): InboxView {
  const parts = new URLSearchParams(text);
  const state = parts.get("state") as InboxState | null;
  const open = Number(parts.get("open") || NaN);
  return {
    state: state && INBOX_STATES.includes(state) ? state : DEFAULT_INBOX.state,
    rule: parts.get("rule") ?? "",
    open: Number.isSafeInteger(open) && open > 0 ? open : undefined,
  };
}

const STATE_WORDS: Record<AlertState, string> = {
  firing: "firing",
  resolved: "resolved",
  occurred: "occurred",
  forgotten: "forgotten",
  ended: "ended",
  unknown: "unknown",
};
const STATE_MEANINGS: Record<AlertState, string> = {
  firing: "The condition of the rule holds.",
  resolved: "The condition of the rule held, and does no longer.",
  occurred: "It happened at one moment, and does not last.",
  forgotten: "It was silent for so long that it is no longer expected.",
  ended: "The rule was changed or removed while it fired.",
  unknown: "It fired when the state of the rules was lost: whether it is over is not known.",
};

export const stateWord = (state: AlertState): string => STATE_WORDS[state] ?? state;
export const stateMeaning = (state: AlertState): string => STATE_MEANINGS[state] ?? "";
