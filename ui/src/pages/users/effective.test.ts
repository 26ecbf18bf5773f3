import { expect, test } from "vitest";
import type { User } from "../../api/users.ts";
import { explain, reaches, rightsOf, summaryOf, withRight } from "./effective.ts";

const user = (effective: User["effective"], locked = false): User => ({
  name: "eva",
  grants: [],
  roles: [],
  effective,
  locked,
  has_password: true,
  has_factor: false,
  sessions: 0,
  tokens: 0,
});

test("a grant reaches what its name or its beginning says", () => {
  const rows: [string, string, boolean][] = [
    ["main", "main", true],
    ["main", "main2", false],
    ["*", "main", true],
    ["*", "*", true],
    ["firewall-*", "firewall-a", true],
    ["firewall-*", "firewall", false],
    ["firewall-*", "*", false],
    ["main", "*", false],
  ];
  for (const [grant, logspace, want] of rows)
    expect(reaches({ logspace: grant, may: [] }, logspace), `${grant} ${logspace}`).toBe(want);
});

test("rights are those of all grants together, and say where they come from", () => {
  const eva = user([
    { logspace: "main", may: ["search"] },
    { logspace: "ma*", may: ["export"], role: "analyst" },
    { logspace: "audit", may: ["export"] },
  ]);
  expect(rightsOf(eva, "main")).toEqual(["search", "export"]);
  expect(rightsOf(eva, "audit"), "without search").toEqual([]);
  expect(rightsOf(user(eva.effective, true), "main"), "locked").toEqual([]);
  expect(explain(eva, "main")).toEqual([
    "search: by own grant of main.",
    "export: by role analyst (ma*).",
    "administer: no grant.",
  ]);
  expect(explain(eva, "audit")[1]).toContain("without search it opens nothing");
  expect(explain(user([], true), "main")).toHaveLength(1);
});

test("export and administer bring search, and go with it", () => {
  const none = { logspace: "main", may: [] };
  expect(withRight(none, "export", true).may).toEqual(["search", "export"]);
  expect(withRight({ ...none, may: ["search", "export", "administer"] }, "export", false).may).toEqual([
    "search",
    "administer",
  ]);
  expect(withRight({ ...none, may: ["search", "export"] }, "search", false).may).toEqual([]);
});

test("the list names the first grants and counts the others", () => {
  expect(summaryOf(user([]))).toBe("no rights");
  const many = ["*", "b", "c", "d", "e", "f"].map((logspace) => ({ logspace, may: ["search" as const] }));
  expect(summaryOf(user(many))).toBe("search in all logspaces; search in b; search in c; search in d; 2 more");
});
