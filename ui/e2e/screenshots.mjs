// Takes the screenshots of the documents from a running server: npm run screenshots -- --base=URL --password=...
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";

const option = (name, otherwise) =>
  process.argv
    .find((argument) => argument.startsWith(`--${name}=`))
    ?.split("=")
    .slice(1)
    .join("=") ?? otherwise;
const base = option("base", "http://127.0.0.1:8514/");
const folder = option("folder", new URL("../../docs/images", import.meta.url).pathname);
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({
  executablePath: option("browser", "/usr/bin/chromium"),
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
for (const scheme of ["light", "dark"]) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  await page.goto(base);
  await page.getByLabel("User").fill(option("user", "admin"));
  await page.getByLabel("Password").fill(option("password", ""));
  await page.keyboard.press("Enter");
  await page.waitForSelector("[role=grid]");
  const query = option(
    `query-${scheme}`,
    scheme === "light" ? "severity:<=notice AND NOT program:kernel" : 'failed OR "timed out"',
  );
  await page.goto(`${base}?${new URLSearchParams({ q: query, from: option("range", "now-15m"), to: "now" })}`);
  await page.waitForSelector("[role=row][aria-rowindex='3']");
  if (scheme === "light") {
    await page
      .getByRole("row", { name: option("message", "payment of order") })
      .first()
      .click();
    await page.waitForTimeout(600);
  }
  await page.waitForTimeout(1200);
  await page.screenshot({ path: `${folder}/search-${scheme}.png` });
  if (scheme === "light") {
    // A server that has no rules has no alerts to show.
    await page.goto(`${base}alerts`);
    await page.waitForSelector(".page-filters");
    if (await page.waitForSelector(".alert-open").catch(() => undefined)) {
      await page.locator(".alert-open").first().click();
      await page.waitForSelector(".alert-pane .bar-strip");
      await page.screenshot({ path: `${folder}/alerts-light.png` });
    }
  }
  console.log(`${scheme}: ${folder}/search-${scheme}.png ${troubles.length ? `errors: ${troubles.join("; ")}` : ""}`);
  await context.close();
}
await browser.close();
