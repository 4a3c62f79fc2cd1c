import { expect, test } from "vitest";
import { MessageMeter } from "../src/process/message-meter.ts";

/** How many more messages a meter takes while no time passes. */
function left(meter: MessageMeter): number {
  let taken = 0;
  while (meter.take(1) === undefined) taken++;
  return taken;
}

test("a process may send 100,000 messages at once, and then 1,000 each second", () => {
  let now = 0;
  const meter = new MessageMeter({ now: () => now });
  expect(left(meter)).toBe(100_000);
  expect(meter.take(1)).toBe("more than 100000 messages");

  now += 1_000;
  expect(left(meter)).toBeGreaterThan(990);
  expect(left(meter)).toBe(0);
});

test("the start of a call gives the whole allowance again, and a question of the host gives that of its answer", () => {
  const meter = new MessageMeter({ now: () => 0 });
  left(meter);
  meter.refill();
  for (let sent = 0; sent < 50_000; sent++) meter.take(1);
  meter.allowAnswer();
  expect(left(meter)).toBe(50_002);

  meter.refill();
  for (let asked = 0; asked < 10; asked++) meter.allowAnswer();
  expect(left(meter)).toBe(100_000);
});

test("a process may send 256 MB of text, and one that sends more is named as the cause", () => {
  const meter = new MessageMeter({ now: () => 0 });

  for (let sent = 0; sent < 4; sent++) expect(meter.take(64 * 1024 * 1024)).toBeUndefined();
  expect(meter.take(1)).toBe("more than 268435456 characters");
});
