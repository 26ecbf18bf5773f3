// Flows over building a query: values of facets, completion, the clock, stopping.
import type { FullRow } from "../src/api/message.ts";
import type { SearchAnswer } from "../src/api/search.ts";
import type { FlowContext } from "./run.ts";
import { expect, total, typeQuery, urlParameters, waitUntil } from "./steps.ts";

export const QUERY_FLOWS: Record<string, (stage: FlowContext) => Promise<void>> = {
  async "several values of a field are alternatives"({ page, open }) {
    await open();
    const values = page.locator(".facet[aria-label=program] .value-line");
    const first = (await values.nth(0).getAttribute("data-value"))!;
    const second = (await values.nth(1).getAttribute("data-value"))!;
    const all = await total(page);
    await values.nth(0).locator(".value-button").click();
    await waitUntil("the first value did not filter", async () => (await total(page)) < all);
    const one = await total(page);
    // The other values stay, with what they would add.
    await page.waitForSelector(`.facet[aria-label=program] .value-line[data-value="${second}"]`);
    await page.click(`.facet[aria-label=program] .value-line[data-value="${second}"] .value-button`);
    await waitUntil("the second value did not add messages", async () => (await total(page)) > one);
    const query = urlParameters(page).get("q") ?? "";
    expect(/^program:\(.+ OR .+\)$/.test(query), `the query is ${query}`);
    await page.waitForSelector(`.value-line.include[data-value="${first}"]`);
    await page.click(`.facet[aria-label=program] .value-line[data-value="${first}"] .value-button`);
    await waitUntil("the first value was not removed", async () => !/ OR /.test(urlParameters(page).get("q") ?? ""));
  },

  async "a value is found in a query however it is quoted"({ page, open }) {
    await open();
    const value = (await page.locator(".facet[aria-label=program] .value-line").first().getAttribute("data-value"))!;
    await typeQuery(page, `program:"${value}"`);
    await page.waitForSelector(`.value-line.include[data-value="${value}"]`);
    await page.click(`.facet[aria-label=program] .value-line[data-value="${value}"] .value-button`);
    await waitUntil("the filter was not removed", async () => !urlParameters(page).get("q"));
  },

  async "a pattern leads to its messages, and the head counts rows"({ page, open }) {
    await open();
    await typeQuery(page, "* | patterns");
    await page.waitForSelector(".result-table tbody tr");
    expect(
      /messages in (more than )?\d+ rows/.test((await page.textContent(".result-count")) ?? ""),
      "no rows counted",
    );
    const row = page.locator(".result-table tbody tr").filter({ hasText: "<*>" }).first();
    const pattern = (await row.locator("td").first().textContent()) ?? "";
    const count = Number(((await row.locator("td").nth(1).textContent()) ?? "").replace(/\D/g, ""));
    await row.locator("button").first().click();
    await page.waitForSelector(".list .row[data-index]");
    const query = urlParameters(page).get("q") ?? "";
    expect(query.startsWith("message:/^"), `the query is ${query}`);
    // Further messages may arrive, and two patterns may have messages of one form.
    expect((await total(page)) >= count && count > 0, `${pattern}: ${count}, found ${await total(page)}`);
  },

  async "the bars of the page and a table fit a phone"({ page, open }) {
    await page.setViewportSize({ width: 390, height: 844 });
    await open();
    const top = async (selector: string): Promise<number> =>
      Math.round((await page.locator(selector).first().boundingBox())!.y);
    expect((await top(".live-button")) === (await top(".time-button")), "Live is on a line of its own");
    await page.goto(`${page.url().split("?")[0]}?q=${encodeURIComponent("* | patterns")}&from=now-24h&to=now`);
    await page.waitForSelector(".result-table tbody tr");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide <= 390, `the page is ${wide} px wide`);
  },

  async "completion behind a pipe offers names, and Enter takes a chosen one"({ page, open }) {
    await open();
    await page.keyboard.press("/");
    await page.waitForSelector(".query-editor .cm-content");
    await page.keyboard.type("* | top hos");
    await page.waitForSelector(".cm-tooltip-autocomplete >> text=host");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await waitUntil("the name was not taken", async () =>
      /\| top host$/.test((await page.textContent(".query-editor .cm-content")) ?? ""),
    );
    await page.keyboard.press("Enter");
    await page.waitForSelector("table");
    expect(urlParameters(page).get("q") === "* | top host", "another query was run");
  },

  async "a search can be stopped, and the earlier result stays"({ page, open }) {
    await open();
    const count = await total(page);
    await page.route("**/api/v1/search", async (route) => {
      await new Promise((done) => setTimeout(done, 5_000));
      await route.continue().catch(() => undefined);
    });
    await typeQuery(page, "/s.*e/");
    await page.click(".query-run >> text=Stop");
    await page.waitForSelector(".notice.on >> text=Stopped");
    await page.waitForSelector(".query-run >> text=Search");
    expect((await total(page)) === count, "the earlier result is gone");
    await page.unroute("**/api/v1/search");
  },

  async "the clock is chosen with the arrow keys"({ page, open }) {
    await open();
    await page.focus("[role=radiogroup][aria-label=Clock] [aria-checked=true]");
    await page.keyboard.press("ArrowRight");
    await waitUntil("the clock did not change", async () => urlParameters(page).get("clock") === "event");
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    expect(focused === "Event", `the focus is on ${focused}`);
    await page.keyboard.press("Tab");
    const next = await page.evaluate(() => document.activeElement?.getAttribute("role"));
    expect(next !== "radio", "each option is a tab stop");
  },

  async "one message of another century does not flatten the bars"({ page, open }) {
    let asked = 0;
    await page.route("**/api/v1/search", async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      const answer = (await response.json()) as SearchAnswer;
      if (asked++ === 0) {
        const counts = Array.from({ length: 60 }, (_, bar) => (bar === 2 ? 900 : bar === 59 ? 1 : 0));
        answer.bars = { start_us: Date.UTC(2020, 0, 1) * 1000, width_us: 500 * 86_400_000_000, counts };
      }
      await route.fulfill({ response, json: answer });
    });
    await open();
    await page.waitForSelector(".bars-outside >> text=/1 message outside: 2100-/");
    expect(asked >= 2, "the bars were not asked for again");
  },

  async "each of several values of a field has its own line and its own filter"({ page, open }) {
    await page.route("**/api/v1/message?*", async (route) => {
      const response = await route.fetch({ maxRetries: 3 });
      const answer = (await response.json()) as FullRow;
      answer.values[".SDATA.origin.ip"] = ["192.0.2.1", "198.51.100.7"];
      await route.fulfill({ response, json: answer });
    });
    await open();
    await page.keyboard.press("j");
    await page.keyboard.press("o");
    const lines = page.locator('.field-table tr[data-field=".SDATA.origin.ip"]');
    await lines.nth(1).waitFor();
    const texts = await lines.locator(".field-value").allTextContents();
    expect(texts.join(" ") === "192.0.2.1 198.51.100.7", texts.join(" | "));
    await lines.nth(1).locator("button[title^=Filter]").click();
    const query = await page.locator(".cm-content").textContent();
    expect(query === ".SDATA.origin.ip:198.51.100.7", String(query));
  },

  async "a comparison shows signs and shares, and says when nothing earlier is there"({ page, open }) {
    await page.route("**/api/v1/search", async (route) => {
      const asked = { ...(route.request().postDataJSON() as object), query: "*" };
      const response = await route.fetch({ maxRetries: 3, postData: JSON.stringify(asked) });
      const answer = (await response.json()) as SearchAnswer;
      answer.table = {
        columns: ["host", "count", "earlier count", "change count"],
        rows: [
          ["gw1", 890, 0, 890],
          ["gw2", 3, 4, -1],
        ],
        more: false,
      };
      await route.fulfill({ response, json: answer });
    });
    // Years before the first message of the test.
    await open("?q=" + encodeURIComponent("* | top host | diff earlier=900w"));
    await page.waitForSelector(".result-table .rise >> text=+890 (new)");
    await page.waitForSelector(".result-table .fall >> text=\u22121 (\u221225 %)");
    await page.waitForSelector(".table-warning >> text=there is nothing earlier to compare with");
  },
};
