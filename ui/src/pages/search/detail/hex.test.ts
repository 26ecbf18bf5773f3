import { expect, test } from "vitest";
import { hexLines } from "./hex.ts";

test("bytes in hexadecimal", () => {
  const bytes = new TextEncoder().encode("<34>Nov 21 gw1 \u00e9\n");
  expect(hexLines(bytes)).toEqual([
    "0000  3c 33 34 3e 4e 6f 76 20  32 31 20 67 77 31 20 c3  <34>Nov 21 gw1 .",
    "0010  a9 0a                                             ..",
  ]);
  expect(hexLines(bytes, 4)[2]).toBe("0010  a9 0a                     ..");
  expect(hexLines(new Uint8Array())).toEqual([]);
});
