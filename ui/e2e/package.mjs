// Opens a page of an evidence package over file:// in a real browser, with no network, and gives it the package's folder.
// `node e2e/package.mjs FOLDER...` prints a line of JSON each: the verdict, the steps, and what the page asked the network for.
import { chromium } from "playwright-core";
import { resolve } from "node:path";

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
try {
  for (const folder of process.argv.slice(2).map((name) => resolve(name))) {
    const context = await browser.newContext({ offline: true });
    const page = await context.newPage();
    const requests = [];
    page.on("request", (request) => request.url().startsWith("file://") || requests.push(request.url()));
    await page.goto(`file://${folder}/verify.html`);
    await page.setInputFiles("#folder", folder);
    const verdict = page.locator("#verdict");
    await page.waitForFunction(() => document.getElementById("verdict").textContent.startsWith("The package"));
    const steps = await page
      .locator("#steps li")
      .evaluateAll((items) => items.map((item) => ({ good: item.className === "good", text: item.textContent })));
    console.log(JSON.stringify({ verdict: await verdict.textContent(), steps, requests }));
    await context.close();
  }
} finally {
  await browser.close();
}
