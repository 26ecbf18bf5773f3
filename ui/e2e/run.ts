// Runs the flows one after the other, each on a fresh page of one session, and prints what passed.
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { ACCOUNT_FLOWS } from "./account-flows.ts";
import { ALERT_FLOWS } from "./alert-flows.ts";
import { DASHBOARD_FLOWS } from "./dashboard-flows.ts";
import { FLOWS, FLOWS_WITH_ARRIVALS } from "./flows.ts";
import { QUERY_FLOWS } from "./query-flows.ts";
import { SAVED_FLOWS } from "./saved-flows.ts";
import { TIMEOUT_MS } from "./steps.ts";
import { TRUST_FLOWS } from "./trust-flows.ts";
import { USER_FLOWS } from "./user-flows.ts";
import { VIEW_FLOWS } from "./view-flows.ts";

export interface Settings {
  base: string;
  user: string;
  password: string;
  browser: string;
  /** Only flows whose name contains this. */
  only: string;
  /** Whether messages arrive during the flows: `yes` runs the flows that need it, `no` the others, `any` all. */
  arrivals: string;
  /** Start of the range that the flows search; the server must have messages in it. */
  range: string;
}

export interface FlowContext {
  page: Page;
  settings: Settings;
  /** Opens the search page with a query string and waits for its rows. */
  open(view?: string): Promise<void>;
}

const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A server under test has a certificate that no browser trusts. */
function launchArguments(settings: Settings): string[] {
  return settings.base.startsWith("https:") ? [...ARGUMENTS, "--ignore-certificate-errors"] : ARGUMENTS;
}

export async function runAll(settings: Settings): Promise<number> {
  const browser = await chromium.launch({ executablePath: settings.browser, args: launchArguments(settings) });
  let failed = 0;
  try {
    const context = await loggedIn(browser, settings);
    const flows = {
      ...FLOWS,
      ...QUERY_FLOWS,
      ...SAVED_FLOWS,
      ...TRUST_FLOWS,
      ...ALERT_FLOWS,
      ...ACCOUNT_FLOWS,
      ...USER_FLOWS,
      ...DASHBOARD_FLOWS,
      ...VIEW_FLOWS,
    };
    for (const [name, flow] of Object.entries(flows)) {
      if (!name.includes(settings.only) || !fits(name, settings.arrivals)) continue;
      const started = performance.now();
      const failure = await perform(context, settings, flow);
      const ms = Math.round(performance.now() - started);
      console.log(`${failure ? "FAIL" : "pass"}  ${name}  ${ms} ms${failure ? `\n      ${failure}` : ""}`);
      if (failure) failed++;
    }
  } finally {
    await browser.close();
  }
  console.log(failed ? `${failed} flows failed` : "all flows passed");
  return failed;
}

const fits = (name: string, arrivals: string): boolean =>
  arrivals === "any" || (arrivals === "yes") === FLOWS_WITH_ARRIVALS.includes(name);

async function loggedIn(browser: Browser, { base, user, password }: Settings): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    timezoneId: "Europe/Berlin",
    colorScheme: "light",
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  await page.goto(base);
  await page.fill("input[name=user]", user);
  await page.fill("input[name=password]", password);
  await page.click("text=Log in");
  await page.waitForSelector(".page");
  await page.close();
  return context;
}

async function perform(
  context: BrowserContext,
  settings: Settings,
  flow: (stage: FlowContext) => Promise<void>,
): Promise<string | undefined> {
  const page = await context.newPage();
  const problems: string[] = [];
  const origin = new URL(settings.base).origin;
  // The page may send nothing to other hosts, and do nothing that the Content-Security-Policy refuses.
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) problems.push(`a request to another host: ${request.url()}`);
  });
  page.on("console", (message) => {
    // A rule that is deleted may be asked for once more.
    const isGone = / 404 /.test(message.text()) && /\/rules\/[^/]+\/state$/.test(message.location().url);
    const isExpected = /status of (400|401|403|409|412|429|500|503|504)|ERR_/.test(message.text());
    if (message.type() === "error" && !isExpected && !isGone)
      problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => problems.push(`page: ${error.message}`));
  const open = async (view = ""): Promise<void> => {
    const range = view.includes("from=") ? "" : `${view ? "&" : "?"}from=${settings.range}&to=now`;
    await page.goto(`${settings.base}${view}${range}`);
    await page.waitForSelector(".list .row[data-index]");
  };
  try {
    await flow({ page, settings, open });
    return problems[0];
  } catch (cause) {
    return [String(cause).split("\n").slice(0, 3).join(" | "), ...problems].join("\n      ");
  } finally {
    await page.close();
  }
}
