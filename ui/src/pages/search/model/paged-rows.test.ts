import { expect, test } from "vitest";
import { answerSearch } from "../../../../mock/answer.ts";
import { fill, type Store } from "../../../../mock/data.ts";
import type { Clock, SearchRequest } from "../../../api/search.ts";
import { fromUs } from "../../../time/range.ts";
import { PAGE_ROWS, PagedRows } from "./paged-rows.ts";

const NOW = Date.UTC(2026, 10, 21, 9, 30) * 1000;
const STORE: Store = fill("main", 30_000, NOW, 5);

function open(clock: Clock): { rows: PagedRows; requests: () => number } {
  const time = { clock, from: fromUs(NOW - 80_000_000_000), to: fromUs(NOW) };
  const request: SearchRequest = { logspace: "main", query: "*", time, limit: PAGE_ROWS, bars: 30 };
  let requests = 0;
  const rows = new PagedRows(answerSearch(STORE, request, NOW), clock, async (more) => {
    requests++;
    return answerSearch(STORE, { ...request, bars: 0, ...more }, NOW);
  });
  return { rows, requests: () => requests };
}

/** Every known index must hold the row that a complete list has there. */
async function check(clock: Clock, indexes: number[], requestsMax: number): Promise<void> {
  const { rows, requests } = open(clock);
  const all = answerSearch(
    STORE,
    { logspace: "main", query: "*", time: { clock, from: fromUs(NOW - 80_000_000_000), to: fromUs(NOW) }, limit: 1e9 },
    NOW,
  ).rows;
  for (const index of indexes) {
    rows.setVisible(index, index + 40);
    await expect.poll(() => rows.at(Math.min(index + 40, all.length - 1)) !== undefined).toBe(true);
    for (let at = index; at <= Math.min(index + 40, all.length - 1); at++)
      expect(rows.at(at)?.sequence).toBe(all[at]!.sequence);
  }
  expect(requests()).toBeLessThanOrEqual(requestsMax);
}

test("pages on from what is known", () => check("received", [0, 180, 500], 2));
test("finds far rows through the bars", () => check("received", [15_000, 3_000, 27_500, 14_800], 12));
test("reaches the very last row", async () => {
  const { rows } = open("received");
  await check("received", [rows.length.value - 41], 3);
});
test("only pages on by event time", async () => {
  const { rows } = open("event");
  expect(rows.length.value).toBe(2 * PAGE_ROWS);
  await check("event", [190, 390, 590], 3);
});

test("makes no request after a failure until a retry", async () => {
  let fails = true;
  let requests = 0;
  const request: SearchRequest = {
    logspace: "main",
    query: "*",
    time: { clock: "received" },
    limit: PAGE_ROWS,
    bars: 30,
  };
  const rows = new PagedRows(answerSearch(STORE, request, NOW), "received", async (more) => {
    requests++;
    if (fails) throw new Error("away");
    return answerSearch(STORE, { ...request, ...more }, NOW);
  });
  rows.setVisible(190, 220);
  await expect.poll(() => rows.failed.value).toBe(true);
  rows.setVisible(190, 230);
  expect(requests).toBe(1);
  fails = false;
  rows.retry();
  await expect.poll(() => rows.at(230) !== undefined).toBe(true);
});
