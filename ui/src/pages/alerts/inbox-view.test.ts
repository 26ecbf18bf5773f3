import { expect, test } from "vitest";
import { DEFAULT_INBOX, decodeInbox, encodeInbox, type InboxView } from "./inbox-view.ts";

test("what the inbox shows is in its address, and back", () => {
  const views: InboxView[] = [
    DEFAULT_INBOX,
    { state: "firing", rule: "", open: undefined },
    { state: "resolved", rule: "a.b_c-d", open: 17 },
  ];
  for (const view of views) expect(decodeInbox(encodeInbox(view))).toEqual(view);
  expect(encodeInbox(DEFAULT_INBOX)).toBe("");
  expect(decodeInbox("?state=none&open=-4")).toEqual(DEFAULT_INBOX);
});
