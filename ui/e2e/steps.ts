// What the flows have in common: expectations, waiting, and typing a query.
import axe from "axe-core";
import type { Page } from "playwright-core";

class FlowError extends Error {}

/** Longest wait for an expected element, in milliseconds: long, because a machine may be busy. */
export const TIMEOUT_MS = 30_000;

export function expect(condition: boolean, failure: string): void {
  if (!condition) throw new FlowError(failure);
}

export const total = async (page: Page): Promise<number> =>
  Number((await page.textContent(".result-count b"))?.replace(/\D/g, "") ?? NaN);

export const urlParameters = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

/** Waits until a condition on the page holds. */
export async function waitUntil(failure: string, condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (performance.now() < end) {
    if (await condition()) return;
    await new Promise((done) => setTimeout(done, 40));
  }
  throw new FlowError(failure);
}

export async function typeQuery(page: Page, query: string): Promise<void> {
  await page.keyboard.press("/");
  await page.waitForSelector(".query-editor .cm-content");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(query);
  await page.keyboard.press("Enter");
}

/** Presses the key that searches again until something is shown: on a busy machine the page may not listen yet. */
export async function searchAgainUntil(page: Page, selector: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await page.keyboard.press("r");
    try {
      await page.waitForSelector(selector, { timeout: 5_000 });
      return;
    } catch (cause) {
      if (attempt === 5) throw cause;
    }
  }
}

/** What axe finds on the page. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: typeof axe }).axe;
    const isForced = matchMedia("(forced-colors: active)").matches;
    const { violations } = await run.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
      // Forced colours are the system's.
      rules: { "color-contrast": { enabled: !isForced } },
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  });
}
