import { expect, test } from "vitest";
import { splitPath } from "./route.ts";

test("a path is split into its root and its page", () => {
  const rows: [string, string, string][] = [
    ["/", "/", "search"],
    ["/alerts", "/", "alerts"],
    ["/alerts/rules", "/", "rules"],
    ["/alerts/new", "/", "draft"],
    ["/profile", "/", "profile"],
    ["/logs/", "/logs/", "search"],
    ["/logs/alerts", "/logs/", "alerts"],
    ["/logs/alerts/rules", "/logs/", "rules"],
    ["/dashboards", "/", "dashboards"],
    ["/dashboards/gateways-1", "/", "dashboards"],
    ["/logs/dashboards/x", "/logs/", "dashboards"],
    ["/admin/users", "/", "users"],
    ["/admin/rights", "/", "rights"],
    ["/logs/admin/roles", "/logs/", "roles"],
    ["/logs/invitation", "/logs/", "invitation"],
    // A prefix may have the name of a page.
    ["/alerts/", "/alerts/", "search"],
    ["/alerts/alerts", "/alerts/", "alerts"],
  ];
  for (const [path, root, page] of rows) expect(splitPath(path), path).toEqual({ root, page });
});
