// Flows of dashboards: made and changed with the keyboard, followed to messages, with few rights, after the session has ended,
// in small and enlarged windows.
import type { Page } from "playwright-core";
import type { FlowContext } from "./run.ts";
import { expect, findings, total, urlParameters, waitUntil } from "./steps.ts";

const HEADERS = { "X-Requested-By": "duramen" };

interface Saved {
  id: string;
  revision: number;
  spec: { panels: { id: string; title: string; x: number; y: number; w: number; h: number; query: string }[] };
}

const panel = (id: string, title: string, kind: string, at: [number, number, number, number], query: string) => {
  const [x, y, w, h] = at;
  return { id, title, kind, x, y, w, h, logspace: "", query, options: {} };
};

/** Saves a dashboard with panels of most kinds, and opens it. */
async function board({ page, settings }: FlowContext, name: string, more: object[] = []): Promise<string> {
  const spec = {
    logspace: "",
    time: { clock: "received", from: settings.range, to: "now" },
    refresh_s: 0,
    parameters: [{ name: "host", title: "Host", type: "text", default: "" }],
    panels: [
      panel("all", "All messages", "number", [0, 0, 3, 2], "host:${host}"),
      panel("course", "Course", "bar", [3, 0, 9, 3], "host:${host}"),
      panel("hosts", "Hosts", "bar", [0, 3, 6, 4], "host:${host} | top 5 host"),
      panel("programs", "Programs", "pie", [6, 3, 6, 4], "host:${host} | top 20 program"),
      panel("last", "Last", "messages", [0, 7, 12, 3], "host:${host}"),
      ...more,
    ],
  };
  const body = { kind: "dashboard", name: `${name} ${Date.now()}`, folder: "", description: "", tags: [], spec };
  const made = await page.request.post(`${settings.base}api/v1/objects`, { headers: HEADERS, data: body });
  expect(made.status() === 201, `the dashboard is refused: ${await made.text()}`);
  const { id } = (await made.json()) as Saved;
  await page.goto(`${settings.base}dashboards/${id}`);
  await page.waitForSelector(".panel-number b");
  return id;
}

async function saved({ page, settings }: FlowContext, id: string): Promise<Saved> {
  return (await (await page.request.get(`${settings.base}api/v1/objects/${id}`)).json()) as Saved;
}

const number = async (page: Page): Promise<number> =>
  Number((await page.textContent(".panel-number b"))?.replace(/\D/g, "") ?? NaN);

export const DASHBOARD_FLOWS: Record<string, (stage: FlowContext) => Promise<void>> = {
  async "a dashboard is made, changed and saved with the keyboard alone"(stage) {
    const { page, open } = stage;
    await open("?q=*");
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.waitForSelector(".board-table");
    expect(
      (await page.locator(".board-table >> text=built in").count()) >= 4,
      "the dashboards of the server are missing",
    );
    await page.locator(".page-filters >> text=New").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".panel-number b");
    const id = new URL(page.url()).pathname.split("/").at(-1)!;
    await page
      .getByRole("button", { name: "Edit the dashboard" })
      .or(page.locator(".board-tools >> text=Edit"))
      .first()
      .focus();
    await page.keyboard.press("Enter");
    await page.locator(".edit-bar >> text=Add panel").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.type("Loud hosts");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".board-bars");
    await page.getByRole("button", { name: "Move Loud hosts: arrow keys; with Shift they resize" }).focus();
    for (const key of ["ArrowUp", "ArrowUp", "ArrowRight", "Shift+ArrowLeft"]) await page.keyboard.press(key);
    await page.locator(".edit-bar >> text=Save").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".edit-bar", { state: "detached" });
    const { revision, spec } = await saved(stage, id);
    const { x, y, w, query } = spec.panels.find(({ title }) => title === "Loud hosts")!;
    expect(revision === 2 && x === 1 && y === 0 && w === 5, `version ${revision}, at ${x}, ${y}, ${w} wide`);
    expect(query === "* | top 10 host", query);
    await page.reload();
    await page.waitForSelector(".board-bars");
  },

  async "values, marks and parameters of a dashboard lead to exactly their messages"(stage) {
    const { page } = stage;
    await board(stage, "Doors");
    const all = await number(page);
    expect(all > 0, "there are no messages");
    const first = page.locator(".board-bars li").first();
    const host = (await first.locator(".link-button").textContent())!.trim();
    const count = Number((await first.locator(".board-count").textContent())!.replace(/\D/g, ""));
    await first.locator(".board-bar").click();
    await page.waitForSelector(".list .row[data-index]");
    expect(urlParameters(page).get("q")!.includes(`host:"${host}"`), `the query is ${urlParameters(page).get("q")}`);
    expect((await total(page)) === count, `${await total(page)} messages, not ${count}`);
    await page.goBack();
    await page.waitForSelector(".board-bars li");
    await page.locator(".board-bars li").first().locator(".link-button").click();
    await page.waitForSelector(".board-filters .chip");
    expect(urlParameters(page).get("f.host") === host, `the address is ${page.url()}`);
    await waitUntil("the filter is not applied", async () => {
      const shown = await number(page);
      return shown > 0 && (shown < all || (await page.locator(".board-bars li").count()) === 1);
    });
    await page.click(".board-filters .chip");
    await waitUntil("the filter is not removed", async () => (await number(page)) >= all);
    await page.fill(".board-field:has-text('Host') input", 'nobody" OR host:"*');
    await page.keyboard.press("Enter");
    await waitUntil("a value has changed the query", async () => (await number(page)) === 0);
    expect(urlParameters(page).get("v.host") === 'nobody" OR host:"*', page.url());
    await page.fill(".board-field:has-text('Host') input", host);
    await page.keyboard.press("Enter");
    await waitUntil("the parameter is not applied", async () => (await number(page)) >= count);
    // The points of a chart are walked with the arrow keys.
    const chart = page.locator("[aria-label='Course'] [role=img]");
    expect(/bars over time, 60 points/.test((await chart.getAttribute("aria-label"))!), "the chart has no sentence");
    await chart.focus();
    await page.keyboard.press("End");
    await page.waitForSelector("[aria-label='Course'] .chart-current >> text=:");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".result-count");
  },

  async "of two people who change a dashboard the second one sees it"(stage) {
    const { page, settings } = stage;
    const id = await board(stage, "Two");
    await page.locator(".board-tools >> text=Edit").click();
    const before = await saved(stage, id);
    const body = { ...before, kind: "dashboard", folder: "", description: "other", tags: [] } as Record<
      string,
      unknown
    >;
    const kept = Object.fromEntries(
      ["kind", "name", "folder", "description", "tags", "spec"].map((name) => [name, body[name]]),
    );
    const other = await page.request.put(`${settings.base}api/v1/objects/${id}`, {
      headers: { ...HEADERS, "If-Match": `"${before.revision}"` },
      data: kept,
    });
    expect(other.ok(), await other.text());
    await page.locator(".edit-bar >> text=Save").click();
    await page.waitForSelector(".edit-bar [role=alert] >> text=has saved version 2 meanwhile");
    await page.click("text=Save mine after it");
    await page.waitForSelector(".edit-bar", { state: "detached" });
    expect((await saved(stage, id)).revision === 3, "the draft is not saved as the next version");
  },

  async "dashboards without a right, without a session and without a server say so"(stage) {
    const { page, settings } = stage;
    const id = await board(stage, "Troubles", [
      { ...panel("none", "Elsewhere", "number", [0, 20, 3, 2], "*"), logspace: "nothing-of-mine" },
    ]);
    if (!settings.base.includes("/logs/"))
      await page.waitForSelector("[aria-label='Elsewhere'] >> text=needs the right to search nothing-of-mine");
    const run = `**/api/v1/dashboards/${id}/run`;
    await page.route(run, (route) => route.abort());
    await page.click("[aria-label='Search again']");
    await page.waitForSelector("[role=alert] >> text=does not answer");
    await page.waitForSelector(".panel.stale .panel-error >> text=The figures are of");
    expect((await number(page)) > 0, "the last figure is gone");
    await page.unroute(run);
    await page.click("[aria-label='Search again']");
    await page.waitForSelector(".panel.stale", { state: "detached" });
    await page.route(run, (route) =>
      route.fulfill({ status: 401, json: { error: { code: "unauthorized", message: "log in first" } } }),
    );
    await page.click("[aria-label='Search again']");
    await page.waitForSelector("dialog[open] input[name=password]");
    expect((await number(page)) > 0, "the figures are gone with the session");
    await page.unroute(run);
    await page.fill("dialog[open] input[name=password]", settings.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]", { state: "detached" });
    await waitUntil("nothing is searched after the login", async () => (await number(page)) > 0);
    await page.route(run, (route) =>
      route.fulfill({
        status: 403,
        json: { error: { code: "forbidden", message: "eva needs the right to search a logspace" } },
      }),
    );
    await page.click("[aria-label='Search again']");
    await page.waitForSelector("[role=alert] >> text=needs the right to search");
    expect((await page.locator(".panel-number b").count()) === 0, "figures stay after the right is gone");
    await page.unroute(run);
  },

  async "dashboards fit every window, theme and forced colours, and axe finds nothing"(stage) {
    const { page, settings } = stage;
    const id = await board(stage, "Windows");
    for (const address of ["dashboards", `dashboards/${id}`]) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce" });
      await page.goto(`${settings.base}${address}`);
      await page.waitForSelector(address === "dashboards" ? ".board-table" : ".pie-legend li");
      const found = await findings(page);
      if (address !== "dashboards") {
        await page.locator(".board-tools >> text=Edit").click();
        found.push(...(await findings(page)));
        await page.locator(".edit-bar >> text=Cancel").click();
      }
      for (const [width, height] of [
        [720, 450],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        const wider = await page.evaluate(() =>
          [...document.querySelectorAll("body *")]
            .filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5)
            .map(
              (node) =>
                `${node.getAttribute("class") ?? node.tagName} ${node.textContent?.slice(0, 20)} ${node.parentElement?.className}`,
            )
            .slice(0, 8)
            .join(", "),
        );
        expect(wide <= width, `${address} is ${wide} px wide in a window of ${width}: ${wider}`);
        found.push(...(await findings(page)));
      }
      await page.emulateMedia({ colorScheme: "dark" });
      found.push(...(await findings(page)));
      await page.emulateMedia({ forcedColors: "active" });
      found.push(...(await findings(page)));
      expect(found.length === 0, `${address}: ${[...new Set(found)].join("; ")}`);
    }
  },
};
