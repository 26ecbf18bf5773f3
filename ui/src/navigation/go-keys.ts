// Keys that lead to a page: g and a letter, one after the other.
//
// In: key presses, before the pages see them. Out: the page is shown. `g g` is left to the page.
import type { PageName } from "../view/route.ts";
import { openPage } from "./location.ts";

/** Longest time between the two keys. */
const PAUSE_MS = 1_500;
const PAGES: Record<string, PageName> = { s: "search", d: "dashboards", a: "alerts", u: "users" };

/** Listens until the function that it returns is called. */
export function listenForGoKeys(mayOpen: (page: PageName) => boolean): () => void {
  let startedAt = -Infinity;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const isSecond = performance.now() - startedAt < PAUSE_MS;
    startedAt = -Infinity;
    const page = PAGES[event.key];
    if (isSecond && page && mayOpen(page)) openPage(page);
    else if (!isSecond && event.key === "g") startedAt = performance.now();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener("keydown", onKeyDown, { capture: true });
  return () => document.removeEventListener("keydown", onKeyDown, { capture: true });
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0] as HTMLElement | undefined;
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(target?.tagName ?? "") || target?.isContentEditable === true;
  return isField || Boolean(target?.closest("[role=dialog], dialog"));
}
