// GET /rules, GET /rules/{id}/state: the rules in force, saved ones that are not, and which messages they have evaluated.
import { get, type OnSessionEnd } from "./call.ts";
import type { SavedSummary } from "./objects.ts";
import type { Severity } from "./row.ts";

export interface Rule {
  id: string;
  title: string;
  description: string;
  severity: Severity;
  /** Digest of what it does. */
  version: string;
  /** The file of the folder of rules that it is kept in; null for a saved rule. */
  file: string | null;
  /** The object that a saved rule is kept in. */
  object: SavedSummary | null;
  state: "running" | "waiting" | "off" | "stopped";
  /** Why it is stopped. */
  reason: string | null;
  kind: string;
  query: string;
  /** The second query of a sequence. */
  then: string | null;
  by: string[];
  /** When it fires, in words. */
  condition: string;
  /** How long before an alert the messages behind it may be; 0: it is one message. */
  window_us: number;
  window: "sliding" | "tumbling" | null;
  /** Value of a field in `by` that a message does not have. */
  missing: string | null;
  logspaces: RuleHealth[];
}

/** The state of a rule in a logspace. */
export interface RuleHealth {
  logspace: string;
  /** The first message that it has evaluated; null: none yet. */
  from: number | null;
  next_sequence: number;
  /** Messages in gaps. */
  missed: number;
  gaps: number;
  firing: number;
  behind_messages: number;
  behind_us: number;
  /** True while the server evaluates rules of this logspace. */
  running: boolean;
  /** The reason why nothing moves. */
  trouble: string | null;
}

export interface RuleList {
  rules: Rule[];
  more: boolean;
  /** Reasons why rules were left out, for those who may know. */
  problems: string[];
  has_problems: boolean;
}

/** Messages that a rule has evaluated, or not. */
export interface Coverage {
  version: string;
  from: number;
  to: number;
  goes_on: boolean;
  state: "evaluated" | "removed" | "damaged" | "locked" | "away" | "lost" | "state-lost";
}

export interface RuleState {
  logspace: string;
  next_sequence: number;
  coverage: Coverage[];
}

export function listRules(
  filter: { id?: string; text?: string; limit?: number; of?: "visible" | "all" },
  signal?: AbortSignal,
  onSessionEnd?: OnSessionEnd,
): Promise<RuleList> {
  return get("rules", { ...filter }, signal, onSessionEnd);
}

export function readRuleState(id: string, signal?: AbortSignal, onSessionEnd?: OnSessionEnd): Promise<RuleState[]> {
  return get(`rules/${encodeURIComponent(id)}/state`, {}, signal, onSessionEnd);
}
