// Flows of the views of the search page, of panels that are added to dashboards from it, and of dashboards on a wall.
import type { Page } from "playwright-core";
import type { FlowContext } from "./run.ts";
import { expect, findings, total, urlParameters, waitUntil } from "./steps.ts";

const HEADERS = { "X-Requested-By": "duramen" };

const queryOf = (page: Page): string => urlParameters(page).get("q") ?? "";
const show = (page: Page, view: string): Promise<void> => page.click(`.views .segmented >> text="${view}"`);

/** A window, its theme and its colours, in which nothing may be wrong. */
async function checkWindows(page: Page, what: string): Promise<void> {
  const found: string[] = [];
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce" });
  for (const [width, height] of [
    [1440, 900],
    [720, 450],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide <= width, `${what} is ${wide} px wide in a window of ${width}`);
    found.push(...(await findings(page)));
  }
  await page.emulateMedia({ colorScheme: "dark" });
  found.push(...(await findings(page)));
  await page.emulateMedia({ forcedColors: "active" });
  found.push(...(await findings(page)));
  expect(found.length === 0, `${what}: ${[...new Set(found)].join("; ")}`);
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

export const VIEW_FLOWS: Record<string, (stage: FlowContext) => Promise<void>> = {
  async "views of a result are pipes in the text of its query"({ page, open }) {
    await open();
    const pressed = page.locator(".views [aria-pressed=true]");
    expect((await pressed.textContent()) === "Messages", "a query without pipes shows messages");
    await show(page, "Chart");
    await page.waitForSelector(".result-chart [role=img]");
    expect(queryOf(page).endsWith("* | timechart count()"), `the query is ${queryOf(page)}`);
    for (const [kind, selector] of [
      ["area", ".result-chart .series-area"],
      ["bar", ".result-chart rect.series-fill"],
      ["heat", ".result-chart .heat"],
      ["line", ".result-chart .series-line"],
    ] as const) {
      const options = await page.locator("[aria-label='Form of the chart'] option").count();
      // Hours of the week need intervals of an hour or less.
      if (kind === "heat" && options < 4) continue;
      await page.selectOption("[aria-label='Form of the chart']", kind);
      await page.waitForSelector(selector, { state: "attached" });
      expect(urlParameters(page).get("chart") === kind, `the address is ${page.url()}`);
    }
    // The link shows the same.
    await page.reload();
    await page.waitForSelector(".result-chart .series-line", { state: "attached" });
    await show(page, "Compare");
    await page.waitForSelector(".result-table th >> text=earlier count");
    expect(/\| timechart count\(\) \| diff earlier=\w+$/.test(queryOf(page)), `the query is ${queryOf(page)}`);
    await page.selectOption("[aria-label='Compared with']", "1w");
    await waitUntil("the time is not in the query", async () => queryOf(page).endsWith("diff earlier=1w"));
    await show(page, "Patterns");
    await page.waitForSelector(".result-table th >> text=pattern");
    expect(queryOf(page) === "* | patterns", `the query is ${queryOf(page)}`);
    await show(page, "Table");
    await page.waitForSelector(".result-table th >> text=percent");
    await show(page, "Chart");
    await page.waitForSelector(".result-chart .board-bars li");
    // A bar leads to exactly its messages.
    const first = page.locator(".result-chart .board-bars li").first();
    const count = Number((await first.locator(".board-count").textContent())!.replace(/\D/g, ""));
    await first.locator(".board-bar").click();
    await page.waitForSelector(".list .row[data-index]");
    expect((await total(page)) === count, `${await total(page)} messages, not ${count}`);
    expect((await pressed.textContent()) === "Messages", "the messages of a bar are no messages");
    await page.goBack();
    await page.waitForSelector(".result-chart .board-bars li");
    await show(page, "Messages");
    await page.waitForSelector(".list .row[data-index]");
    expect(queryOf(page) === "*", `the query is ${queryOf(page)}`);
  },

  async "a result is added to a dashboard with two clicks, or with the keyboard"(stage) {
    const { page, settings, open } = stage;
    const panel = {
      id: "a",
      title: "A",
      kind: "number",
      x: 0,
      y: 0,
      w: 3,
      h: 2,
      logspace: "",
      query: "*",
      options: {},
    };
    const spec = { logspace: "", time: { clock: "received", from: settings.range, to: "now" }, panels: [panel] };
    const name = `Wall ${Date.now()}`;
    const made = await page.request.post(`${settings.base}api/v1/objects`, {
      headers: HEADERS,
      data: {
        kind: "dashboard",
        name,
        folder: "",
        description: "",
        tags: [],
        spec: { ...spec, refresh_s: 0, parameters: [] },
      },
    });
    expect(made.ok(), await made.text());
    const { id } = (await made.json()) as { id: string };
    await page.goto(`${settings.base}?q=*%20%7C%20top%20host&chart=pie`);
    await page.waitForSelector(".result-chart .pie-legend li");
    await page.click("text=Add to dashboard");
    await page.click(`.add-to-board .menu >> text=${name}`);
    await page.waitForSelector(".add-to-board >> text=Added to");
    await page.click(`.add-to-board >> text=${name}`);
    await page.waitForSelector(".panel .pie-legend li");
    const read = async (): Promise<{ spec: { panels: { title: string; kind: string; y: number }[] } }> =>
      (await (await page.request.get(`${settings.base}api/v1/objects/${id}`)).json()) as never;
    const { spec: saved } = await read();
    expect(saved.panels.length === 2 && saved.panels[1]!.kind === "pie" && saved.panels[1]!.y === 2, "not below");
    // What the server refuses is said, and nothing is lost.
    await open("?q=*");
    await page.route(`**/api/v1/objects/${id}`, (route) =>
      route.request().method() === "PUT"
        ? route.fulfill({ status: 400, json: { error: { code: "bad_request", message: "at most 40 panels" } } })
        : route.fallback(),
    );
    await page.getByRole("button", { name: "Add to dashboard" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(`.add-to-board .menu >> text=${name}`);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Course of all");
    await checkWindows(page, "the list of dashboards");
    await page.locator(`.add-to-board .menu button:has-text("${name}")`).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".add-to-board [role=alert] >> text=at most 40 panels");
    await page.unroute(`**/api/v1/objects/${id}`);
    await page.locator(`.add-to-board .menu button:has-text("A new dashboard")`).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".add-to-board >> text=Added to");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".add-to-board", { state: "detached" });
    // A session that has ended is asked for again, and the panel is added after it.
    await page.getByRole("button", { name: "Add to dashboard" }).click();
    let isRefused = false;
    await page.route("**/api/v1/objects", (route) => {
      if (isRefused || route.request().method() !== "POST") return route.fallback();
      isRefused = true;
      return route.fulfill({ status: 401, json: { error: { code: "unauthorized", message: "log in first" } } });
    });
    await page.click(`.add-to-board .menu >> text=A new dashboard`);
    await page.waitForSelector("dialog[open] input[name=password]");
    await page.fill("dialog[open] input[name=password]", settings.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".add-to-board >> text=Added to");
    await page.unroute("**/api/v1/objects");
  },

  async "charts of the search page fit every window, and axe finds nothing"({ page, settings }) {
    for (const [view, selector] of [
      ["?q=*%20%7C%20timechart%20count()%20by%20severity&chart=area", ".result-chart .chart-legend"],
      ["?q=*%20%7C%20top%20host&chart=pie", ".result-chart .pie-legend li"],
      ["?q=*%20%7C%20timechart%20count()%20%7C%20diff%20earlier=1d", ".table-frame .result-chart svg"],
    ] as const) {
      await page.goto(`${settings.base}${view}`);
      await page.waitForSelector(selector);
      await checkWindows(page, view);
    }
    // The points of a chart are walked with the arrow keys.
    await page.goto(`${settings.base}?q=*%20%7C%20timechart%20count()&chart=line`);
    const chart = page.locator(".result-chart [role=img]");
    await chart.focus();
    await page.keyboard.press("End");
    await page.waitForSelector(".result-chart .chart-current >> text=:");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".views [aria-pressed=true] >> text=Messages");
  },

  async "charts of a dashboard mark alerts, with a way to those of the rule"(stage) {
    const { page, settings } = stage;
    const panel = (id: string, kind: string, y: number) => {
      return { id, title: id, kind, x: 0, y, w: 12, h: 3, logspace: "main", query: "*", options: {} };
    };
    const spec = { logspace: "main", time: { clock: "received", from: settings.range, to: "now" }, refresh_s: 0 };
    const made = await page.request.post(`${settings.base}api/v1/objects`, {
      headers: HEADERS,
      data: {
        kind: "dashboard",
        name: `Alerts ${Date.now()}`,
        folder: "",
        description: "",
        tags: [],
        spec: { ...spec, parameters: [], panels: [panel("bars", "bar", 0), panel("lines", "line", 3)] },
      },
    });
    expect(made.ok(), await made.text());
    const { id } = (await made.json()) as { id: string };
    const now = Date.now() * 1000;
    const alert = (number: number, rule: string, title: string, ago: number) => ({
      ...{ number, rule, title, logspace: "main", id: `${number}`, version: "", severity: "err", key: {} },
      ...{ state: "firing", began_us: now - ago, sequence: null, ended_us: null, value: null },
      ...{ acknowledged_us: null, acknowledged_by: "", note: "" },
    });
    const minute = 60_000_000;
    // Rights and rules of the server differ; what the page draws does not.
    await page.route("**/api/v1/alerts?*", (route) =>
      route.fulfill({
        json: {
          more: false,
          alerts: [
            alert(4, "ssh", "Failed logins", 2 * minute),
            alert(3, "ssh", "Failed logins", 3 * minute),
            { ...alert(2, "disk", "Disk full", 3 * minute), logspace: "elsewhere" },
            alert(1, "disk", "Disk full", 4_000 * 24 * 60 * minute),
          ],
        },
      }),
    );
    await page.goto(`${settings.base}dashboards/${id}`);
    await page.waitForSelector("[aria-label=lines] .chart-alerts a >> text=Failed logins");
    for (const chart of ["bars", "lines"]) {
      const lines = await page.locator(`[aria-label=${chart}] .chart-alert`).count();
      expect(lines === 2, `${lines} alerts are marked on ${chart}`);
    }
    await checkWindows(page, "charts with alerts");
    await page.locator("[aria-label=lines] .chart-alerts a").focus();
    await page.keyboard.press("Enter");
    await waitUntil("the alerts of the rule are not shown", async () => page.url().includes("/alerts?rule=ssh"));
    await page.unroute("**/api/v1/alerts?*");
  },

  async "a dashboard on a wall has no navigation and refreshes itself"(stage) {
    const { page, settings } = stage;
    await page.goto(`${settings.base}dashboards`);
    await page.click(".board-table >> text=Overview");
    await page.waitForSelector(".panel-number b");
    await page.click(".board-tools >> text=Kiosk");
    await page.waitForSelector(".kiosk-head h1");
    expect(urlParameters(page).get("kiosk") === "1", page.url());
    expect((await page.locator(".nav-rail, .board-tools").count()) === 0, "the navigation is shown on a wall");
    await checkWindows(page, "a dashboard on a wall");
    await page.reload();
    await page.waitForSelector(".kiosk-head >> text=as of");
    await page.waitForSelector(".panel-number b");
    await page.click(".kiosk-head >> text=Leave");
    await page.waitForSelector(".nav-rail");
    expect(urlParameters(page).get("kiosk") === null, page.url());
    expect(
      (await page.inputValue(".board-tools label:has-text('Refresh') select")) !== "0",
      "a dashboard on a wall did not refresh itself",
    );
  },
};
