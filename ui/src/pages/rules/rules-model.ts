// The state of the list of rules: what is looked for, what was found, the rule that is open.
//
// In: events of the components, the address. Out: signals. Holds: the rules, read again every few seconds while the page can
// be seen. Limits: RULES_MAX rules; a text narrows them.
import { batch, computed, signal } from "@preact/signals";
import { isAborted, type ErrorBody, type OnSessionEnd } from "../../api/call.ts";
import { listRules, readRuleState, type RuleList, type RuleState } from "../../api/rules.ts";
import { pageAt, pathOf } from "../../view/route.ts";
import { bodyOf } from "../alerts/alerts-model.ts";

const REFRESH_MS = 3_000;
const RULES_MAX = 500;
const TYPING_MS = 200;

export class RulesModel {
  readonly text = signal("");
  /** True when the saved rules of all users are listed, as far as the user may see them. */
  readonly all = signal(false);
  readonly list = signal<RuleList | undefined>(undefined);
  readonly error = signal<ErrorBody | undefined>(undefined);
  /** The id of the open rule. */
  readonly openId = signal<string | undefined>(openIn(location.search));
  /** Which messages the open rule has evaluated. */
  readonly states = signal<RuleState[]>([]);
  readonly opened = computed(() => this.list.value?.rules.find(({ id }) => id === this.openId.value));

  private request: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  start(): void {
    addEventListener("popstate", this.onPop);
    document.addEventListener("visibilitychange", this.onVisible);
    void this.read("ask");
  }

  stop(): void {
    removeEventListener("popstate", this.onPop);
    document.removeEventListener("visibilitychange", this.onVisible);
    this.request?.abort();
    clearTimeout(this.timer);
  }

  private readonly onPop = (): void => {
    if (pageAt(location.pathname) === "rules") this.openId.value = openIn(location.search);
  };

  private readonly onVisible = (): void => {
    if (!document.hidden) void this.read("report");
  };

  /** Looks for a text, once nothing was typed for a moment. */
  find(text: string): void {
    this.text.value = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.read("ask"), TYPING_MS);
  }

  /** Lists the rules of all users as well: that is written down, so the list is read once and not every few seconds. */
  showAll(all: boolean): void {
    this.all.value = all;
    void this.read("ask");
  }

  open(id: string | undefined): void {
    const search = id === undefined ? "" : `?open=${encodeURIComponent(id)}`;
    history.replaceState(null, "", pathOf("rules") + search);
    batch(() => {
      this.openId.value = id;
      this.states.value = [];
    });
    void this.read("report");
  }

  async read(onSessionEnd: OnSessionEnd): Promise<void> {
    this.request?.abort();
    clearTimeout(this.timer);
    const request = new AbortController();
    this.request = request;
    try {
      const text = this.text.value.trim();
      const of = this.all.value ? { of: "all" as const } : {};
      const filter = { limit: RULES_MAX, ...of, ...(text ? { text } : {}) };
      const list = await listRules(filter, request.signal, onSessionEnd);
      const id = this.openId.value;
      const isKnown = list.rules.some((rule) => rule.id === id && rule.logspaces.length > 0);
      const states = id !== undefined && isKnown ? await readRuleState(id, request.signal, onSessionEnd) : [];
      batch(() => {
        this.error.value = undefined;
        this.list.value = list;
        this.states.value = states;
      });
    } catch (cause) {
      if (isAborted(cause)) return;
      this.error.value = bodyOf(cause);
    }
    if (!request.signal.aborted && !document.hidden && !this.all.value)
      this.timer = setTimeout(() => void this.read("report"), REFRESH_MS);
  }
}

function openIn(search: string): string | undefined {
  return new URLSearchParams(search).get("open") || undefined;
}
