// POST /rules/preview: what a rule would have reported over the messages of a logspace.
import { post } from "./call.ts";

export interface PreviewRequest {
  logspace: string;
  /** The keys of a rule in a file. */
  rule: Record<string, unknown>;
  from: string;
  to?: string;
  bars?: number;
}

export interface Preview {
  from_us: number;
  to_us: number;
  /** When the rule fires, in words. */
  condition: string;
  /** Messages that match, by bar. */
  matched: number[];
  /** How often it would have fired, by bar. */
  fired: number[];
  fired_total: number;
  /** On average, from the first message on. */
  per_day: number;
  /** The first message of the range; null: there is none. */
  first_us: number | null;
  /** The first moments at which it would have fired. */
  moments: { at_us: number; key: Record<string, string>; value: number | null }[];
  unread: number;
  /** There were more groups than a preview keeps. */
  degraded: boolean;
  /** The time up to which messages were evaluated, when there was no time for the rest. */
  reached_us: number | null;
}

export function previewRule(request: PreviewRequest, signal?: AbortSignal): Promise<Preview> {
  return post("rules/preview", request, signal);
}
