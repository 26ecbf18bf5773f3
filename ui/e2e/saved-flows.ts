// Flows of saved searches: with the keyboard, with a second author, with few rights, on small and enlarged windows.
import axe from "axe-core";
import type { Page } from "playwright-core";
import type { SavedSearch } from "../src/api/objects.ts";
import type { FlowContext } from "./run.ts";
import { expect, total, typeQuery, urlParameters, waitUntil } from "./steps.ts";

let made = 0;
/** A name that no other run has used. */
const freshName = (): string => `Flow ${Date.now().toString(36)} ${++made}`;

/** Saves the search on the screen with the keyboard. */
async function save(page: Page, name: string, folder = ""): Promise<void> {
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  await page.waitForSelector("dialog[open] input[name=name]");
  await page.keyboard.type(name);
  await page.keyboard.press("Tab");
  await page.keyboard.type(folder);
  await page.keyboard.press("Enter");
  await page.waitForSelector(`.notice.on >> text=${name} saved`);
  await page.waitForSelector("dialog[open]", { state: "detached" });
}

/** Calls the API as the user of the page. */
const call = (page: Page, method: string, path: string, body?: unknown): Promise<SavedSearch> =>
  page.evaluate(
    async ([method, path, body]) => {
      const headers = { "Content-Type": "application/json", "X-Requested-By": "duramen", "If-Match": "*" };
      const request = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`api/v1/${path}`, { method: method, headers, ...request });
      return (await answer.json()) as SavedSearch;
    },
    [method, path, body] as const,
  );

const openMenu = async (page: Page): Promise<void> => {
  await page.keyboard.press("Escape");
  await page.keyboard.press("b");
  await page.waitForSelector("[role=dialog][aria-label='Saved searches'] input:focus");
};

export const SAVED_FLOWS: Record<string, (stage: FlowContext) => Promise<void>> = {
  async "a search is saved, changed and opened again with the keyboard"({ page, open }) {
    await open();
    const name = freshName();
    await typeQuery(page, "failed");
    await waitUntil("the query is not in the URL", async () => urlParameters(page).get("q") === "failed");
    await save(page, name, "Flows/Keyboard");
    const id = urlParameters(page).get("o")!;
    expect(id !== null, "the URL does not name the saved search");
    expect((await page.title()).startsWith(name), `the title is ${await page.title()}`);
    await typeQuery(page, "failed AND *a*");
    await page.waitForSelector("text=changed");
    await page.keyboard.press("Escape");
    await page.keyboard.press("s");
    await page.waitForSelector(`.notice.on >> text=${name} saved`);
    await page.waitForSelector("button:has-text('changed')", { state: "detached" });
    const kept = await call(page, "GET", `objects/${id}`);
    expect(kept.spec.query === "failed AND *a*" && kept.revision === 2, `kept: ${JSON.stringify(kept.spec)}`);
    await open();
    await openMenu(page);
    await page.keyboard.type(name.toUpperCase());
    await page.waitForSelector(`[role=dialog] li >> text=${name}`);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await waitUntil("the search is not opened", async () => urlParameters(page).get("o") === id);
    expect(urlParameters(page).get("q") === "failed AND *a*", "another query is opened");
    await page.goBack();
    await waitUntil("back keeps the search open", async () => urlParameters(page).get("o") === null);
    await page.waitForSelector("button:has-text('Saved')");
  },

  async "the link of a saved search opens it, also for a guest who logs in"({ page, settings, open }) {
    await open();
    await typeQuery(page, "failed");
    const name = freshName();
    await waitUntil("the query is not in the URL", async () => urlParameters(page).get("q") === "failed");
    await save(page, name);
    const id = urlParameters(page).get("o")!;
    const other = await page.context().browser()!.newContext({ ignoreHTTPSErrors: true });
    const guest = await other.newPage();
    await guest.goto(`${settings.base}o/${id}`);
    await guest.fill("input[name=user]", settings.user);
    await guest.fill("input[name=password]", settings.password);
    await guest.keyboard.press("Enter");
    await guest.waitForSelector(`header >> text=${name}`);
    await waitUntil("the link has no query", async () => urlParameters(guest).get("q") === "failed");
    expect((await total(guest)) > 0, "the link finds nothing");
    await guest.goto(`${settings.base}o/nothing-of-that-name`);
    await guest.waitForSelector(".notice.on >> text=There is no such saved search");
    await guest.waitForSelector(".list .row[data-index], .status-message");
    await other.close();
  },

  async "who is slower sees both states and overwrites nothing by accident"({ page, open }) {
    await open();
    const name = freshName();
    await save(page, name);
    const id = urlParameters(page).get("o")!;
    const theirs = await call(page, "GET", `objects/${id}`);
    const { description, folder, tags, spec } = theirs;
    const content = { kind: "search", name, description, folder, tags, spec: { ...spec, query: "theirs" } };
    await call(page, "PUT", `objects/${id}`, content);
    await typeQuery(page, "failed");
    await page.waitForSelector("text=changed");
    await page.keyboard.press("Escape");
    await page.keyboard.press("s");
    await page.waitForSelector("dialog[open] >> text=meanwhile");
    const shown = (await page.textContent("dialog[open] table")) ?? "";
    expect(shown.includes("failed") && shown.includes("theirs"), `not both: ${shown}`);
    await page.keyboard.press("Escape");
    expect((await call(page, "GET", `objects/${id}`)).spec.query === "theirs", "Escape overwrote it");
    await page.keyboard.press("s");
    await page.click("dialog[open] >> text=Overwrite with mine");
    // The notice of the first save may still be there.
    await waitUntil(
      "mine is not written",
      async () => (await call(page, "GET", `objects/${id}`)).spec.query === "failed",
    );
    await page.waitForSelector(`.notice.on >> text=${name} saved`);
  },

  async "a saved search is renamed, shared, deleted and restored"({ page, open }) {
    await open();
    const name = freshName();
    await save(page, name);
    const id = urlParameters(page).get("o")!;
    await openMenu(page);
    await page.click("[role=dialog] >> text=Rename, folder, tags");
    await page.waitForSelector("dialog[open] input[name=name]:focus");
    await page.keyboard.type(`${name} again`);
    await page.keyboard.press("Enter");
    await page.waitForSelector(`header >> text=${name} again`);
    await openMenu(page);
    await page.click("[role=dialog] >> text=Share");
    await page.selectOption("dialog[open] select", "edit");
    await page.fill("dialog[open] input[name=user]", "nobody-of-that-name");
    await page.keyboard.press("Enter");
    await page.click("dialog[open] button:has-text('Share')");
    await page.waitForSelector("dialog[open] >> text=there is no user");
    await page.click("dialog[open] button[aria-label='Remove nobody-of-that-name']");
    await page.click("dialog[open] button:has-text('Share')");
    await page.waitForSelector("dialog[open]", { state: "detached" });
    const shared = await call(page, "GET", `objects/${id}`);
    expect(JSON.stringify(shared.acl) === '[{"principal":"everyone","level":"edit"}]', JSON.stringify(shared.acl));
    await openMenu(page);
    await page.click("[role=dialog] >> text=Delete\u2026");
    await page.click("dialog[open] button:has-text('Delete')");
    await waitUntil("the deleted search stays open", async () => urlParameters(page).get("o") === null);
    await openMenu(page);
    await page.click("[role=dialog] >> text=Deleted searches");
    await page.click(`[role=dialog] >> text=Restore ${name} again`);
    await page.waitForSelector(`.notice.on >> text=${name} again restored`);
    expect((await call(page, "GET", `objects/${id}`)).deleted_us === undefined, "it is not restored");
  },

  async "an earlier version of a saved search is looked at and brought back"({ page, open }) {
    await open();
    const name = freshName();
    await typeQuery(page, "failed");
    await waitUntil("the query is not in the URL", async () => urlParameters(page).get("q") === "failed");
    await save(page, name);
    const id = urlParameters(page).get("o")!;
    await typeQuery(page, "failed AND *a*");
    await page.waitForSelector("text=changed");
    await page.keyboard.press("Escape");
    await page.keyboard.press("s");
    await page.waitForSelector(`.notice.on >> text=${name} saved`);
    await openMenu(page);
    await page.click("[role=dialog] >> text=Rename, folder, tags");
    await page.fill("dialog[open] input[name=tags]", "vpn, ssh");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]", { state: "detached" });
    expect((await call(page, "GET", `objects/${id}`)).tags.join(" ") === "ssh vpn", "the tags are not kept");
    await openMenu(page);
    await page.waitForSelector("[role=dialog] .saved-tags >> text=ssh");
    await page.click("[role=dialog] >> text=Versions");
    await page.waitForSelector("dialog[open] .version-entry >> nth=2");
    await page.locator("dialog[open] .version-entry").last().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open] table");
    const shown = (await page.textContent("dialog[open] table")) ?? "";
    expect(shown.includes("failed AND *a*") && shown.includes("ssh, vpn"), `the differences are not shown: ${shown}`);
    await page.click("dialog[open] >> text=Bring version 1 back");
    await page.waitForSelector(`.notice.on >> text=${name} is as it was at version 1`);
    await waitUntil("the view is not as it was", async () => urlParameters(page).get("q") === "failed");
    const back = await call(page, "GET", `objects/${id}`);
    expect(back.spec.query === "failed" && back.revision === 4, `back: ${JSON.stringify(back.spec)} ${back.revision}`);
  },

  async "a saved search is given to another owner"({ page, open, settings }) {
    await open();
    await save(page, freshName());
    const id = urlParameters(page).get("o")!;
    await openMenu(page);
    await page.click("[role=dialog] >> text=Share");
    await page.fill("dialog[open] input[name=owner]", "nobody-of-that-name");
    await page.click("dialog[open] button:has-text('Give away')");
    await page.waitForSelector("dialog[open] >> text=there is no user");
    await page.fill("dialog[open] input[name=owner]", settings.user);
    await page.click("dialog[open] button:has-text('Give away')");
    await page.waitForSelector("dialog[open]", { state: "detached" });
    const given = await call(page, "GET", `objects/${id}`);
    expect(given.owner === settings.user, `it is ${given.owner}'s`);
  },

  async "what may not be done with a saved search is disabled, with the reason"({ page, open }) {
    await open();
    const name = freshName();
    await save(page, name);
    const id = urlParameters(page).get("o")!;
    // As the server answers somebody else, with whom the search is shared to view.
    await page.route(`**/api/v1/objects/${id}`, async (route) => {
      const answer = await route.fetch();
      const seen = (await answer.json()) as Record<string, unknown>;
      await route.fulfill({ response: answer, json: { ...seen, owner: "bob", level: "view", acl: undefined } });
    });
    await page.reload();
    await page.waitForSelector(`header >> text=${name}`);
    await page.keyboard.press("w");
    await page.waitForSelector("text=changed");
    await openMenu(page);
    for (const text of ["Save", "Rename, folder, tags\u2026", "Share\u2026", "Delete\u2026"]) {
      const entry = page.locator("[role=dialog] li button").filter({ hasText: text }).first();
      expect(await entry.isDisabled(), `${text} is not disabled`);
      const said = (await entry.textContent()) ?? "";
      expect(said.includes("needs edit: ask bob"), `${text} gives no reason: ${said}`);
    }
    await page.keyboard.press("Escape");
    await page.keyboard.press("s");
    await page.waitForSelector("dialog[open] input[name=name]");
    expect((await page.textContent("dialog[open] h2")) === "Save the search", "s does not offer a search of one's own");
  },

  async "the menu of saved searches fits a phone, an enlarged window and forced colours"({ page, open }) {
    await open();
    await save(page, `${freshName()} with a name that is longer than what a small window has space for`, "A/Folder");
    for (const [width, height] of [
      [390, 844],
      [640, 400],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await openMenu(page);
      const box = (await page.locator("[role=dialog][aria-label='Saved searches']").boundingBox())!;
      expect(box.x >= 0 && box.x + box.width <= width, `at ${width} px the menu is at ${box.x} + ${box.width}`);
      expect(box.y + box.height <= height, `at ${height} px the menu ends at ${box.y + box.height}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide <= width, `the page is ${wide} px wide in a window of ${width}`);
      await page.keyboard.press("Escape");
    }
    await page.emulateMedia({ forcedColors: "active" });
    await openMenu(page);
    await page.evaluate(axe.source);
    const findings = await page.evaluate(async () => {
      const run = (globalThis as unknown as { axe: typeof axe }).axe;
      const { violations } = await run.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        // Colours are the system's here.
        rules: { "color-contrast": { enabled: false } },
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
    });
    expect(findings.length === 0, findings.join("; "));
  },
};
