// Flows in which the page could show something false, or lose what the user did.
import type { Page } from "playwright-core";
import type { Logspace } from "../src/api/logspaces.ts";
import type { SearchAnswer } from "../src/api/search.ts";
import type { FlowContext } from "./run.ts";
import { expect, total, typeQuery, urlParameters, waitUntil } from "./steps.ts";

/** A file name whose letters are shown in another order than they are in, and a word with an invisible character. */
const DECEIVING = "opened \u202egnp.exe\u202c for pass\u200bword\u001b";

/** Changes the answers to searches before the page sees them. */
async function changeAnswers(page: Page, change: (answer: SearchAnswer) => void): Promise<void> {
  await page.route("**/api/v1/search", async (route) => {
    const response = await route.fetch({ maxRetries: 3 });
    const answer = (await response.json()) as SearchAnswer;
    change(answer);
    await route.fulfill({ response, json: answer });
  });
}

/** Ends the session as another tab would. */
async function endSession(page: Page): Promise<void> {
  await page.evaluate(() => fetch("api/v1/logout", { method: "POST", headers: { "X-Requested-By": "duramen" } }));
}

const queryText = async (page: Page): Promise<string> => (await page.textContent(".query-editor .cm-content")) ?? "";

export const TRUST_FLOWS: Record<string, (stage: FlowContext) => Promise<void>> = {
  async "a session that ends keeps what is typed and shown"({ page, settings, open }) {
    await open();
    const rows = await page.locator(".row[data-index]").count();
    await page.keyboard.press("/");
    await page.waitForSelector(".query-editor .cm-content");
    await endSession(page);
    await page.keyboard.type("severity:<=debug AND host", { delay: 15 });
    await page.keyboard.type(":* ", { delay: 15 });
    // Completion noticed that the session has ended; it only marks the user's button.
    await page.waitForSelector(".session-over");
    expect((await page.locator(".session-dialog[open]").count()) === 0, "a background call opened the login");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-veil");
    await page.keyboard.type("AND program:*", { delay: 15 });
    const typed = await queryText(page);
    expect(typed.includes("AND program:*"), `the text went elsewhere; the bar has: ${typed}`);
    await page.waitForSelector(".session-dialog[open]");
    expect((await page.inputValue(".session-dialog input[name=password]")) === "", "text ended in the password field");
    expect((await page.locator(".row[data-index]").count()) === rows, "the rows are gone");
    await page.fill(".session-dialog input[name=password]", "certainly wrong");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-dialog .login-error:not(:empty)");
    await page.fill(".session-dialog input[name=password]", settings.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-dialog", { state: "detached" });
    await page.waitForSelector(".session-over", { state: "detached" });
    await page.waitForSelector(".query-stale");
    await page.click(".query-run");
    await waitUntil("the query was not run", async () => (urlParameters(page).get("q") ?? "").endsWith("program:*"));
    await page.waitForSelector(".row[data-index]");
  },

  async "a login that is put off says so, and is offered again"({ page, settings, open }) {
    await open();
    await endSession(page);
    await page.click(".query-run");
    await page.waitForSelector(".session-dialog[open]");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".session-dialog", { state: "detached" });
    await page.waitForSelector(".status-message >> text=session has ended");
    await page.click(".session-over");
    await page.fill(".session-dialog input[name=password]", settings.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-over", { state: "detached" });
    await page.click(".query-run");
    await page.waitForSelector(".row[data-index]");
  },

  async "characters that cannot be seen are shown by name"({ page, open }) {
    await changeAnswers(page, (answer) => {
      if (answer.rows[0]) Object.assign(answer.rows[0], { message: DECEIVING, highlights: [[7, 9]] });
    });
    await page.route("**/api/v1/message?*", async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      await route.fulfill({ response, json: { ...((await response.json()) as object), message: DECEIVING } });
    });
    await open();
    const first = page.locator(".row[data-index='0'] .text");
    const names = await first
      .locator(".hidden-character")
      .evaluateAll((marks) => marks.map((mark) => (mark as HTMLElement).dataset["name"]));
    expect(names.join() === "RLO,PDF,ZWSP,ESC", `the row names ${names.join()}`);
    expect((await first.textContent()) === DECEIVING, "a copy would have another text");
    expect((await first.locator("mark").textContent()) === DECEIVING.slice(7, 16), "the highlight moved");
    // The letters are drawn in the order in which they are stored.
    const positions = await first.evaluate((cell) => {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const lefts: number[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent!.indexOf("gnp.exe");
        if (at < 0) continue;
        for (let index = at; index < at + 7; index++) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + 1);
          lefts.push(range.getBoundingClientRect().left);
        }
      }
      return lefts;
    });
    expect(positions.length === 7, "the text was not found");
    expect(
      positions.every((left, index) => index === 0 || left > positions[index - 1]!),
      `the letters are drawn at ${positions.join()}`,
    );
    await first.click();
    await page.waitForSelector(".hidden-count >> text=4 characters");
  },

  async "a query that was not searched is marked"({ page, open }) {
    await open();
    await typeQuery(page, "severity:<=debug");
    await waitUntil("the query was not run", async () => urlParameters(page).get("q") === "severity:<=debug");
    await page.keyboard.press("/");
    await page.keyboard.press("End");
    await page.keyboard.type(" AND nothing_like_this ");
    await page.waitForSelector(".query-stale");
    // Escape would close suggestions, or bring the query back when they are not there yet.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.waitForSelector(".cm-tooltip-autocomplete", { state: "detached" });
    await page.waitForSelector(".panels.stale");
    await page.click("text=Share");
    await page.waitForSelector(".share-stale");
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    await waitUntil("Escape did not bring the query back", async () => (await queryText(page)) === "severity:<=debug");
    await page.waitForSelector(".query-stale", { state: "detached" });
    await page.click(".query-clear");
    await waitUntil("the query was not cleared", async () => !urlParameters(page).get("q"));
    await page.keyboard.press("/");
    await page.keyboard.type("nothing_like_this");
    await page.click("text=Share");
    await page.click("text=Search it first");
    await waitUntil("it was not searched", async () => urlParameters(page).get("q") === "nothing_like_this");
  },

  async "a live tail that is refused says why and ends"({ page, open }) {
    const refusal = { error: { code: "forbidden", message: "admin may not search this any more" } };
    await page.route("**/api/v1/tail?*", (route) => route.fulfill({ status: 403, json: refusal }));
    await open();
    await page.click(".live-button");
    await page.waitForSelector(".live-status >> text=may not search this any more");
    await page.click("text=Stop live");
    await page.waitForSelector(".live-status", { state: "detached" });
  },

  async "what a user may not export is disabled, with the reason"({ page, open }) {
    await page.route("**/api/v1/logspaces", async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      const logspaces = (await response.json()) as Logspace[];
      await route.fulfill({ response, json: logspaces.map((logspace) => ({ ...logspace, may: ["search"] })) });
    });
    await open();
    await page.click("text=Share");
    const exported = page.locator(".menu button", { hasText: "Export raw" });
    expect(await exported.isDisabled(), "an export is offered");
    expect(((await exported.getAttribute("title")) ?? "").includes("right export"), "no reason is given");
    await page.locator(".menu button", { hasText: "Link with fixed times" }).click();
    await page.waitForSelector(".notice.on >> text=copied");
  },

  async "times have the offset of their own day, and years where needed"({ page, settings, open }) {
    await page.goto(`${settings.base}?from=2026-07-01T10:00:00Z&to=2026-07-01T11:00:00Z`);
    await page.waitForSelector(".time-zone >> text=UTC+2");
    await page.goto(`${settings.base}?from=2026-01-01T10:00:00Z&to=2026-01-01T11:00:00Z`);
    await page.waitForSelector(".time-zone >> text=UTC+1");
    await page.goto(`${settings.base}?from=2026-01-01T10:00:00Z&to=2026-07-01T11:00:00Z`);
    await page.waitForSelector(".time-zone >> text=UTC+1/+2");
    await open(`?from=2020-01-01T00:00:00Z&to=now`);
    await page.waitForSelector(".row[data-index='0'] .time-cell >> text=/^\\s*20\\d\\d-/");
    await page.click(".row[data-index='0']");
    await page.waitForSelector(".pane-time >> text=/ (Z|[+-]\\d\\d:\\d\\d)$/");
  },

  async "a window that becomes narrow shows the list"({ page, open }) {
    await open();
    await page.waitForSelector(".sidebar");
    await page.setViewportSize({ width: 720, height: 450 });
    await page.waitForSelector(".sidebar", { state: "detached" });
    const count = await total(page);
    expect(await page.locator(".row[data-index='0']").isVisible(), "no row is visible");
    const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(width <= 0, `the page scrolls sideways by ${width} pixels`);
    await page.click("[aria-label='Show the fields']");
    await page.locator(".value-button").first().click();
    await page.waitForSelector(".sidebar", { state: "detached" });
    await waitUntil("the facet did not filter", async () => (await total(page)) <= count);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.waitForSelector(".sidebar");
  },
};
