// Flows of alerts and rules: with the keyboard, across pages, with few rights, after the session has ended, in small and
// enlarged windows.
import type { Page } from "playwright-core";
import type { FlowContext } from "./run.ts";
import { expect, findings, total, urlParameters, waitUntil } from "./steps.ts";

const path = (page: Page): string => new URL(page.url()).pathname;

/** Opens an address below the root of the page, and waits for rows. */
async function visit({ page, settings }: FlowContext, address: string): Promise<void> {
  await page.goto(`${settings.base}${address}`);
  await page.waitForSelector(".alert-open");
}

/** The number of messages that match, as the bars say it to readers of screens. */
async function matchedTotal(page: Page): Promise<number> {
  const label = await page.getAttribute(".draft-check svg[aria-label^='Messages']", "aria-label");
  return Number(/: ([^;]*);/.exec(label ?? "")?.[1]?.replace(/\D/g, "") ?? NaN);
}

/** How often the rule that is written would have fired. */
async function fired(page: Page): Promise<number> {
  return Number((await page.textContent(".draft-verdict b"))?.replace(/\D/g, "") ?? NaN);
}

/** Deletes the rule that is open. */
async function remove(page: Page): Promise<void> {
  await page.click(".alert-pane >> text=Delete");
  await page.click(".alert-pane >> text=Delete it");
  await page.waitForSelector(".alert-pane", { state: "detached" });
}

/** Has the page ask the server at once, as it does when somebody returns to it. */
const readAgain = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

export const ALERT_FLOWS: Record<string, (stage: FlowContext) => Promise<void>> = {
  async "an alert is read, acknowledged and followed to its message with the keyboard"({ page, open }) {
    await open("?q=*");
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.waitForSelector(".alert-open");
    expect(path(page).endsWith("/alerts"), `g a leads to ${path(page)}`);
    await page.click("button:has-text('Occurred')");
    await page.waitForSelector(".state-occurred:not(.known) .alert-open");
    expect((await page.locator(".state-firing").count()) === 0, "alerts in another state are shown");
    await page.keyboard.press("j");
    await waitUntil("j does not go to a row", () =>
      page.evaluate(() => document.activeElement?.className === "alert-open"),
    );
    await page.locator(".state-occurred:not(.known) .alert-open").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".alert-pane .alert-messages");
    const number = urlParameters(page).get("open");
    expect(number !== null, "the address does not name the alert");
    await page.keyboard.press("a");
    await page.waitForSelector(".notice.on >> text=acknowledged");
    await page.waitForSelector(".alert-pane .acknowledge >> text=Acknowledged by");
    await page.waitForSelector(".alert-pane .coverage >> text=without a gap");
    await page.waitForSelector(".alert-pane .bar-strip svg");
    await page.locator(".alert-messages").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".list .row[data-index]");
    await page.waitForSelector(".pane-message");
    expect((await total(page)) >= 1, "the messages of the alert are not found");
    await page.goBack();
    await page.waitForSelector(".alert-pane");
    expect(urlParameters(page).get("open") === number, "another alert is open after a step back");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".alert-pane", { state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForSelector(".list .row[data-index]");
    expect(urlParameters(page).get("o") === null && path(page).endsWith("/"), `g s leads to ${page.url()}`);
  },

  async "a rule says what it looks for, what it has evaluated and what it reported"(stage) {
    const { page, settings } = stage;
    await visit(stage, "alerts/rules");
    const all = await page.locator(".rule-row").count();
    const title = (await page.textContent(".rule-row .alert-title"))!;
    await page.fill("input[type=search]", title.toUpperCase());
    await waitUntil("the list is not narrowed", async () => (await page.locator(".rule-row").count()) < all);
    await page.click(".rule-row .alert-open");
    await page.waitForSelector(".alert-pane .coverage >> text=/Evaluated #\\d/");
    await page.click(".alert-pane >> text=Its alerts");
    await page.waitForSelector(".page-filters >> text=of ");
    const rule = urlParameters(page).get("rule");
    expect(rule !== null && path(page).endsWith("/alerts"), `the alerts of the rule are at ${page.url()}`);
    await page.goto(`${settings.base}alerts/rules`);
    await page.waitForSelector(".rule-row");
    await page.fill("input[type=search]", "no rule has this text");
    await page.click("text=Show all rules");
    await waitUntil("not all rules are back", async () => (await page.locator(".rule-row").count()) === all);
    for (const address of ["alerts/", "alerts/none", "rules"]) {
      const answer = await page.request.get(`${settings.base}${address}`);
      expect(answer.status() === 404, `${address} answers ${answer.status()}`);
    }
  },

  async "a search becomes a rule that watches, in two clicks"({ page, open }) {
    await open("?q=failed");
    const name = "failed";
    await page.click(".result-toolbar >> text=Alert");
    await page.waitForSelector(".draft-verdict");
    expect(urlParameters(page).get("q") === "failed", "the rule does not have the query");
    // The number is filled in: with it the rule would seldom have fired.
    const save = page.locator(".draft-save button:has-text('Save')");
    await waitUntil("the rule cannot be saved", async () => !(await save.isDisabled()));
    expect((await fired(page)) <= 7, `it would have fired ${await fired(page)} times in a week`);
    await save.click();
    await page.waitForSelector(".alert-pane h2");
    expect(path(page).endsWith("/alerts/rules"), `the rule is saved, and the page is ${page.url()}`);
    expect((await page.textContent(".alert-pane h2")) === name, "another rule is open");
    await page.waitForSelector(".alert-pane .coverage >> text=/Evaluated|not evaluated|No message/i");
    await remove(page);
  },

  async "a saved rule is changed, switched off and deleted, and somebody else is not overwritten"({ page, settings }) {
    await page.goto(`${settings.base}alerts/new?q=failed&title=Rule+of+a+flow&kind=match&by=`);
    const save = page.locator(".draft-save button:has-text('Save')");
    // Each message fires: more than a hundred a day are saved only by those who want them.
    await waitUntil("a rule for each message fires seldom", async () => (await fired(page)) > 50);
    await waitUntil("not each message fires", async () => (await fired(page)) === (await matchedTotal(page)));
    if (await page.locator(".draft-confirm input").count()) {
      expect(await save.isDisabled(), "a loud rule is saved without a question");
      await page.check(".draft-confirm input");
    }
    await page.fill(".draft-form input >> nth=0", '"open');
    await page.waitForSelector(".draft-check [role=alert]");
    expect(await save.isDisabled(), "a rule with an error can be saved");
    await page.fill(".draft-form input >> nth=0", "failed");
    await page.waitForSelector(".draft-check [role=alert]", { state: "detached" });
    await page.selectOption(".draft-form select >> nth=1", "not-followed");
    await page.fill(".draft-field:has-text('The other message matches') input", "accepted");
    await page.fill(".draft-field:has-text('Further keys') textarea", "forget-after: 2d");
    await waitUntil("the rule cannot be saved", async () => !(await save.isDisabled()));
    await page.emulateMedia({ reducedMotion: "reduce" });
    // While the check is repeated, the earlier one is dimmed.
    let found: string[] = [];
    await waitUntil("axe finds nothing", async () => {
      await page.waitForSelector(".draft-check:not(.stale)");
      found = await findings(page);
      return found.length === 0 || (await page.locator(".draft-check.stale").count()) === 0;
    });
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide <= 390, `the page is ${wide} px wide in a window of 390`);
    expect(found.length === 0, found.join("; "));
    await page.setViewportSize({ width: 1440, height: 900 });
    await save.click();
    await page.waitForSelector(".alert-pane h2 >> text=Rule of a flow");
    found.push(...(await findings(page)));
    expect(found.length === 0, found.join("; "));

    // Two editors: the second one gets both states.
    await page.click(".alert-pane >> text=Change");
    await page.waitForSelector(".draft-left h2 >> text=Change Rule of a flow");
    await waitUntil("the further keys are not there", async () => {
      return (await page.inputValue(".draft-field:has-text('Further keys') textarea")) === "forget-after: 2d";
    });
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.waitForSelector(".draft-left h2 >> text=Change Rule of a flow");
    await other.fill(".draft-field:has-text('Title') input", "Rule of another");
    const saveOther = other.locator(".draft-save button:has-text('Save')");
    await waitUntil("the other one cannot be saved", async () => !(await saveOther.isDisabled()));
    await saveOther.click();
    await other.waitForSelector(".alert-pane h2 >> text=Rule of another");
    await other.close();
    await waitUntil("the rule cannot be saved", async () => !(await save.isDisabled()));
    await save.click();
    await page.waitForSelector(".draft-save [role=alert] >> text=has changed this rule meanwhile");
    await page.click("text=Show theirs");
    await page.waitForSelector(".draft-left h2 >> text=Change Rule of another");
    await waitUntil("the rule cannot be saved", async () => !(await save.isDisabled()));
    await save.click();
    await page.waitForSelector(".alert-pane h2 >> text=Rule of another");

    await page.click(".alert-pane >> text=Switch off");
    await page.waitForSelector(".rule-row .coverage >> text=switched off");
    await page.click(".alert-pane >> text=Switch on");
    await page.waitForSelector(".rule-row .coverage >> text=switched off", { state: "detached" });
    await page.click(".alert-pane >> text=Duplicate");
    await page.waitForSelector(".draft-left h2 >> text=New rule");
    await waitUntil("the copy has no name of its own", async () => {
      return (await page.inputValue(".draft-field:has-text('Title') input")) === "Rule of another (copy)";
    });
    await page.goBack();
    await page.waitForSelector(".alert-pane h2 >> text=Rule of another");
    await remove(page);
    expect((await page.locator(".rule-row >> text=Rule of another").count()) === 0, "a deleted rule is listed");
  },

  async "the alerts fit every window, theme and forced colours, and axe finds nothing"(stage) {
    const { page } = stage;
    for (const address of ["alerts", "alerts/rules"]) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce" });
      await visit(stage, address);
      await page.click(".alert-open");
      await page.waitForSelector(".alert-pane .coverage");
      const found = await findings(page);
      for (const [width, height] of [
        [640, 400],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide <= width, `${address} is ${wide} px wide in a window of ${width}`);
        const rail = (await page.locator(".nav-rail").boundingBox())!;
        expect(rail.y + rail.height <= height + 1 && rail.y > height / 2, `the bar of pages is at ${rail.y}`);
        const pane = (await page.locator(".alert-pane").boundingBox())!;
        expect(pane.width > width * 0.9, `the pane is ${pane.width} px wide in a window of ${width}`);
      }
      await page.keyboard.press("Escape");
      await page.waitForSelector(".alert-open");
      await page.emulateMedia({ colorScheme: "dark", forcedColors: address === "alerts" ? "none" : "active" });
      found.push(...(await findings(page)));
      expect(found.length === 0, `${address}: ${found.join("; ")}`);
    }
  },

  async "alerts without a right, without a session and without a server say so"(stage) {
    const { page, settings } = stage;
    await visit(stage, "alerts");
    await page.route("**/api/v1/alerts?*", (route) =>
      route.fulfill({ status: 401, json: { error: { code: "unauthorized", message: "log in first" } } }),
    );
    await readAgain(page);
    await page.waitForSelector("header .session-over");
    expect((await page.locator(".alert-open").count()) > 0, "the alerts are gone with the session");
    await page.unroute("**/api/v1/alerts?*");
    await page.click("header .session-over");
    await page.waitForSelector("dialog[open] input[name=password]");
    await page.fill("dialog[open] input[name=password]", settings.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector("header .session-over", { state: "detached" });
    await page.route("**/api/v1/alerts?*", (route) => route.abort());
    await readAgain(page);
    await page.waitForSelector("[role=alert] >> text=does not answer");
    await page.unroute("**/api/v1/alerts?*");
    await readAgain(page);
    await page.waitForSelector(".alert-column [role=alert]", { state: "detached" });
    // As the server answers somebody who may search nothing.
    await page.route("**/api/v1/session", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), may: [] } });
    });
    await page.goto(`${settings.base}alerts`);
    await page.waitForSelector(".search-bar");
    expect(path(page).endsWith("/"), `who may see no alerts is at ${page.url()}`);
    expect((await page.locator(".nav-rail >> text=Alerts").count()) === 0, "a page that may not be seen is offered");
  },
};
