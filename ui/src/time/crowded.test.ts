import { expect, test } from "vitest";
import { crowdedPart } from "./crowded.ts";

function check(counts: number[], want: [number, number, number, number] | undefined): void {
  const part = crowdedPart({ start_us: 1_000, width_us: 10, counts });
  expect(part && [part.span.fromUs, part.span.toUs, part.outside, part.farthestUs]).toEqual(want);
}

const bars = (filled: Record<number, number>): number[] => Array.from({ length: 60 }, (_, bar) => filled[bar] ?? 0);

test("one message far away is left out", () => {
  check(bars({ 3: 5_000, 59: 1 }), [1_030, 1_040, 1, 1_590]);
  check(bars({ 0: 1, 57: 400, 58: 600 }), [1_570, 1_590, 1, 1_000]);
  check(bars({ 0: 2, 30: 9_000, 31: 1_000, 59: 1 }), [1_300, 1_320, 3, 1_000]);
});

test("what is spread, or too little to judge, is shown whole", () => {
  check(bars({ 3: 5_000, 59: 100 }), undefined);
  check(
    Array.from({ length: 60 }, () => 20),
    undefined,
  );
  check(bars({ 3: 10, 59: 1 }), undefined);
  check(bars({ 3: 5_000 }), undefined);
  check(bars({}), undefined);
});
