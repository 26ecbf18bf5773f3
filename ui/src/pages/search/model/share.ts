// Links and texts to take away.
import type { SearchModel } from "./model.ts";
import { absolute } from "../../../time/range.ts";
import { encodeView } from "../../../view/codec.ts";

/** A link to what is on the screen: with fixed times, so that it shows the same tomorrow, or with relative ones. */
export function permalink(page: SearchModel, times: "fixed" | "relative"): string {
  const view = page.view.value;
  const range = times === "fixed" ? absolute(page.span.value ?? page.window()) : view.range;
  const shared = { ...view, range, logspace: page.logspace.value, live: times === "fixed" ? false : view.live };
  return location.origin + location.pathname + encodeView(shared);
}

/** Puts text on the clipboard; over plain HTTP the browser only lets the old way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "offscreen";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
