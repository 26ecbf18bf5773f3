// The state of the page on which a rule is written: the rule, and what it would have reported.
//
// In: changes of the form. Out: signals. Holds: the check under way, which a later change aborts.
import { batch, signal } from "@preact/signals";
import { isAborted, type ErrorBody } from "../../api/call.ts";
import { previewRule, type Preview } from "../../api/preview.ts";
import { pathOf } from "../../view/route.ts";
import { bodyOf } from "../alerts/alerts-model.ts";
import { decodeDraft, encodeDraft, ruleOf, type Draft } from "./draft.ts";

const TYPING_MS = 500;
const BARS = 84;

export class DraftModel {
  readonly draft = signal<Draft>(decodeDraft(location.search));
  readonly preview = signal<Preview | undefined>(undefined);
  readonly error = signal<ErrorBody | undefined>(undefined);
  readonly checking = signal(false);
  readonly notice = signal("");
  private request: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private noticeTimer: ReturnType<typeof setTimeout> | undefined;

  /** The logspace for a draft that names none. */
  constructor(private readonly first: string) {
    if (!this.draft.value.logspace) this.draft.value = { ...this.draft.value, logspace: first };
  }

  start(): void {
    void this.check();
  }

  stop(): void {
    this.request?.abort();
    clearTimeout(this.timer);
    clearTimeout(this.noticeTimer);
  }

  /** Changes the rule, and checks it once nothing was changed for a moment. */
  change(change: Partial<Draft>): void {
    this.draft.value = { ...this.draft.value, ...change };
    history.replaceState(null, "", pathOf("draft") + encodeDraft(this.draft.value));
    this.request?.abort();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.check(), TYPING_MS);
  }

  /** Runs the rule over the past. */
  async check(): Promise<void> {
    this.request?.abort();
    clearTimeout(this.timer);
    const request = new AbortController();
    this.request = request;
    this.checking.value = true;
    const { logspace, from } = this.draft.value;
    try {
      const rule = ruleOf(this.draft.value);
      const asked = { logspace: logspace || this.first, rule, from, bars: BARS };
      const preview = await previewRule(asked, request.signal);
      batch(() => {
        this.error.value = undefined;
        this.preview.value = preview;
      });
    } catch (cause) {
      if (isAborted(cause)) return;
      this.error.value = bodyOf(cause);
    }
    if (this.request === request) this.checking.value = false;
  }

  notify(text: string): void {
    clearTimeout(this.noticeTimer);
    this.notice.value = text;
    this.noticeTimer = setTimeout(() => (this.notice.value = ""), 4_000);
  }
}
