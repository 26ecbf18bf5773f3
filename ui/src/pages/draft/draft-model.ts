// The state of the page on which a rule is written: the rule, what it would have reported, and the saved rule that it changes.
//
// In: changes of the form, the address. Out: signals. Holds: the check under way, which a later change aborts; the saved rule as
// it was read, so that a change names the version that it began with.
import { batch, signal } from "@preact/signals";
import { isAborted, type ErrorBody } from "../../api/call.ts";
import { previewRule, type Preview } from "../../api/preview.ts";
import { changedMeanwhile, changeRule, createRule, readSavedRule, type SavedRule } from "../../api/saved-rules.ts";
import { openPage } from "../../navigation/location.ts";
import { pathOf } from "../../view/route.ts";
import { bodyOf } from "../alerts/alerts-model.ts";
import { decodeDraft, draftOf, encodeDraft, ruleOf, specOf, titleOf, type Draft } from "./draft.ts";

const TYPING_MS = 500;
const BARS = 84;
/** Numbers that are tried for a new rule: the first one that seldom fires is taken. */
const NUMBERS = ["10", "40", "160", "640", "2560", "10000"];
const SELDOM_PER_DAY = 1;

export class DraftModel {
  readonly draft = signal<Draft>(decodeDraft(location.search));
  readonly preview = signal<Preview | undefined>(undefined);
  readonly error = signal<ErrorBody | undefined>(undefined);
  readonly checking = signal(false);
  readonly notice = signal("");
  /** The saved rule that is changed; undefined while a new one is written. */
  readonly saved = signal<SavedRule | undefined>(undefined);
  /** Somebody else was faster: the rule as they have saved it. */
  readonly theirs = signal<SavedRule | undefined>(undefined);
  readonly saving = signal(false);
  readonly saveError = signal("");
  private request: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private noticeTimer: ReturnType<typeof setTimeout> | undefined;

  /** The logspace for a draft that names none. */
  constructor(private readonly first: string) {
    if (!this.draft.value.logspace) this.draft.value = { ...this.draft.value, logspace: first };
  }

  start(): void {
    const asked = new URLSearchParams(location.search);
    const id = asked.get("rule");
    if (id) void this.open(id, asked);
    else if (asked.get("number") === "find") void this.findNumber();
    else void this.check();
  }

  stop(): void {
    this.request?.abort();
    clearTimeout(this.timer);
    clearTimeout(this.noticeTimer);
  }

  /** Changes the rule, and checks it once nothing was changed for a moment. */
  change(change: Partial<Draft>): void {
    this.draft.value = { ...this.draft.value, ...change };
    this.showAddress();
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
    await this.tryRule(this.draft.value, request);
    if (this.request === request) this.checking.value = false;
  }

  /** Saves the rule: it watches from then on. */
  async save(): Promise<void> {
    const saved = this.saved.value;
    const draft = this.draft.value;
    const isEnabled = saved?.spec["enabled"] !== false;
    const [name, description] = [titleOf(draft), draft.description.trim()];
    const content = { name, description, spec: specOf(draft, this.first, isEnabled) };
    this.saving.value = true;
    this.saveError.value = "";
    try {
      const about = saved ?? { folder: "", tags: [] };
      const { folder, tags } = about;
      const made = await (saved
        ? changeRule(saved, { ...content, folder, tags })
        : createRule({ ...content, folder, tags }));
      openPage("rules", `?open=${encodeURIComponent(made.id)}`);
    } catch (cause) {
      const theirs = changedMeanwhile(cause);
      this.theirs.value = theirs;
      if (!theirs) this.saveError.value = bodyOf(cause).message;
    }
    this.saving.value = false;
  }

  /** Goes on with what somebody else has saved. */
  showTheirs(theirs: SavedRule): void {
    this.take(theirs);
    void this.check();
  }

  /** Saves the rule over what somebody else has saved. */
  overwrite(theirs: SavedRule): Promise<void> {
    this.saved.value = theirs;
    this.theirs.value = undefined;
    return this.save();
  }

  notify(text: string): void {
    clearTimeout(this.noticeTimer);
    this.notice.value = text;
    this.noticeTimer = setTimeout(() => (this.notice.value = ""), 4_000);
  }

  /** Reads the saved rule of the address; a draft in the address is what was written of it so far. */
  private async open(id: string, asked: URLSearchParams): Promise<void> {
    const isCopy = asked.get("copy") === "1";
    try {
      const found = await readSavedRule(id);
      if ([...asked.keys()].some((key) => key !== "rule" && key !== "copy")) this.saved.value = found;
      else this.take(found);
    } catch (cause) {
      this.saveError.value = bodyOf(cause).message;
    }
    if (isCopy) {
      this.saved.value = undefined;
      this.draft.value = { ...this.draft.value, title: `${this.draft.value.title} (copy)`.slice(0, 200) };
      this.showAddress();
    }
    await this.check();
  }

  private take(found: SavedRule): void {
    batch(() => {
      this.saved.value = found;
      this.theirs.value = undefined;
      this.draft.value = draftOf(found.spec, found.name, found.description);
    });
    this.showAddress();
  }

  /** Finds a number that the rule would seldom have reached in the past. */
  private async findNumber(): Promise<void> {
    const request = new AbortController();
    this.request = request;
    this.checking.value = true;
    for (const more of NUMBERS) {
      this.draft.value = { ...this.draft.value, more };
      await this.tryRule(this.draft.value, request);
      if (request.signal.aborted) return;
      const found = this.preview.value;
      if (this.error.value || !found || found.reached_us !== null || found.per_day <= SELDOM_PER_DAY) break;
    }
    this.showAddress();
    this.checking.value = false;
  }

  private async tryRule(draft: Draft, request: AbortController): Promise<void> {
    try {
      const asked = { logspace: draft.logspace.split(",")[0]!.trim() || this.first, rule: ruleOf(draft) };
      const preview = await previewRule({ ...asked, from: draft.from, bars: BARS }, request.signal);
      batch(() => {
        this.error.value = undefined;
        this.preview.value = preview;
      });
    } catch (cause) {
      if (!isAborted(cause)) this.error.value = bodyOf(cause);
    }
  }

  private showAddress(): void {
    const saved = this.saved.value;
    const text = encodeDraft(this.draft.value);
    const rule = saved ? `rule=${encodeURIComponent(saved.id)}` : "";
    const search = rule ? `?${rule}${text.replace("?", "&")}` : text;
    history.replaceState(null, "", pathOf("draft") + search);
  }
}
