import { expect, test } from "vitest";
import type { SearchSpec } from "../api/objects.ts";
import { differences, differingMembers, matching, specOf, tagsOf, viewOf } from "./saved-search.ts";
import { DEFAULT_VIEW } from "./view.ts";

const spec: SearchSpec = {
  query: "failed",
  logspace: "main",
  time: { clock: "event", from: "now-1d", to: "now" },
  columns: ["host"],
  facets: ["program"],
  wrap: true,
};

test("a search that is opened and saved again is the same", () => {
  const view = { ...DEFAULT_VIEW, live: true, open: 5, ...viewOf(spec, "x") };
  expect([view.saved, view.live, view.open]).toEqual(["x", false, undefined]);
  expect(specOf(view, "main", ["program"])).toEqual(spec);
  expect(differences(specOf(view, "main", ["program"]), spec, "main")).toEqual([]);
});

test("names what differs", () => {
  const other = {
    ...spec,
    query: " ",
    time: { clock: "received" as const, from: "", to: "" },
    wrap: false,
    facets: [],
  };
  expect(differences(spec, other, "main")).toEqual([
    { what: "Query", one: "failed", other: "all messages" },
    { what: "Time", one: "now-1d – now", other: "all" },
    { what: "Clock", one: "event", other: "received" },
    { what: "Fields", one: "program", other: "none" },
    { what: "Long messages", one: "wrapped", other: "in one line" },
  ]);
  expect(differences({ ...spec, logspace: "" }, spec, "main")).toEqual([]);
  expect(differences({ ...spec, logspace: "" }, spec, "audit")).toHaveLength(1);
  const open = { ...spec, time: { ...spec.time, to: "" } };
  expect(differences(spec, open, "main")[0]?.other).toBe("now-1d – …");
});

test("finds entries by words in any order", () => {
  const entry = (name: string, folder = "", tags: string[] = []) => ({ name, folder, tags, summary: "host:gw1" });
  const entries = [entry("Failed logins", "Work"), entry("VPN", "", ["Remote"])];
  const names = (text: string) => matching(entries, text).map(({ name }) => name);
  expect(names("")).toHaveLength(2);
  expect(names("work FAILED")).toEqual(["Failed logins"]);
  expect(names("remote gw1")).toEqual(["VPN"]);
  expect(names("nothing")).toEqual([]);
});

test("tags of a text are sorted and there once", () => {
  expect(tagsOf(" vpn, ssh ,, ssh")).toEqual(["ssh", "vpn"]);
  expect(tagsOf("")).toEqual([]);
});

test("names, folders and tags differ, too", () => {
  const one = { name: "a", folder: "", tags: ["x"], spec };
  expect(differingMembers(one, one, "main")).toEqual([]);
  expect(differingMembers(one, { ...one, folder: "F", tags: [] }, "main")).toEqual([
    { what: "Folder", one: "none", other: "F" },
    { what: "Tags", one: "x", other: "none" },
  ]);
});
