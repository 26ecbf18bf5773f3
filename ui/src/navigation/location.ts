// The page that is shown, and ways from one to another.
//
// In: clicks on links, keys, the browser's buttons. Out: `currentPage`. Holds: the query part that the search page had, so
// that a return to it shows the same search.
import { signal } from "@preact/signals";
import { pageAt, pathOf, type PageName } from "../view/route.ts";

export const currentPage = signal<PageName>(pageAt(globalThis.location?.pathname ?? "/") ?? "search");

let lastSearch = "";

/** Follows the browser's buttons from the start of the page on. */
export function watchLocation(): void {
  // Relative to the address that the page was loaded from, and browsers look for it again after each step.
  for (const icon of document.querySelectorAll<HTMLLinkElement>("link[rel=icon]")) icon.href = new URL(icon.href).href;
  addEventListener("popstate", () => (currentPage.value = pageAt(location.pathname) ?? "search"));
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
  currentPage.value = page;
}

/** Follows a link within the page unless the browser is asked for a tab or a window of its own. */
export function follow(event: MouseEvent, page: PageName, search?: string): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  openPage(page, search);
}
