import { expect, test } from "vitest";
import { RenewableSession } from "./session-state.ts";

test("calls that wait continue after one login", async () => {
  const session = new RenewableSession();
  const calls = [session.renew(), session.renew()];
  expect(session.state.value).toBe("asking");
  session.resume();
  await Promise.all(calls);
  expect(session.state.value).toBe("valid");
});

test("calls that wait fail when the user does not log in, and the next one asks again", async () => {
  const session = new RenewableSession();
  const call = session.renew();
  session.dismiss();
  await expect(call).rejects.toThrow();
  expect(session.state.value).toBe("ended");
  void session.renew();
  expect(session.state.value).toBe("asking");
});

test("a call in the background only reports", () => {
  const session = new RenewableSession();
  session.report();
  expect(session.state.value).toBe("ended");
  void session.renew();
  session.report();
  expect(session.state.value).toBe("asking");
});
