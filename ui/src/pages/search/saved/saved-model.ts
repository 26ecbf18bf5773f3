// The saved search that the page began with, the list of all, and the question that is open about one of them.
//
// In: the view, events of the menu and its dialogs. Out: signals. Holds: the search as the server had it when it was read, so
// that a change names the version that it began with. Limits: the list has the first 500.
import { computed, effect, signal } from "@preact/signals";
import { ApiError } from "../../../api/call.ts";
import {
  changeSearch,
  createSearch,
  deleteSearch,
  listSearches,
  listVersions,
  readSearch,
  readVersion,
  restoreSearch,
  shareSearch,
  type AclItem,
  type ChangedAnswer,
  type SavedContent,
  type SavedSearch,
  type SavedSummary,
  type SavedVersion,
} from "../../../api/objects.ts";
import { decodeId, encodeView } from "../../../view/codec.ts";
import { differences, specOf, viewOf } from "../../../view/saved-search.ts";
import { DEFAULT_VIEW } from "../../../view/view.ts";
import type { SearchModel } from "../model/search-model.ts";
import { pathOf } from "../../../view/route.ts";

/** The question that is open over the page. */
export type SavedDialog =
  | { kind: "save" | "details" | "share" | "versions" | "delete" }
  /** Somebody else was faster; `mine` is what was to be written. */
  | { kind: "changed"; current: SavedSearch; mine: SavedContent };

export class SavedModel {
  readonly current = signal<SavedSearch | undefined>(undefined);
  readonly list = signal<SavedSummary[] | undefined>(undefined);
  readonly deleted = signal<SavedSummary[] | undefined>(undefined);
  readonly listError = signal("");
  /** The versions of the open search, the newest first, while they are asked for. */
  readonly versions = signal<SavedVersion[] | undefined>(undefined);
  /** The version whose differences are shown. */
  readonly version = signal<SavedSearch | undefined>(undefined);
  readonly dialog = signal<SavedDialog | undefined>(undefined);
  readonly busy = signal(false);
  /** The refusal of the server to what the dialog asked for. */
  readonly error = signal("");

  /** What would be saved now. */
  readonly spec = computed(() => {
    const { view, logspace, facetColumns } = this.page;
    return specOf(view.value, logspace.value, facetColumns.value);
  });

  /** True while the view is not the search that was saved. */
  readonly isChanged = computed(() => {
    const current = this.current.value;
    const first = this.page.logspaces.value[0]?.name ?? "";
    return current !== undefined && differences(this.spec.value, current.spec, first).length > 0;
  });

  /** The reason why the present search cannot be saved over; empty when it can. */
  readonly whyReadOnly = computed(() => {
    const current = this.current.value;
    if (current?.file) return `kept in ${current.file}`;
    return current?.level === "view" ? `needs edit: ask ${current.owner || "an administrator"}` : "";
  });

  /** The reason why nothing new can be saved; empty when it can. */
  readonly whyNotNew = computed(() => (this.page.logspaces.value.length ? "" : "needs search on a logspace"));

  private readonly dispose: () => void;

  constructor(private readonly page: SearchModel) {
    this.dispose = effect(() => void this.follow(page.view.value.saved));
  }

  stop(): void {
    this.dispose();
  }

  /** Opens the search that the address links to, before the page searches. */
  async openLink(): Promise<void> {
    const id = decodeId(new URLSearchParams(location.search).get("load"));
    if (!id) return;
    const found = await this.read(id);
    if (found && this.maySearch(found)) this.show(found, "replace");
    else history.replaceState(null, "", pathOf("search") + encodeView(this.page.view.value));
  }

  /** Opens a search of the list. */
  async open(entry: SavedSummary): Promise<void> {
    const found = await this.read(entry.id);
    if (!found || !this.maySearch(found)) return;
    this.show(found, "push");
  }

  /** Puts the view back to what was saved. */
  revert(): void {
    const current = this.current.value;
    if (current) this.show(current, "push");
  }

  /** Forgets which search was open; the view stays. */
  detach(): void {
    this.page.navigate({ saved: "" }, "replace");
  }

  async readList(): Promise<void> {
    try {
      const { objects } = await listSearches(false);
      this.list.value = objects;
      this.listError.value = "";
    } catch (cause) {
      this.listError.value = messageOf(cause);
    }
  }

  async readDeleted(): Promise<void> {
    try {
      this.deleted.value = (await listSearches(true)).objects;
    } catch (cause) {
      this.listError.value = messageOf(cause);
    }
  }

  /** Saves the view over the open search, or asks for a name when there is none that may be changed. */
  save(): void {
    const current = this.current.value;
    if (current && !this.whyReadOnly.value) {
      if (this.isChanged.value) void this.write({ ...current, spec: this.spec.value }, current);
      else this.page.notify(`${current.name} is saved as it is shown`);
    } else if (this.whyNotNew.value) this.page.notify(`Nothing to save: ${this.whyNotNew.value}`);
    else this.ask({ kind: "save" });
  }

  ask(dialog: SavedDialog | undefined): void {
    this.error.value = "";
    this.dialog.value = dialog;
  }

  async readVersions(): Promise<void> {
    const current = this.current.value;
    this.versions.value = this.version.value = undefined;
    if (!current) return;
    try {
      this.versions.value = await listVersions(current.id);
    } catch (cause) {
      this.error.value = messageOf(cause);
    }
  }

  async readVersion(revision: number): Promise<void> {
    const current = this.current.value;
    if (!current) return;
    try {
      this.version.value = await readVersion(current.id, revision);
    } catch (cause) {
      this.error.value = messageOf(cause);
    }
  }

  /** Gives the search the content that it had at a version; the versions in between stay. */
  restoreVersion(revision: number): Promise<void> {
    const current = this.current.value;
    if (!current) return Promise.resolve();
    return this.attempt(`${current.name} is as it was at version ${revision}`, async () => {
      const restored = await restoreSearch(current, revision);
      this.current.value = restored;
      this.show(restored, "push");
    });
  }

  /** Makes a new search of the view. */
  create(name: string, folder: string, tags: string[]): Promise<void> {
    const content = { name, folder, description: "", tags, spec: this.spec.value };
    return this.attempt(`${name} saved`, async () => this.take(await createSearch(content)));
  }

  /** Makes a new search of what could not be written over another one. */
  createCopy({ name, folder, description, tags, spec }: SavedContent): Promise<void> {
    const content = { name: `${name} (mine)`, folder, description, tags, spec };
    return this.attempt(`${content.name} saved`, async () => this.take(await createSearch(content)));
  }

  /** Writes over a search as it was seen. */
  write(content: SavedContent, seen: SavedSummary): Promise<void> {
    const { name, folder, description, tags, spec } = content;
    const mine = { name, folder, description, tags, spec };
    return this.attempt(`${name} saved`, async () => this.take(await changeSearch(seen, mine)), mine);
  }

  /** Shares the search; with an owner, it is theirs afterwards. */
  share(acl: AclItem[], owner: string | undefined): Promise<void> {
    const current = this.current.value;
    if (!current) return Promise.resolve();
    const done = owner === undefined ? `${current.name} is shared as chosen` : `${current.name} is ${owner}'s now`;
    return this.attempt(done, async () => {
      const given = await shareSearch(current, acl, owner);
      // What was given away may not be visible any more.
      const seen = owner === undefined ? given : await readSearch(current.id).catch(() => undefined);
      if (seen) this.take(seen);
      else this.detach();
    });
  }

  delete(): Promise<void> {
    const current = this.current.value;
    if (!current) return Promise.resolve();
    return this.attempt(`${current.name} deleted; it can be restored for 30 days`, async () => {
      await deleteSearch(current);
      this.detach();
    });
  }

  restore(entry: SavedSummary): Promise<void> {
    return this.attempt(`${entry.name} restored`, async () => {
      await restoreSearch(entry);
      await Promise.all([this.readList(), this.readDeleted()]);
    });
  }

  /** Takes over the state that somebody else has saved. */
  acceptTheirs(current: SavedSearch): void {
    this.ask(undefined);
    this.current.value = current;
    this.show(current, "push");
  }

  private show(found: SavedSearch, step: "push" | "replace"): void {
    this.current.value = found;
    this.page.facetColumns.value = found.spec.facets;
    const view = viewOf(found.spec, found.id);
    // The page searches at its start: a link only has to set the view.
    if (step === "replace") {
      this.page.view.value = { ...DEFAULT_VIEW, ...view };
      history.replaceState(null, "", pathOf("search") + encodeView(this.page.view.value));
    } else this.page.navigate(view);
  }

  private take(saved: SavedSearch): void {
    this.current.value = saved;
    this.page.navigate({ saved: saved.id }, "replace");
  }

  private maySearch({ name, spec }: SavedSearch): boolean {
    const { logspaces } = this.page;
    const may = !spec.logspace || logspaces.value.some((known) => known.name === spec.logspace);
    if (!may) this.page.notify(`${name} needs search on ${spec.logspace}; an administrator can grant it`, 8_000);
    return may;
  }

  private async read(id: string): Promise<SavedSearch | undefined> {
    try {
      return await readSearch(id);
    } catch (cause) {
      const gone = cause instanceof ApiError && cause.body.code === "not_found";
      this.page.notify(gone ? "There is no such saved search, or it is not shared with you" : messageOf(cause), 8_000);
      return undefined;
    }
  }

  /** Reads the search that the address names, after a reload or a step in the browser's history. */
  private async follow(id: string): Promise<void> {
    if (id === (this.current.peek()?.id ?? "")) return;
    this.current.value = undefined;
    if (!id) return;
    const found = await this.read(id);
    if (this.page.view.peek().saved !== id) return;
    if (found && !found.deleted_us) this.current.value = found;
    else this.detach();
  }

  /** Asks the server for a change and shows its refusal in the dialog. */
  private async attempt(done: string, work: () => Promise<void>, mine?: SavedContent): Promise<void> {
    this.busy.value = true;
    this.error.value = "";
    try {
      await work();
      this.dialog.value = undefined;
      this.page.notify(done);
    } catch (cause) {
      const changed = cause instanceof ApiError && cause.body.code === "changed";
      if (changed && mine) this.ask({ kind: "changed", current: (cause.answer as ChangedAnswer).current, mine });
      else if (changed) {
        this.current.value = (cause.answer as ChangedAnswer).current;
        this.error.value = `${cause.message}. This shows it as it is now.`;
      } else this.error.value = messageOf(cause);
      if (!this.dialog.value) this.page.notify(this.error.value, 8_000);
    } finally {
      this.busy.value = false;
    }
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof ApiError ? cause.message : String(cause);
}
