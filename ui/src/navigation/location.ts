// The page that is shown, and ways from one to another.
//
// In: clicks on links, keys, the browser's buttons. Out: `currentPage`. Holds: the query part that the search page had, so
// that a return to it shows the same search.
import { batch, computed, signal } from "@preact/signals";
import { dashboardAt, pageAt, pathOf, type PageName } from "../view/route.ts";

export const currentPage = signal<PageName>(pageAt(globalThis.location?.pathname ?? "/") ?? "search");

/** The id of the dashboard that is shown; empty for none. */
export const currentDashboard = signal(dashboardAt(globalThis.location?.pathname ?? "/"));
/** The query part of its address. */
export const dashboardSearch = signal(globalThis.location?.search ?? "");

/** True when the dashboard is shown alone, without the navigation. */
export const isKiosk = computed(
  () => currentDashboard.value !== "" && new URLSearchParams(dashboardSearch.value).get("kiosk") === "1",
);

let lastSearch = "";

/** Follows the browser's buttons from the start of the page on. */
export function watchLocation(): void {
  // Relative to the address that the page was loaded from, and browsers look for it again after each step.
  for (const icon of document.querySelectorAll<HTMLLinkElement>("link[rel=icon]")) icon.href = new URL(icon.href).href;
  addEventListener("popstate", followAddress);
}

function followAddress(): void {
  batch(() => {
    currentDashboard.value = dashboardAt(location.pathname);
    dashboardSearch.value = location.search;
    currentPage.value = pageAt(location.pathname) ?? "search";
  });
}

/** Shows a dashboard, as a step in the browser's history. */
export function openDashboard(id: string, search: string): void {
  if (currentPage.value === "search") lastSearch = location.search;
  history.pushState(null, "", `${pathOf("dashboards")}/${id}${search}`);
  followAddress();
}

/** Puts the state of the dashboard that is shown into the address, as a step in the browser's history. */
export function showDashboard(id: string, search: string): void {
  const address = `${pathOf("dashboards")}/${id}${search}`;
  if (address !== location.pathname + location.search) history.pushState(null, "", address);
  dashboardSearch.value = search;
}

/** Follows a link to a dashboard unless the browser is asked for a tab or a window of its own. */
export function followDashboard(event: MouseEvent, id: string): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  openDashboard(id, "");
}

/** The address of a page; of the search page with the search that was shown last. */
export function addressOf(page: PageName): string {
  const search = currentPage.value === "search" ? location.search : lastSearch;
  return pathOf(page) + (page === "search" ? search : "");
}

/** Shows a page, as a step in the browser's history. */
export function openPage(page: PageName, search?: string): void {
  const address = search === undefined ? addressOf(page) : pathOf(page) + search;
  if (currentPage.value === "search") lastSearch = location.search;
  if (page === currentPage.value && address === location.pathname + location.search) return;
  history.pushState(null, "", address);
  followAddress();
}

/** Follows a link within the page unless the browser is asked for a tab or a window of its own. */
export function follow(event: MouseEvent, page: PageName, search?: string): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  openPage(page, search);
}
