// Facts that the pane shows beside the alert itself: its rule as it is now, its coverage, the course of its messages.
//
// In: the alert that is open. Out: signals. Holds: the request under way; a newer one aborts it.
import { batch, signal } from "@preact/signals";
import type { Alert } from "../../api/alerts.ts";
import { isAborted } from "../../api/call.ts";
import { listRules, type Rule, type RuleHealth } from "../../api/rules.ts";
import { search, type Bars } from "../../api/search.ts";
import { absolute } from "../../time/range.ts";
import { bodyOf } from "./alerts-model.ts";
import { courseOf, isSameRule, queryOf } from "./alert-messages.ts";

const COURSE_BARS = 48;
const COURSE_TIMEOUT_MS = 10_000;

/** The rule of an alert: not read yet, as it is now, or gone. */
export type RuleOfAlert = "loading" | "gone" | Rule;

export class AlertDetail {
  readonly rule = signal<RuleOfAlert>("loading");
  readonly course = signal<Bars | undefined>(undefined);
  readonly courseError = signal("");
  private request: AbortController | undefined;

  stop(): void {
    this.request?.abort();
  }

  /** The state of the rule where the alert is. */
  healthOf(alert: Alert): RuleHealth | undefined {
    const rule = this.rule.value;
    return typeof rule === "string" ? undefined : rule.logspaces.find(({ logspace }) => logspace === alert.logspace);
  }

  async read(alert: Alert): Promise<void> {
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    batch(() => {
      this.rule.value = "loading";
      this.course.value = undefined;
      this.courseError.value = "";
    });
    try {
      const { rules } = await listRules({ id: alert.rule }, request.signal, "report");
      const rule = rules[0];
      this.rule.value = rule ?? "gone";
      if (!isSameRule(alert, rule)) return;
      const answer = await search(
        {
          logspace: alert.logspace,
          query: queryOf(alert, rule),
          time: { clock: "received", ...absolute(courseOf(alert, Date.now() * 1000)) },
          limit: 0,
          bars: COURSE_BARS,
          facets: [],
          timeout_ms: COURSE_TIMEOUT_MS,
        },
        request.signal,
        "report",
      );
      this.course.value = answer.bars;
    } catch (cause) {
      if (!isAborted(cause)) this.courseError.value = bodyOf(cause).message;
    }
  }
}
