// Runs the page in a real browser. `npm run e2e` uses the mock server and the built page; `npm run e2e -- --base=URL
// --user=admin --password=...` a running server with at least some hundred messages.
import { runnerImport } from "vite";

const option = (name, otherwise) =>
  process.argv
    .find((argument) => argument.startsWith(`--${name}=`))
    ?.split("=")
    .slice(1)
    .join("=") ?? otherwise;
const root = new URL("..", import.meta.url).pathname;
const load = async (file) => (await runnerImport(`${root}${file}`, { root, configFile: false })).module;

let base = option("base");
let mock;
if (!base) {
  const { startMock } = await load("mock/server.ts");
  // A prefix, because the page has to work below one.
  mock = await startMock(0, { pages: `${root}dist`, prefix: "/logs/", messages: 30_000, rate: 8 });
  base = `http://127.0.0.1:${mock.server.address().port}/logs/`;
}
const { runAll } = await load("e2e/run.ts");
const failed = await runAll({
  base,
  user: option("user", "admin"),
  password: option("password", "heartwood"),
  browser: option("browser", "/usr/bin/chromium"),
  only: option("only", ""),
  arrivals: option("arrivals", "any"),
  range: option("range", "now-24h"),
});
process.exit(failed ? 1 : 0);
