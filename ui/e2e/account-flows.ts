// Flows of the profile: sessions, API tokens, the password; with the keyboard, after the session has ended, in small and
// enlarged windows.
import { createHmac } from "node:crypto";
import type { Page } from "playwright-core";
import type { FlowContext } from "./run.ts";
import { expect, findings, waitUntil } from "./steps.ts";

const ANOTHER_PASSWORD = "seven sealed segments";

async function visitProfile({ page, settings }: FlowContext): Promise<void> {
  await page.goto(`${settings.base}profile`);
  await page.waitForSelector(".card-row .mark >> text=this session");
}

/** Opens a session beside that of the page, as another browser would; returns the cookie. */
async function logInElsewhere({ page, settings }: FlowContext): Promise<string> {
  const { user, password, base } = settings;
  const answer = await fetch(`${base}api/v1/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Requested-By": "duramen", "User-Agent": "another browser" },
    body: JSON.stringify({ user, password }),
  });
  expect(answer.ok, `the other log-in was refused: ${answer.status}`);
  await page.reload();
  return answer.headers.get("Set-Cookie")!.split(";")[0]!;
}

/** The status of a call with a cookie or a token, without the page's session. */
const statusWith = async (base: string, headers: Record<string, string>): Promise<number> =>
  (await fetch(`${base}api/v1/session`, { headers })).status;

async function changePassword(page: Page, from: string, to: string, again = to): Promise<void> {
  await page.fill("input[name=password]", from);
  await page.fill("input[name=new]", to);
  await page.fill("input[name=again]", again);
  await page.keyboard.press("Enter");
}

/** The code of an app (RFC 6238) so many steps from now. */
function codeOf(secret: string, steps: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const tag = createHmac("sha1", key).update(counter).digest();
  const offset = tag.at(-1)! & 0x0f;
  return String((tag.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** The mock takes one code for all. */
const codeFor = (settings: FlowContext["settings"], secret: string, steps: number): string =>
  settings.base.includes("/logs/") ? "123456" : codeOf(secret, steps);

async function logInWithPassword({ page, settings }: FlowContext): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${settings.base}profile`);
  await page.fill("input[name=user]", settings.user);
  await page.fill("input[name=password]", settings.password);
  await page.keyboard.press("Enter");
  await page.waitForSelector("input[name=code]");
}

export const ACCOUNT_FLOWS: Record<string, (stage: FlowContext) => Promise<void>> = {
  async "the profile is opened with the keyboard and ends other sessions"(stage) {
    const { page, settings, open } = stage;
    await open("?q=*");
    const other = await logInElsewhere(stage);
    await page.waitForSelector("header .popover-root button[aria-expanded]");
    await page.locator(`header button[title='Logged in as ${settings.user}']`).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".menu >> text=Profile");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".card-row .mark >> text=this session");
    expect(new URL(page.url()).pathname.endsWith("/profile"), `the profile is at ${page.url()}`);
    const row = page.locator(".card-row", { hasText: "another browser" });
    await row.locator("button").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=status] >> text=The session was ended.");
    await waitUntil("it is still listed", async () => (await row.count()) === 0);
    expect((await statusWith(settings.base, { Cookie: other })) === 401, "the other session is still open");
    const second = await logInElsewhere(stage);
    await page.click("text=End all other sessions");
    await page.waitForSelector("[role=status] >> text=/other sessions? w(as|ere) ended/");
    expect((await statusWith(settings.base, { Cookie: second })) === 401, "not all others have ended");
    await page.waitForSelector(".card-row .mark >> text=this session");
  },

  async "an API token is made, shown once, used and revoked"(stage) {
    const { page, settings } = stage;
    await visitProfile(stage);
    await page.click("text=New token");
    const form = page.locator(".token-form");
    await form.locator("input[name=name]").fill("weekly report");
    await form.locator("input[name=days]").fill("1000");
    await form.locator("input[name=password]").fill("certainly wrong");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=alert] >> text=1 to 366 days");
    await form.locator("input[name=days]").fill("30");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=alert] >> text=The password is wrong");
    expect((await page.locator(".session-dialog").count()) === 0, "a wrong password looks like the end of the session");
    await form.locator("input[value=export]").check();
    await form.locator("input[name=password]").fill(settings.password);
    await page.keyboard.press("Enter");
    const text = (await page.textContent(".copy-text"))!;
    expect(/^dmn_u[0-9A-Za-z]{36}$/.test(text), `the token is ${text}`);
    await page.waitForSelector(".card-row >> text=search, export");
    if (!settings.base.includes("/logs/")) {
      const used = await statusWith(settings.base, { Authorization: `Bearer ${text}` });
      expect(used === 200, `a call with the token is answered with ${used}`);
    }
    await page.click("text=Done, hide it");
    await page.reload();
    await page.waitForSelector(".card-row >> text=weekly report");
    expect(!(await page.content()).includes(text), "the token is shown again");
    await page.click("button[aria-label='Revoke weekly report']");
    await page.waitForSelector("[role=status] >> text=weekly report was revoked");
    await page.waitForSelector("text=You have none.");
    const used = await statusWith(settings.base, { Authorization: `Bearer ${text}` });
    expect(used === 401, `a call with a revoked token is answered with ${used}`);
  },

  async "the password is changed, and changed back"(stage) {
    const { page, settings } = stage;
    await visitProfile(stage);
    const other = await logInElsewhere(stage);
    await page.waitForSelector(".card-row >> text=another browser");
    await changePassword(page, settings.password, ANOTHER_PASSWORD, "seven sealed segment");
    await page.waitForSelector("[role=alert] >> text=differ");
    await changePassword(page, "certainly wrong", ANOTHER_PASSWORD);
    await page.waitForSelector("[role=alert] >> text=The password is wrong");
    await changePassword(page, settings.password, "short");
    await page.waitForSelector("[role=alert] >> text=/a password has/i");
    await changePassword(page, settings.password, ANOTHER_PASSWORD);
    await page.waitForSelector("[role=status] >> text=The password was changed.");
    expect((await statusWith(settings.base, { Cookie: other })) === 401, "a session with the old password is open");
    expect((await page.inputValue("input[name=new]")) === "", "the password is still typed");
    await changePassword(page, ANOTHER_PASSWORD, settings.password);
    await page.waitForSelector("[role=status] >> text=The password was changed.");
  },

  async "a second factor is set up, asked for, replaced by a recovery code and turned off"(stage) {
    const { page, settings } = stage;
    await visitProfile(stage);
    await page.click("text=Set up a second factor");
    await page.fill("input[name=confirm]", settings.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".qr-code path");
    const secret = (await page.textContent(".factor-form .copy-text"))!.replaceAll(" ", "");
    expect(/^[A-Z2-7]{32}$/.test(secret), `the secret is ${secret}`);
    const found = await findings(page);
    expect(found.length === 0, found.join("; "));
    await page.fill("input[name=code]", "not a code");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".card-outcome.failed:not(:empty)");
    await page.fill("input[name=code]", codeFor(settings, secret, 0));
    await page.keyboard.press("Enter");
    await page.waitForSelector(".copy-line");
    const codes = (await page.textContent(".copy-line .copy-text"))!.trim().split("\n");
    expect(codes.length === 10, `the recovery codes are ${codes.join()}`);
    await logInWithPassword(stage);
    await page.fill("input[name=code]", "abcd-efgh-jkmn-9999");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".login-error >> text=/code is wrong/");
    await page.fill("input[name=code]", codeFor(settings, secret, 1));
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=10 recovery codes left");
    await page.evaluate(() => fetch("api/v1/logout", { method: "POST", headers: { "X-Requested-By": "duramen" } }));
    await page.click("text=Turn it off");
    await page.fill("input[name=confirm]", settings.password);
    await page.keyboard.press("Enter");
    await page.fill(".session-dialog[open] input[name=password]", settings.password);
    await page.keyboard.press("Enter");
    await page.fill(".session-dialog[open] input[name=code]", codes[0]!);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-dialog", { state: "detached" });
    await page.waitForSelector("[role=status] >> text=The second factor is off");
    await page.waitForSelector("text=It is off.");
  },

  async "the profile fits every window, theme and forced colours, and axe finds nothing"(stage) {
    const { page } = stage;
    await visitProfile(stage);
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none", reducedMotion: "reduce" });
    await page.click("text=New token");
    await page.waitForSelector(".token-form");
    const found = await findings(page);
    for (const [width, height] of [
      [640, 400],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide <= width, `the profile is ${wide} px wide in a window of ${width}`);
    }
    await page.emulateMedia({ colorScheme: "dark", forcedColors: "none" });
    found.push(...(await findings(page)));
    await page.emulateMedia({ colorScheme: "dark", forcedColors: "active" });
    found.push(...(await findings(page)));
    expect(found.length === 0, found.join("; "));
  },

  async "the profile asks for a log-in when the session has ended, and is there for users without rights"(stage) {
    const { page, settings } = stage;
    await visitProfile(stage);
    await logInElsewhere(stage);
    await page.waitForSelector("text=End all other sessions");
    await page.evaluate(() => fetch("api/v1/logout", { method: "POST", headers: { "X-Requested-By": "duramen" } }));
    await page.click("text=End all other sessions");
    await page.fill(".session-dialog[open] input[name=password]", settings.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-dialog", { state: "detached" });
    await page.waitForSelector("[role=status] >> text=/other sessions? w(as|ere) ended/");
    // As the server answers somebody who may search nothing.
    await page.route("**/api/v1/session", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), may: [] } });
    });
    await visitProfile(stage);
    expect((await page.locator(".nav-rail >> text=Alerts").count()) === 0, "a page that may not be seen is offered");
  },
};
