// Links and commands that repeat a search elsewhere.
import type { SearchModel } from "./search-model.ts";
import { absolute } from "../../../time/range.ts";
import { encodeView } from "../../../view/codec.ts";

/** Returns a link to what is on the screen: with fixed times, so that it shows the same tomorrow, or with relative ones. */
export function permalink(page: SearchModel, times: "fixed" | "relative"): string {
  const view = page.view.value;
  const range = times === "fixed" ? absolute(page.span.value ?? page.currentSpan()) : view.range;
  const shared = { ...view, range, logspace: page.logspace.value, live: times === "fixed" ? false : view.live };
  return location.origin + location.pathname + encodeView(shared);
}

/** Returns the search as a shell command that prints the same rows as JSON. */
export function curlCommand(page: SearchModel, user: string): string {
  const { logspace, query, time, limit } = page.searchRequest({ limit: 200 }, page.span.value ?? page.currentSpan());
  const body = JSON.stringify({ logspace, query, time, limit, bars: 0 });
  const url = new URL("api/v1/search", location.href.split("?")[0]).href;
  return `curl -u ${shellQuoted(user)} ${shellQuoted(url)} -H 'Content-Type: application/json' -H 'X-Requested-By: duramen' -d ${shellQuoted(body)}`;
}

/** Returns the address of an export of all rows, with the times fixed as on the screen. */
export function exportLink(page: SearchModel, format: "csv" | "csv-safe" | "ndjson" | "raw"): string {
  const { logspace, query, time } = page.searchRequest({}, page.span.value ?? page.currentSpan());
  const request = { logspace, query, ...time, format };
  const parameters = Object.entries(request).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `api/v1/export?${new URLSearchParams(parameters)}`;
}

function shellQuoted(text: string): string {
  if (/^[\w.@-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
