import { createHost, data, defineTool, type Host } from "@toolmount/core";
import { printTapeCall, recordCalls, tapeHeader } from "@toolmount/tape";
import { createRedactor } from "@toolmount/core/text";
import { expect, test } from "vitest";
import { z } from "zod";
import { replayHost } from "../src/index.ts";

let ran = 0;
const double = defineTool({
  name: "double",
  description: "Doubles a number. Use in tests.",
  schema: z.strictObject({ number: z.number() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: ({ number }) => {
    ran += 1;
    return data(number * 2);
  },
});
const mount = (host: Host) => void host.coordinator.mount("tools", double);

async function recordOne(): Promise<string> {
  const host = createHost();
  mount(host);
  const lines = [tapeHeader];
  recordCalls(host, { redact: createRedactor(), write: (call) => lines.push(printTapeCall(call)) });
  await host.call({ name: "double", arguments: { number: 4 } });
  await host.close();
  return `${lines.join("\n")}\n`;
}

test("a test answers calls from a tape, without a tool, and fails with every difference", async () => {
  const tape = await recordOne();
  ran = 0;
  const replay = await replayHost(tape, mount);
  expect(() => replay.assertSame()).toThrow('- call 1 of the tape was not made: double {"number":4}');
  expect((await replay.host.call({ name: "double", arguments: { number: 4 } })).result.data).toBe(8);
  replay.assertSame();
  await replay.host.call({ name: "double", arguments: { number: 5 } });
  expect(replay.differences()).toEqual(['call 2: double {"number":5} is not on the tape, which has ended']);
  expect(ran).toBe(0);
  await replay.close();
});

test("a text that is no tape is refused", async () => {
  await expect(replayHost("{}", mount)).rejects.toThrow("line 1");
});
