// Starts the mock server. `--port=8515 --prefix=/logs/ --messages=40000 --rate=3 --delay=0`; `--dev` adds Vite's development
// server, which passes api/ on to the mock.
import { createServer, runnerImport } from "vite";

const option = (name, otherwise) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise;
const port = Number(option("port", 8515));
const here = new URL("..", import.meta.url).pathname;
const { module } = await runnerImport(`${here}mock/server.ts`, { root: here, configFile: false });
await module.startMock(port, {
  pages: `${here}dist`,
  prefix: option("prefix", "/"),
  messages: Number(option("messages", 40000)),
  rate: Number(option("rate", 3)),
  delay: Number(option("delay", 0)),
});
console.log(`mock server on http://127.0.0.1:${port}${option("prefix", "/")}  user admin, password heartwood`);

if (process.argv.includes("--dev")) {
  const dev = await createServer({ root: here, server: { proxy: { "/api": `http://127.0.0.1:${port}` } } });
  await dev.listen(5173);
  dev.printUrls();
}
