// The pages and their addresses, below whatever prefix the page is served at.
//
// In: the path of the browser's address. Out: the page that it means, paths of other pages. Holds: the root of the page,
// which does not change after it was loaded. The server has the same list in `crates/api/src/assets.rs`.

export type PageName =
  "search" | "alerts" | "rules" | "draft" | "profile" | "dashboards" | "users" | "rights" | "roles" | "invitation";

const PATHS: Record<PageName, string> = {
  search: "",
  alerts: "alerts",
  rules: "alerts/rules",
  draft: "alerts/new",
  profile: "profile",
  dashboards: "dashboards",
  users: "admin/users",
  rights: "admin/rights",
  roles: "admin/roles",
  invitation: "invitation",
};
/** Longer paths first: the end of one may be the end of another. */
const NAMES: readonly PageName[] = [
  "draft",
  "rules",
  "alerts",
  "profile",
  "dashboards",
  "users",
  "rights",
  "roles",
  "invitation",
  "search",
];

/** A dashboard lies below the list of them. */
const DASHBOARD = /^(.*\/)dashboards\/([a-z0-9-]{1,64})$/;

/** Splits a path into the root, which ends with a slash, and the page. */
export function splitPath(path: string): { root: string; page: PageName } {
  const below = DASHBOARD.exec(path);
  if (below) return { root: below[1]!, page: "dashboards" };
  const page = NAMES.find((name) => path.endsWith(`/${PATHS[name]}`)) ?? "search";
  return { root: path.slice(0, path.length - PATHS[page].length), page };
}

const { root } = splitPath(globalThis.location?.pathname ?? "/");

/** The path of a page. */
export function pathOf(page: PageName): string {
  return root + PATHS[page];
}

/** The path of something else that the server has, such as its API or its manual. */
export function below(path: string): string {
  return root + path;
}

/** Returns the page of the browser's address; undefined for one that is not ours. */
export function pageAt(path: string): PageName | undefined {
  if (dashboardAt(path)) return "dashboards";
  return NAMES.find((name) => pathOf(name) === path);
}

/** Returns the id of the dashboard of the browser's address; empty for none. */
export function dashboardAt(path: string): string {
  const below = DASHBOARD.exec(path);
  return below && below[1] === root ? below[2]! : "";
}
