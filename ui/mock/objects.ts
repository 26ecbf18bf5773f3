// Saved searches of the mock: one user, `admin`; a search that `bob` shares and one of a file show what may not be done.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AclItem, SavedContent, SavedSearch, SavedVersion } from "../src/api/objects.ts";
import type { SavedRule } from "../src/api/saved-rules.ts";
import { builtIn } from "./dashboards.ts";
import { readBody, Refusal, reply } from "./http.ts";

const USERS = ["admin", "bob"];

const spec = (query: string) => ({
  query,
  logspace: "main",
  time: { clock: "received" as const, from: "now-24h", to: "now" },
  columns: ["severity", "host", "program"],
  facets: ["severity", "host", "program", "facility"],
  wrap: false,
});

export class MockObjects {
  private readonly all = new Map<string, SavedSearch>();
  /** Those that are rules; all others are searches. */
  private readonly ofRules = new Set<string>();
  /** Every state of each search, the oldest first, with what was done. */
  private readonly states = new Map<string, { action: SavedVersion["action"]; state: SavedSearch }[]>();
  private made = 0;

  constructor() {
    this.put({ ...this.fresh("Of bob", "Shared", "failed"), owner: "bob", changed_by: "bob", level: "view" });
    const file = { file: "/etc/duramen/objects/errors.json", owner: "", revision: 0, level: "view" as const };
    this.put({ ...this.fresh("Errors", "", "severity:<=err"), ...file, id: "errors" });
    for (const board of builtIn()) this.put(board as unknown as SavedSearch);
  }

  /** Returns the saved rules. */
  rules(): SavedRule[] {
    const found = [...this.all.values()].filter(({ id, deleted_us }) => this.ofRules.has(id) && !deleted_us);
    return found as unknown as SavedRule[];
  }

  /** Answers a call below `objects`. */
  async serve(path: string, asked: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, id = "", part = ""] = path.split("/");
    if (!id) {
      if (request.method === "POST") return this.create(await readBody(request), response);
      const deleted = asked.get("deleted") === "true";
      const kind = asked.get("kind") ?? "search";
      const kindOf = (one: SavedSearch): string =>
        this.ofRules.has(one.id) ? "rule" : "panels" in one.spec ? "dashboard" : "search";
      const ofKind = [...this.all.values()].filter((one) => kindOf(one) === kind);
      const objects = ofKind.filter((one) => (one.deleted_us !== undefined) === deleted);
      objects.sort((a, b) => a.folder.localeCompare(b.folder) || a.name.localeCompare(b.name));
      return reply(response, 200, { objects: objects.filter((one) => !deleted || one.level !== "view"), more: false });
    }
    const found = this.all.get(id);
    if (!found) throw new Refusal(404, "not_found", "there is no such object");
    const states = this.states.get(id) ?? [];
    if (request.method === "GET" && part === "versions") {
      const revision = Number(path.split("/")[3] ?? 0);
      const { state } = states.find(({ state }) => state.revision === revision) ?? {};
      if (state) return reply(response, 200, state);
      if (revision) throw new Refusal(404, "not_found", "there is no such object");
      const versions = states.map(({ action, state: { revision, changed_us, changed_by, name, folder } }) => {
        return { revision, action, changed_us, changed_by, comment: "", name, folder };
      });
      return reply(response, 200, versions.reverse());
    }
    if (request.method === "GET") return reply(response, 200, found, { ETag: `"${found.revision}"` });
    if (found.level === "view")
      throw new Refusal(403, "forbidden", "the object can be changed by those who may edit it");
    const seen = request.headers["if-match"];
    if (seen === undefined) throw new Refusal(428, "condition_needed", "send the header If-Match");
    if (seen !== "*" && seen !== `"${found.revision}"`) {
      const error = { code: "changed", message: `${found.changed_by} has changed the object meanwhile` };
      return reply(response, 412, { error, current: found });
    }
    const body = await readBody(request);
    const next = { ...found, revision: found.revision + 1, changed_us: Date.now() * 1000, changed_by: "admin" };
    if (request.method === "DELETE") next.deleted_us = Date.now() * 1000;
    else if (part === "restore") {
      delete next.deleted_us;
      const earlier = states.find(({ state }) => state.revision === body.revision)?.state;
      if (earlier) Object.assign(next, this.content({ ...earlier }, id));
    } else if (part === "acl") this.share(next, body as unknown as { acl: AclItem[]; owner?: string });
    else Object.assign(next, this.content(body, id));
    const done = { acl: "share", restore: "restore" } as const;
    this.put(next, request.method === "DELETE" ? "delete" : (done[part as keyof typeof done] ?? "change"));
    return reply(response, 200, next, { ETag: `"${next.revision}"` });
  }

  /** The specification of an object. */
  spec(id: string): unknown {
    const found = this.all.get(id);
    if (!found || found.deleted_us !== undefined) throw new Refusal(404, "not_found", "there is no such object");
    return found.spec;
  }

  private create(body: Record<string, unknown>, response: ServerResponse): void {
    const made = { ...this.fresh("", "", ""), ...this.content(body, "") };
    if (body["kind"] === "rule") this.ofRules.add(made.id);
    this.put(made);
    reply(response, 201, made, { ETag: '"1"' });
  }

  private content(body: Record<string, unknown>, id: string): SavedContent {
    const { name, folder, description, tags, spec } = body as unknown as SavedContent;
    const taken = [...this.all.values()].some((one) => {
      const isOther = one.id !== id && one.owner === "admin" && !one.deleted_us;
      return isOther && one.name === name && one.folder === folder;
    });
    if (taken) throw new Refusal(409, "conflict", `its owner has another object with the name "${name}"`);
    return { name, folder, description, tags, spec };
  }

  private share(object: SavedSearch, { acl, owner }: { acl: AclItem[]; owner?: string }): void {
    if (owner !== undefined && !USERS.includes(owner))
      throw new Refusal(400, "bad_request", `there is no user ${owner}`);
    const unknown = acl.map(({ principal }) => principal.replace(/^user:/, ""));
    const nobody = unknown.find((name) => name !== "everyone" && !USERS.includes(name));
    if (nobody) throw new Refusal(400, "bad_request", `there is no user ${nobody}`);
    object.acl = acl;
    object.shared = acl.length > 0;
    object.owner = owner ?? object.owner;
  }

  private put(object: SavedSearch, action: SavedVersion["action"] = "create"): void {
    const state = { ...object, summary: object.spec.query ?? object.summary };
    this.all.set(object.id, state);
    this.states.set(object.id, [...(this.states.get(object.id) ?? []), { action, state }]);
  }

  private fresh(name: string, folder: string, query: string): SavedSearch {
    const id = `00000000-0000-7000-8000-${String(++this.made).padStart(12, "0")}`;
    const [changed_us, owner] = [Date.now() * 1000, "admin"];
    const about = { id, name, folder, description: "", tags: [], summary: query, owner, changed_by: owner };
    return { ...about, revision: 1, changed_us, level: "own", shared: false, acl: [], spec: spec(query) };
  }
}
