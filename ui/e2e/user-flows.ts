// Flows of the users: invitations, rights, roles; with the keyboard, after the session has ended, for users with few rights,
// in small and enlarged windows.
import type { Page } from "playwright-core";
import type { FlowContext } from "./run.ts";
import { expect, findings, waitUntil } from "./steps.ts";

const NEW_PASSWORD = "seven sealed segments";

/** A name that no earlier run of the flows has left behind. */
const nameOf = (kind: string): string => `${kind}-${Date.now().toString(36)}`;

async function visit({ page, settings }: FlowContext, tab: "users" | "rights" | "roles" = "users"): Promise<void> {
  await page.goto(`${settings.base}admin/${tab}`);
  await page.waitForSelector(tab === "rights" ? ".matrix tbody tr" : ".cards[aria-busy=false] .card.wide");
}

/** Answers the question for the password of the administrator. */
async function confirm(page: Page, password: string): Promise<void> {
  await page.fill("input[name=confirm]", password);
  await page.keyboard.press("Enter");
}

/** Adds a user and returns the link; the user's details stay open. */
async function addUser({ page, settings }: FlowContext, name: string): Promise<string> {
  await page.fill("form[aria-label='Add a user'] input[name=name]", name);
  await page.keyboard.press("Enter");
  await confirm(page, settings.password);
  const link = (await page.textContent(".copy-line .copy-text"))!;
  await page.waitForSelector(`form[aria-label='Rights of ${name}']`);
  return link;
}

async function removeUser({ page, settings }: FlowContext, name: string): Promise<void> {
  await page.locator(".person-details").getByRole("button", { name: "Remove", exact: true }).click();
  await confirm(page, settings.password);
  await waitUntil(
    `${name} is still listed`,
    async () => (await page.locator(`button[aria-label='Change ${name}']`).count()) === 0,
  );
}

const endSession = (page: Page): Promise<unknown> =>
  page.evaluate(() => fetch("../api/v1/logout", { method: "POST", headers: { "X-Requested-By": "duramen" } }));

export const USER_FLOWS: Record<string, (stage: FlowContext) => Promise<void>> = {
  async "a user is invited, sets a password by the link once, and logs in"(stage) {
    const { page, settings } = stage;
    const name = nameOf("eva");
    await visit(stage);
    await page.fill("form[aria-label='Add a user'] input[name=name]", name);
    await page.keyboard.press("Enter");
    await confirm(page, "certainly wrong");
    await page.waitForSelector("[role=alert] >> text=The password is wrong");
    expect((await page.locator(".session-dialog").count()) === 0, "a wrong password looks like the end of the session");
    await confirm(page, settings.password);
    const link = (await page.textContent(".copy-line .copy-text"))!;
    expect(link.startsWith(`${settings.base}invitation#`), `the link is ${link}`);
    await page.waitForSelector(".person .mark >> text=invited");
    // Another browser, where nobody is logged in.
    const other = await page.context().browser()!.newContext();
    const visitor = await other.newPage();
    try {
      await visitor.goto(link);
      await visitor.waitForSelector(`text=You were invited as ${name}`);
      const found = await findings(visitor);
      expect(found.length === 0, found.join("; "));
      const fill = async (password: string, again: string): Promise<void> => {
        await visitor.fill("input[name=new]", password);
        await visitor.fill("input[name=again]", again);
        await visitor.keyboard.press("Enter");
      };
      await fill(NEW_PASSWORD, "something else");
      await visitor.waitForSelector("[role=alert] >> text=differ");
      await fill("short", "short");
      await visitor.waitForSelector("[role=alert] >> text=/a password has/i");
      await fill(NEW_PASSWORD, NEW_PASSWORD);
      await visitor.waitForSelector("[role=status] >> text=is set");
      await visitor.goto(`${settings.base}`);
      await visitor.goto(link);
      await visitor.waitForSelector("[role=alert] >> text=not valid");
      await visitor.click("text=To the log-in");
      await visitor.waitForSelector("input[name=user]");
      if (!settings.base.includes("/logs/")) {
        await visitor.fill("input[name=user]", name);
        await visitor.fill("input[name=password]", NEW_PASSWORD);
        await visitor.keyboard.press("Enter");
        await visitor.waitForSelector(`header >> text=${name}`);
        const rail = await visitor.textContent(".nav-rail");
        expect(!rail?.includes("Users"), "a user without rights is offered the users");
        // The address of a page that one may not see leads to the search.
        await visitor.goto(`${settings.base}admin/users`);
        await visitor.waitForSelector(`header >> text=${name}`);
        await waitUntil("the users are shown", async () => !visitor.url().includes("/admin/users"));
      }
    } finally {
      await other.close();
    }
    await page.click("text=Done, hide it");
    await page.reload();
    await page.click(`button[aria-label='Change ${name}']`);
    expect(!(await page.content()).includes(link), "the link is shown again");
    expect((await page.locator(".person .mark >> text=invited").count()) === 0, "the invitation was used");
    await removeUser(stage, name);
  },

  async "rights and roles are set with the keyboard, and say where they come from"(stage) {
    const { page, settings } = stage;
    const [user, role] = [nameOf("bob"), nameOf("analyst")];
    await visit(stage, "roles");
    await page.locator("form[aria-label='Make a role'] input[name=name]").focus();
    await page.keyboard.type(role);
    await page.keyboard.press("Enter");
    await page.waitForSelector("input[name=confirm]:focus");
    await page.keyboard.type(settings.password);
    await page.keyboard.press("Enter");
    const grants = page.locator(`form[aria-label='Grants of ${role}']`);
    await grants.getByRole("button", { name: "Add a grant" }).focus();
    await page.keyboard.press("Enter");
    await grants.locator("input[name=logspace]").focus();
    await page.keyboard.type("mai*");
    await grants.getByLabel("export").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.waitForSelector("input[name=confirm]:focus");
    await page.keyboard.type(settings.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector(`.card-what >> text=search, export in mai*`);
    await page.click(".page-tabs >> text=Users");
    await addUser(stage, user);
    await page.click("text=Done, hide it");
    await page.locator(`form[aria-label='Rights of ${user}']`).getByLabel(role).check();
    await page.click("button >> text=Set the rights");
    await confirm(page, settings.password);
    await page.waitForSelector(`[role=status] >> text=The rights of ${user} were set.`);
    await page.click(".page-tabs >> text=Rights");
    const cell = page.getByRole("button", { name: `${user} in main: search, export` });
    await cell.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(`.matrix-why >> text=export: by role ${role} (mai*).`);
    await page.waitForSelector(".matrix-why >> text=administer: no grant.");
    expect(
      (await page.getByRole("button", { name: `${user} in all logspaces: nothing` }).count()) === 1,
      "a part is all",
    );
    // A role that is removed gives nothing any more.
    await page.click(".page-tabs >> text=Roles");
    await page.locator(".person-details").getByRole("button", { name: "Remove", exact: true }).click();
    await confirm(page, settings.password);
    await waitUntil("the role is still there", async () => (await page.locator(`text=${role}`).count()) === 0);
    await page.click(".page-tabs >> text=Rights");
    await page.getByRole("button", { name: `${user} in main: nothing` }).waitFor();
    await page.getByRole("button", { name: `${user}: change the rights` }).click();
    await removeUser(stage, user);
  },

  async "users are locked out and let in, and the last administrator stays"(stage) {
    const { page, settings } = stage;
    const name = nameOf("carol");
    await visit(stage);
    await addUser(stage, name);
    await page.click("text=Done, hide it");
    await page.click("button >> text=Lock out");
    await page.waitForSelector("text=All sessions end at once");
    await confirm(page, settings.password);
    await page.waitForSelector(".person .mark.over >> text=locked out");
    await page.click("button >> text=Let in again");
    await confirm(page, settings.password);
    await page.waitForSelector(`[role=status] >> text=${name} may log in again.`);
    await page.click("button >> text=Link to set a password");
    await page.keyboard.press("Tab");
    await page.click("button >> text=Cancel");
    expect((await page.locator("input[name=confirm]").count()) === 0, "the question is still asked");
    await removeUser(stage, name);
    await page.click(`button[aria-label='Change ${settings.user}']`);
    await page.locator(".person-details").getByRole("button", { name: "Remove", exact: true }).click();
    await confirm(page, settings.password);
    await page.waitForSelector("[role=alert] >> text=Nobody would be left who may administer");
    await page.click("button >> text=Cancel");
    // A name that is no logspace is refused by the server, and what was typed stays.
    const form = page.locator(`form[aria-label='Rights of ${settings.user}']`);
    await form.locator("input[name=logspace]").first().fill("a b");
    await page.click("button >> text=Set the rights");
    await confirm(page, settings.password);
    await page.waitForSelector(".card-outcome.failed:not(:empty)");
    expect((await form.locator("input[name=logspace]").first().inputValue()) === "a b", "what was typed is lost");
  },

  async "the users ask for a log-in when the session has ended, and say when they cannot be shown"(stage) {
    const { page, settings } = stage;
    const name = nameOf("dora");
    await visit(stage);
    await page.fill("form[aria-label='Add a user'] input[name=name]", name);
    await page.keyboard.press("Enter");
    await page.waitForSelector("input[name=confirm]");
    await endSession(page);
    await confirm(page, settings.password);
    await page.fill(".session-dialog[open] input[name=password]", settings.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-dialog", { state: "detached" });
    await page.waitForSelector(".copy-line");
    await removeUser(stage, name);
    // As the server answers somebody whose right was taken meanwhile.
    const refused = {
      error: { code: "forbidden", message: "users and roles are for users who may administer every logspace" },
    };
    await page.route("**/api/v1/users", (route) => route.fulfill({ status: 400, json: refused }));
    await page.reload();
    await page.waitForSelector(".status-message >> text=The users cannot be shown");
    await page.unroute("**/api/v1/users");
    await page.click("text=Try again");
    await page.waitForSelector(".person");
    // As it answers somebody who administers one logspace only.
    await page.route("**/api/v1/session", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), administers: false } });
    });
    await page.goto(`${settings.base}admin/rights`);
    await page.waitForSelector(".nav-rail >> text=Search");
    expect((await page.locator(".nav-rail >> text=Users").count()) === 0, "a page that may not be seen is offered");
    await waitUntil("the rights are shown", async () => !page.url().includes("/admin/"));
  },

  async "the users fit every window, theme and forced colours, and axe finds nothing"(stage) {
    const { page, settings } = stage;
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce" });
    const found: string[] = [];
    for (const tab of ["users", "rights", "roles"] as const) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await visit(stage, tab);
      if (tab === "users") {
        await page.click(`button[aria-label='Change ${settings.user}']`);
        await page.waitForSelector(".person-details");
      } else if (tab === "rights") {
        await page.locator(".matrix-cell").first().click();
      }
      for (const [width, height] of [
        [720, 450],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide <= width, `${tab} is ${wide} px wide in a window of ${width}`);
        const cards = page.locator("main.cards");
        const inner = await cards.evaluate((element) => element.scrollWidth - element.clientWidth);
        expect(inner <= 0, `the cards of ${tab} are ${inner} px too wide in a window of ${width}`);
        found.push(...(await findings(page)));
      }
      for (const [colorScheme, forcedColors] of [
        ["dark", "none"],
        ["dark", "active"],
        ["light", "none"],
      ] as const) {
        await page.emulateMedia({ colorScheme, forcedColors });
        found.push(...(await findings(page)));
      }
    }
    expect(found.length === 0, found.join("; "));
  },
};
