// GET /alerts, POST /alerts/{number}/acknowledge: what rules have reported.
import { get, post, type OnSessionEnd } from "./call.ts";
import type { Severity } from "./row.ts";

export type AlertState = "firing" | "resolved" | "occurred" | "forgotten" | "ended" | "unknown";

export interface Alert {
  /** Unique on the server; later alerts have higher ones. */
  number: number;
  logspace: string;
  id: string;
  rule: string;
  /** Digest of what the rule did when the alert began. */
  version: string;
  title: string;
  severity: Severity;
  /** Names and values of the fields that messages are grouped by. */
  key: Record<string, string>;
  state: AlertState;
  began_us: number;
  /** The message that began it; null: the passing of time. */
  sequence: number | null;
  ended_us: number | null;
  /** The figure that was compared. */
  value: number | null;
  acknowledged_us: number | null;
  acknowledged_by: string;
  note: string;
}

export interface AlertFilter {
  state?: AlertState;
  rule?: string;
  /** Only those with lower numbers. */
  before?: number;
  limit: number;
}

export function listAlerts(
  filter: AlertFilter,
  signal?: AbortSignal,
  onSessionEnd?: OnSessionEnd,
): Promise<{ alerts: Alert[]; more: boolean }> {
  return get("alerts", { ...filter }, signal, onSessionEnd);
}

export function acknowledge(number: number, note: string): Promise<Alert> {
  return post(`alerts/${number}/acknowledge`, { note });
}
