// User flows through the page, run in a real browser.
import axe from "axe-core";
import type { SearchAnswer } from "../src/api/search.ts";
import type { FlowContext } from "./run.ts";
import { expect, searchAgainUntil, total, typeQuery, urlParameters, waitUntil } from "./steps.ts";

/** The flows during which messages have to arrive; all others do not need that. */
export const FLOWS_WITH_ARRIVALS = [
  "live tail adds rows, pauses on scroll, and counts",
  "a lost connection is restored without a gap",
];

export const FLOWS: Record<string, (stage: FlowContext) => Promise<void>> = {
  async "login refuses a wrong password and says so"({ page, settings }) {
    const other = await page.context().browser()!.newContext();
    const guest = await other.newPage();
    await guest.goto(`${settings.base}?q=kept`);
    await guest.fill("input[name=user]", settings.user);
    await guest.fill("input[name=password]", "certainly wrong");
    await guest.click("text=Log in");
    await guest.waitForSelector(".login-error:not(:empty)");
    await guest.fill("input[name=password]", settings.password);
    await guest.keyboard.press("Enter");
    await guest.waitForSelector(".page");
    expect(new URL(guest.url()).searchParams.get("q") === "kept", "the question is lost at the login");
    await other.close();
  },

  async "search narrows the result and the URL says it"({ page, open }) {
    await open();
    const all = await total(page);
    const texts = (await page.locator(".row[data-index] .text").allTextContents()).join("\n");
    const word = /\s([a-z]{4,})\s/i.exec(texts)![1]!;
    await typeQuery(page, word);
    await waitUntil("the total did not shrink", async () => (await total(page)) < all);
    expect(urlParameters(page).get("q") === word, "the URL lacks the query");
    await page.waitForSelector(".row mark");
    await page.goBack();
    await waitUntil("back did not restore the result", async () => (await total(page)) >= all);
  },

  async "what was found is downloaded as an evidence package"({ page, settings, open }) {
    await open();
    const sealed = await page.evaluate(async () => {
      const headers = { "Content-Type": "application/json", "X-Requested-By": "duramen" };
      const spaces = (await (await fetch("api/v1/logspaces")).json()) as { name: string }[];
      const body = JSON.stringify({ logspace: spaces[0]!.name });
      return (await fetch("api/v1/seal", { method: "POST", headers, body })).status;
    });
    expect(sealed === 200, `sealing was answered with ${sealed}`);
    await page.click("text=Share");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Evidence package")]);
    await page.waitForSelector(".notice.on >> text=sealed messages, manifest");
    expect(/^evidence-.*\.tar$/.test(download.suggestedFilename()), `a file ${download.suggestedFilename()}`);
    expect(page.url().startsWith(settings.base), "the page was left");
    await typeQuery(page, "* | top host");
    await page.waitForSelector("table");
    await page.click("text=Share");
    await page.click("text=Evidence package");
    await page.waitForSelector(".notice.on >> text=leave out what stands behind");
  },

  async "the time of an answer explains what the query costs"({ page, open }) {
    await open();
    await typeQuery(page, "severity:>=debug AND *e*");
    await page.waitForSelector(".cost-time");
    await page.click(".cost-time");
    await page.waitForSelector(".cost-table tbody tr:nth-child(3)");
    const text = (await page.textContent(".cost")) ?? "";
    expect(/messages in .* segments?/.test(text), `nothing about segments: ${text}`);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".cost", { state: "detached" });
  },

  async "a broken query shows where the error is and what to do"({ page, open }) {
    await open();
    await typeQuery(page, 'host:x AND "port');
    await page.waitForSelector(".query-note.wrong");
    await page.waitForSelector(".cm-problem");
    expect(/"/.test((await page.textContent(".query-suggestion")) ?? ""), "no suggestion");
    await page.waitForSelector(".status-message >> text=not valid");
  },

  async "completion offers fields, then values with counts"({ page, open }) {
    await open();
    await page.keyboard.press("/");
    await page.waitForSelector(".query-editor .cm-content");
    await page.keyboard.type("hos");
    await page.waitForSelector(".cm-tooltip-autocomplete >> text=host:");
    await page.keyboard.press("Tab");
    await waitUntil("no values offered", async () =>
      /\d/.test(
        (await page
          .locator(".cm-completionDetail")
          .first()
          .textContent()
          .catch(() => "")) ?? "",
      ),
    );
    await page.waitForTimeout(150);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await waitUntil("the completed query was not run", async () => /^host:.+/.test(urlParameters(page).get("q") ?? ""));
  },

  async "an empty query bar offers earlier queries"({ page, open }) {
    await open();
    await typeQuery(page, "warning OR notice");
    await waitUntil("the query was not run", async () => urlParameters(page).get("q") === "warning OR notice");
    await page.click(".query-clear");
    await waitUntil("the query was not cleared", async () => !urlParameters(page).get("q"));
    // The editor is emptied a moment after the address.
    await page.waitForSelector(".cm-placeholder");
    await page.keyboard.press("/");
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector(".cm-tooltip-autocomplete >> text=warning OR notice");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await waitUntil("the earlier query was not run", async () => urlParameters(page).get("q") === "warning OR notice");
  },

  async "brushing the histogram zooms, Escape goes back"({ page, open }) {
    await open();
    const all = await total(page);
    const box = (await page.locator(".histogram .u-over").boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.5, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 30, { steps: 8 });
    await page.mouse.up();
    await waitUntil("the range did not shrink", async () => (await total(page)) < all);
    expect(/^\d{4}-/.test(urlParameters(page).get("from") ?? ""), "the URL has no fixed range");
    const zoomed = await total(page);
    await page.waitForTimeout(200);
    expect((await total(page)) === zoomed, "the drag also counted as a click");
    await page.keyboard.press("Escape");
    await waitUntil("Escape did not go back", async () => (await total(page)) >= all);
  },

  async "bars, facets and total agree"({ page, open }) {
    await open();
    const counts = await page.$$eval(".histogram table td:nth-child(2)", (cells) =>
      cells.map((cell) => Number(cell.textContent)),
    );
    expect(
      counts.reduce((sum, count) => sum + count, 0) === (await total(page)),
      "the bars do not add up to the total",
    );
  },

  async "a facet filters, excludes and removes the filter"({ page, open }) {
    await open();
    const all = await total(page);
    const line = page.locator(".value-line[data-field=host]").first();
    const value = (await line.getAttribute("data-value"))!;
    await line.locator(".value-button").click();
    await waitUntil("the filter is not in the query", async () =>
      (urlParameters(page).get("q") ?? "").startsWith("host:"),
    );
    await waitUntil("the filter did not narrow", async () => (await total(page)) < all);
    const of = await total(page);
    await page.locator(`.value-line[data-field=host][data-value="${value}"] .value-button`).click();
    await waitUntil("the filter was not taken back", async () => !urlParameters(page).get("q"));
    await page.locator(`.value-line[data-field=host][data-value="${value}"]`).hover();
    await page.locator(`.value-line[data-field=host][data-value="${value}"] .value-exclude`).click();
    await waitUntil("nothing was excluded", async () => (urlParameters(page).get("q") ?? "").startsWith("NOT host:"));
    await waitUntil(
      "excluding does not complement filtering",
      async () => Math.abs((await total(page)) + of - all) < all * 0.02,
    );
  },

  async "a field opens its values and becomes a column"({ page, open }) {
    await open();
    const field = page.locator(".field-line").first();
    const name = (await field.locator(".field-name").getAttribute("title"))!.split(":")[0]!;
    await field.locator(".icon-button").click();
    await waitUntil("the column is missing", async () => (urlParameters(page).get("columns") ?? "").endsWith(name));
    await page.waitForSelector(`.list-header .header-name[title="${name}"]`);
    await field.locator(".field-name").click();
    await page.waitForSelector(`.value-line[data-field="${name}"]`);
  },

  async "the message pane shows fields, raw, tokens, JSON"({ page, open }) {
    await open();
    await page.locator(".row[data-index='2'] .text").click();
    await page.waitForSelector(".field-table tr[data-field=host]");
    const text = (await page.textContent(".pane-message"))!.trim();
    await page.click("role=tab[name=Raw]");
    await waitUntil("the raw message lacks the text", async () =>
      ((await page.textContent(".raw")) ?? "").includes(text.slice(0, 40)),
    );
    await page.click("text=Hex");
    expect(/^0000 {2}3c /.test((await page.textContent(".raw"))!), "no hex dump");
    await page.click("role=tab[name=Tokens]");
    expect((await page.locator(".token-list li").count()) > 0, "no tokens");
    await page.click("role=tab[name=JSON]");
    JSON.parse((await page.textContent(".raw"))!);
    await page.click("role=tab[name=Fields]");
    await page.click(".field-table tr[data-field=program] button[title^=Filter]");
    await waitUntil("the field did not become a filter", async () =>
      (urlParameters(page).get("q") ?? "").startsWith("program:"),
    );
  },

  async "context shows what came before and after, and grows"({ page, open }) {
    await open();
    await page.keyboard.press("j");
    await page.keyboard.press("c");
    await page.waitForSelector(".context-line.anchor");
    const before = await page.locator(".context-line").count();
    await page.click("text=10 earlier");
    await waitUntil("the context did not grow", async () => (await page.locator(".context-line").count()) > before);
    await page.locator(".context-line").first().click();
    await waitUntil("the anchor moved away", async () => (await page.locator(".context-line.anchor").count()) === 1);
  },

  async "far rows are reached by the scroll bar"({ page, open }) {
    await open();
    const all = await total(page);
    await page.locator(".list").evaluate((list) => list.scrollTo({ top: list.scrollHeight / 2 }));
    await waitUntil("the middle was not loaded", async () => {
      const index = await page.locator(".row.loading").count();
      const first = Number(
        await page
          .locator(".row[data-index]")
          .first()
          .getAttribute("data-index")
          .catch(() => "0"),
      );
      return index === 0 && first > all * 0.4;
    });
    await page.locator(".list").evaluate((list) => list.scrollTo({ top: list.scrollHeight }));
    await waitUntil(
      "the last row is missing",
      async () => (await page.locator(`.row[data-index="${all - 1}"]`).count()) === 1,
    );
  },

  async "live tail adds rows, pauses on scroll, and counts"({ page, open }) {
    await open();
    await page.keyboard.press("l");
    await page.waitForSelector(".live-status");
    const first = await page.textContent(".row[data-index='0'] .time-cell");
    await waitUntil(
      "nothing arrived",
      async () => (await page.textContent(".row[data-index='0'] .time-cell")) !== first,
    );
    await page.locator(".list").evaluate((list) => list.scrollTo({ top: 200 }));
    await page.waitForSelector(".live-status.paused");
    await page.waitForSelector(".live-status >> text=/\\d+ new/");
    const held = await page.textContent(".row[data-index='20'] .time-cell");
    await page.waitForTimeout(800);
    expect((await page.textContent(".row[data-index='20'] .time-cell")) === held, "rows moved while reading");
    await page.click(".live-status .primary");
    await waitUntil("it did not go on", async () => (await page.locator(".live-status.paused").count()) === 0);
    await page.keyboard.press("l");
    await waitUntil("it did not stop", async () => (await page.locator(".live-status").count()) === 0);
  },

  async "a lost connection is restored without a gap"({ page, open }) {
    await open();
    const before = await page.locator(".row[data-index='0']").getAttribute("data-sequence");
    // The first stream ends at once, the second is refused; only the third is the server's.
    let requests = 0;
    await page.route("**/api/v1/tail*", (route) => {
      requests++;
      if (requests === 1) return route.fulfill({ contentType: "text/event-stream", body: "retry: 200\n\n" });
      return requests === 2 ? route.fulfill({ status: 503, json: {} }) : route.continue();
    });
    await page.keyboard.press("l");
    await page.waitForSelector(".live-status.lost");
    await waitUntil("it did not reconnect", async () => (await page.locator(".live-status.lost").count()) === 0);
    await waitUntil(
      "nothing new arrived",
      async () => (await page.locator(".row[data-index='0']").getAttribute("data-sequence")) !== before,
    );
    const sequences = await page.$$eval(".row[data-sequence]", (rows) =>
      rows.map((row) => Number((row as HTMLElement).dataset["sequence"])).sort((a, b) => b - a),
    );
    expect(
      sequences.every((sequence, at) => at === 0 || sequences[at - 1]! - sequence === 1),
      `a gap or a repetition: ${sequences.join(" ")}`,
    );
  },

  async "a permalink shows the same again"({ page, open }) {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open();
    await page.keyboard.press("j");
    await page.keyboard.press("o");
    await page.waitForSelector(".field-table tr");
    await page.keyboard.press("y");
    await page.waitForSelector(".notice.on");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(/from=\d{4}-.*to=\d{4}-/.test(link), `the link's times are not fixed: ${link}`);
    const shown = [await page.textContent(".pane-message"), await total(page)];
    await page.goto(link);
    await page.waitForSelector(".field-table tr");
    expect((await page.textContent(".pane-message")) === shown[0], "another message is open");
    // Messages received in the very last moment of the range may still have been in transit.
    expect(
      Math.abs((await total(page)) - Number(shown[1])) <= 20,
      `the total differs: ${await total(page)} and ${shown[1]}`,
    );
    await page.reload();
    await page.waitForSelector(".field-table tr");
  },

  async "everything works from the keyboard"({ page, open }) {
    await open();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("f");
    await waitUntil("f did not filter by the host", async () => /^host:/.test(urlParameters(page).get("q") ?? ""));
    await page.waitForSelector(".row[data-index]");
    await page.keyboard.press("t");
    await page.waitForSelector(".time-panel input:focus");
    await page.keyboard.type("last 90m");
    await page.keyboard.press("Enter");
    await waitUntil("the typed time was not taken", async () => urlParameters(page).get("from") === "now-90m");
    await page.keyboard.press("[");
    await waitUntil("[ did not shift", async () => /^\d{4}-/.test(urlParameters(page).get("from") ?? ""));
    await page.keyboard.press("w");
    await waitUntil("w did not wrap", async () => urlParameters(page).get("wrap") === "1");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog.help[open]");
    await page.keyboard.press("Escape");
    await waitUntil("Escape did not close the help", async () => (await page.locator("dialog.help").count()) === 0);
  },

  async "an empty result says why and helps"({ page, open, settings }) {
    await open();
    await typeQuery(page, "zzznothinglikethiszzz");
    await page.waitForSelector(".status-message >> text=Nothing matches");
    await page.click(".status-message button");
    await page.waitForSelector(".list .row[data-index]");
    await page.goto(`${settings.base}?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z`);
    await page.waitForSelector(".status-message >> text=Nothing in this time range");
    await page.click(".status-message button");
    await page.waitForSelector(".list .row[data-index]");
  },

  async "a server that is unreachable, too slow or broken shows as such"({ page, open }) {
    await open();
    const search = "**/api/v1/search";
    await page.route(search, (route) => route.abort());
    await page.keyboard.press("r");
    await page.waitForSelector(".status-message >> text=The server cannot be reached");
    await page.unroute(search);
    await page.click(".status-message button");
    await page.waitForSelector(".list .row[data-index]");
    const refuse = (status: number, code: string) =>
      page.route(search, (route) =>
        route.fulfill({ status, json: { error: { code, message: "a failure made by the test" } } }),
      );
    await refuse(504, "timeout");
    await page.keyboard.press("r");
    await page.waitForSelector(".status-message >> text=took too long");
    await page.unroute(search);
    await refuse(500, "internal");
    await page.click(".status-message button");
    await page.waitForSelector(".status-message >> text=The search failed");
    await page.unroute(search);
    await page.click(".status-message button");
    await page.waitForSelector(".list .row[data-index]");
  },

  async "long messages are cut until expanded"({ page, open }) {
    await open("?wrap=1");
    const long = await page.evaluate(async () => {
      const answer = await fetch("api/v1/search", {
        method: "POST",
        headers: { "X-Requested-By": "duramen", "Content-Type": "application/json" },
        body: JSON.stringify({ query: "", limit: 1, bars: 0 }),
      });
      return (await answer.json()) as SearchAnswer;
    });
    long.rows[0]!.message = `begin ${"0123456789 ".repeat(600)} end`;
    await page.route("**/api/v1/search", (route) => route.fulfill({ json: { ...long, total: 1 } }));
    await searchAgainUntil(page, ".row .show-rest");
    await page.click(".row .show-rest");
    await waitUntil("the rest is not shown", async () =>
      ((await page.textContent(".row[data-index='0'] .text")) ?? "").trim().endsWith("end"),
    );
  },

  async "pipes make a table whose values lead back to messages"({ page, open }) {
    await open();
    const all = await total(page);
    await typeQuery(page, "* | top host");
    await page.waitForSelector(".result-table tbody tr");
    expect((await total(page)) >= all * 0.9, "the total is not that of the question");
    const first = page.locator(".result-table tbody tr").first();
    const value = (await first.locator("button").textContent())!;
    const counted = Number((await first.locator("td.number").first().textContent())!.replace(/\D/g, ""));
    await page.click(".result-table th >> text=count");
    expect((await page.getAttribute(".result-table th:nth-child(2)", "aria-sort")) === "descending", "not sorted");
    await page.locator(`.result-table tbody button >> text="${value}"`).click();
    await waitUntil("the value did not become a question", async () =>
      /^host:\S+$/.test(urlParameters(page).get("q") ?? ""),
    );
    await page.waitForSelector(".list .row[data-index]");
    await waitUntil(
      "the table counted other messages",
      async () => Math.abs((await total(page)) - counted) < all * 0.02,
    );
    await typeQuery(page, "* | timechart 1h count() by host");
    await page.waitForSelector(".table-chart canvas");
    await page.click(".live-button");
    const again = page.waitForRequest("**/api/v1/search");
    await page.waitForSelector(".live-status >> text=the table is made again");
    await again;
    await page.waitForSelector(".table-chart canvas");
  },

  async "a search that ran out of time says what it counted"({ page, open }) {
    await open();
    await page.route("**/api/v1/search", async (route) => {
      const answer = (await (await route.fetch({ maxRetries: 3 })).json()) as SearchAnswer;
      await route.fulfill({ json: { ...answer, searched_from_us: 1_700_000_000_000_000 } });
    });
    await searchAgainUntil(page, ".result-count >> text=at least");
    await page.waitForSelector(".result-summary.partial >> text=received before 2023-11-14");
  },

  async "axe finds nothing against WCAG 2.2 AA"({ page, open }) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await open();
      await page.keyboard.press("j");
      await page.keyboard.press("o");
      await page.waitForSelector(".field-table tr");
      await page.waitForTimeout(300);
      await page.evaluate(axe.source);
      const found = await page.evaluate(async () => {
        const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        });
        return violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes.length} x ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary?.split("\n")[1] ?? ""}`,
        );
      });
      expect(found.length === 0, `${colorScheme}: ${found.join("\n      ")}`);
    }
  },

  async "dark and light, by system and by choice"({ page, open }) {
    await page.emulateMedia({ colorScheme: "dark" });
    await open();
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.click("button[aria-label='Light theme']");
    await waitUntil("the theme did not change", async () => (await ground()) !== dark);
    await page.evaluate(() => localStorage.clear());
  },

  async "the grid tells assistive technology what it shows"({ page, open }) {
    await open();
    const grid = page.locator("[role=grid]");
    expect(Number(await grid.getAttribute("aria-rowcount")) === (await total(page)) + 1, "aria-rowcount is wrong");
    const active = await grid.getAttribute("aria-activedescendant");
    expect((await page.locator(`#${active}`).count()) === 1, "the active row does not exist");
    const nameless = await page.$$eval(
      "button",
      (buttons) => buttons.filter((button) => !button.textContent?.trim() && !button.getAttribute("aria-label")).length,
    );
    expect(nameless === 0, `${nameless} buttons have no name`);
  },
};
