import { expect, test } from "vitest";
import type { Alert } from "../../../api/alerts.ts";
import { alertsIn, byRule } from "./alerts-in.ts";

const alert = (number: number, logspace: string, rule: string, began_us: number): Alert =>
  ({ number, logspace, rule, began_us, title: `Rule ${rule}` }) as Alert;

test("alerts of the panel's logspace and time are marked, one link for each rule", () => {
  const all = [
    alert(1, "main", "a", 10),
    alert(2, "main", "b", 20),
    alert(3, "main", "a", 30),
    alert(4, "audit", "a", 20),
    alert(5, "main", "a", 40),
  ];
  const within = alertsIn(all, "main", { fromUs: 10, toUs: 40 });
  expect(within.map(({ number }) => number)).toEqual([3, 2, 1]);
  expect(byRule(within)).toEqual([
    { rule: "a", title: "Rule a", count: 2, lastUs: 30 },
    { rule: "b", title: "Rule b", count: 1, lastUs: 20 },
  ]);
  expect(byRule([])).toEqual([]);
});
