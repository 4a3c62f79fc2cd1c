import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
import { serveStreams } from "../src/index.ts";
import { connectStreams, eras, hostOf } from "./support.ts";

const count = defineTool({
  name: "count",
  description: "Counts members. Use in tests.",
  schema: z.strictObject({ given: z.record(z.string(), z.number()) }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: ({ given }) => data(Object.keys(given).length),
});

const wide = (members: number) =>
  Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, at]));

test.each(eras)(
  "a call of 500,000 members is refused with its id, and the next one runs (%s)",
  async (era) => {
    const client = await connectStreams(hostOf([count]), era);
    const call = (members: number) => client.callTool({ name: "count", arguments: { given: wide(members) } });

    await expect(call(500_000)).rejects.toThrow("the message has an object of more than 20000 members");
    expect((await call(20_000)).content).toEqual([{ type: "text", text: "20000" }]);
  },
);

test("a message without an id at its ends is refused without one, and a line without end ends the connection", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const errors: Error[] = [];
  const served = serveStreams(hostOf([count]), { input, output, onError: (error) => errors.push(error) });
  const given = JSON.stringify(wide(20_001)).slice(1, -1);
  input.write(`{${given},"id":1,${given}}\n`);
  for (let mb = 0; mb < 65; mb++) input.write("x".repeat(1_048_576));
  await served.closed;
  output.end();

  expect(JSON.parse(await text(output))).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32_600, message: "the message has an object of more than 20000 members" },
  });
  expect(errors.map(({ name }) => name)).toEqual(["MessageTooLarge"]);
});
