// Opens a page of an evidence package over file:// in a real browser, with no network, and gives it the package's folder.
// `node e2e/package.mjs [--head DIGEST] [--signer FINGERPRINT] [--ca FILE] FOLDER...` prints a line of JSON each: the verdict, the steps, and what the page asked the network for.
import { chromium } from "playwright-core";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

const text = { type: "string" };
const { values: known, positionals } = parseArgs({
  allowPositionals: true,
  options: { head: text, signer: text, ca: text },
});

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
try {
  for (const folder of positionals.map((name) => resolve(name))) {
    const context = await browser.newContext({ offline: true });
    const page = await context.newPage();
    const requests = [];
    page.on("request", (request) => request.url().startsWith("file://") || requests.push(request.url()));
    await page.goto(`file://${folder}/verify.html`);
    if (known.head || known.signer || known.ca) await page.locator("summary").click();
    if (known.head) await page.fill("#head", known.head);
    if (known.signer) await page.fill("#signer", known.signer);
    if (known.ca) await page.setInputFiles("#ca", known.ca);
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
