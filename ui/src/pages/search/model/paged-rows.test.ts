import { expect, test } from "vitest";
import { answerSearch } from "../../../../mock/answer.ts";
import { fill, type Store } from "../../../../mock/data.ts";
import type { Clock, SearchQuestion } from "../../../api/search.ts";
import { fromUs } from "../../../time/range.ts";
import { PAGE_ROWS, Rows } from "./paged-rows.ts";

const NOW = Date.UTC(2026, 10, 21, 9, 30) * 1000;
const STORE: Store = fill("main", 30_000, NOW, 5);

function open(clock: Clock): { rows: Rows; asked: () => number } {
  const time = { clock, from: fromUs(NOW - 80_000_000_000), to: fromUs(NOW) };
  const question: SearchQuestion = { logspace: "main", query: "*", time, limit: PAGE_ROWS, bars: 30 };
  let asked = 0;
  const rows = new Rows(answerSearch(STORE, question, NOW), clock, async (more) => {
    asked++;
    return answerSearch(STORE, { ...question, bars: 0, ...more }, NOW);
  });
  return { rows, asked: () => asked };
}

/** Every known index must hold the row that a complete list has there. */
async function check(clock: Clock, places: number[], askedMax: number): Promise<void> {
  const { rows, asked } = open(clock);
  const all = answerSearch(
    STORE,
    { logspace: "main", query: "*", time: { clock, from: fromUs(NOW - 80_000_000_000), to: fromUs(NOW) }, limit: 1e9 },
    NOW,
  ).rows;
  for (const place of places) {
    rows.want(place, place + 40);
    await expect.poll(() => rows.at(Math.min(place + 40, all.length - 1)) !== undefined).toBe(true);
    for (let at = place; at <= Math.min(place + 40, all.length - 1); at++)
      expect(rows.at(at)?.sequence).toBe(all[at]!.sequence);
  }
  expect(asked()).toBeLessThanOrEqual(askedMax);
}

test("pages on from what is known", () => check("received", [0, 180, 500], 2));
test("finds far places through the bars", () => check("received", [15_000, 3_000, 27_500, 14_800], 12));
test("reaches the very last row", async () => {
  const { rows } = open("received");
  await check("received", [rows.length.value - 41], 3);
});
test("only pages on by event time", async () => {
  const { rows } = open("event");
  expect(rows.length.value).toBe(2 * PAGE_ROWS);
  await check("event", [190, 390, 590], 3);
});

test("stops asking after a failure, until told to retry", async () => {
  let fails = true;
  let asked = 0;
  const question: SearchQuestion = {
    logspace: "main",
    query: "*",
    time: { clock: "received" },
    limit: PAGE_ROWS,
    bars: 30,
  };
  const rows = new Rows(answerSearch(STORE, question, NOW), "received", async (more) => {
    asked++;
    if (fails) throw new Error("away");
    return answerSearch(STORE, { ...question, ...more }, NOW);
  });
  rows.want(190, 220);
  await expect.poll(() => rows.failed.value).toBe(true);
  rows.want(190, 230);
  expect(asked).toBe(1);
  fails = false;
  rows.retry();
  await expect.poll(() => rows.at(230) !== undefined).toBe(true);
});
