import { expect, test } from "vitest";
import { EMPTY_FIELDS, requestOf } from "./token-form.ts";

test("a token reaches every logspace and network unless some are named", () => {
  expect(requestOf({ ...EMPTY_FIELDS, name: " report " })).toEqual({
    name: "report",
    scopes: ["search"],
    logspaces: ["*"],
    networks: [],
    days: 90,
  });
  const some = requestOf({ ...EMPTY_FIELDS, name: "r", logspaces: ["main"], networks: "10.0.0.0/8, ::1\n192.0.2.7" });
  expect(some).toMatchObject({ logspaces: ["main"], networks: ["10.0.0.0/8", "::1", "192.0.2.7"] });
});

test("what is missing is named", () => {
  const faults: [Partial<typeof EMPTY_FIELDS>, RegExp][] = [
    [{ name: "  " }, /name/],
    [{ name: "r", scopes: [] }, /at least one/],
    [{ name: "r", days: "0" }, /1 to 366/],
    [{ name: "r", days: "367" }, /1 to 366/],
    [{ name: "r", days: "ninety" }, /1 to 366/],
  ];
  for (const [fields, fault] of faults)
    expect((requestOf({ ...EMPTY_FIELDS, ...fields }) as { fault: string }).fault).toMatch(fault);
});
