import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
import { serveHttp, serveStreams } from "../src/index.ts";
import { connectHttp, connectStreams, eras, hostOf } from "./support.ts";

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

/** Posts a body to a handler without a server in front of it. */
async function post(body: string | ReadableStream) {
  const served = serveHttp(hostOf([count]));
  onTestFinished(() => served.close());
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const init = { method: "POST", headers, body, duplex: "half" as const };
  const response = await served.fetch(new Request("http://127.0.0.1/mcp", init));
  return { status: response.status, text: await response.text() };
}

const callOf = (given: object) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name: "count", arguments: { given } },
});

test("a handler without a server in front of it refuses a wide body with its id, and one without end", async () => {
  const refusal = (id: number | null, problem: string) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32_600, message: `the message has ${problem}` },
  });
  const refused = await post(JSON.stringify(callOf(wide(100_000))));
  let mb = 0;
  const endless = new ReadableStream({
    pull: (to) => to.enqueue(new Uint8Array(1_048_576).fill(32 + (mb++ % 2))),
  });
  const left = await post(endless);

  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.text)).toEqual(refusal(7, "an object of more than 20000 members"));
  expect(left.status).toBe(413);
  expect(JSON.parse(left.text)).toEqual(refusal(null, "more than 4194304 bytes"));
  expect(mb).toBeLessThan(10);
});

test("a body that states its length is read as a text, and no stream is made of it", async () => {
  const served = serveHttp(hostOf([count]));
  onTestFinished(() => served.close());
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" });
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.length),
    accept: "application/json, text/event-stream",
  };
  const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers, body });
  let streams = 0;
  Object.defineProperty(request, "body", { get: () => void (streams += 1) });

  expect((await served.fetch(request)).headers.get("content-type")).toMatch(
    /^application\/json|^text\/event-stream/,
  );
  expect(streams).toBe(0);
});

/** Arguments of so many levels, as JSON. */
const levels = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

test.each(eras)("a call of 40,000 levels over HTTP is invalid, and the next one runs (%s)", async (era) => {
  const deep = levels(40_000);
  const client = await connectHttp(hostOf([count]), era, {}, {}, (body) => body.replace('"DEEP"', deep));
  const call = (given: unknown) => client.callTool({ name: "count", arguments: { given } });

  const { isError, content } = await call("DEEP");
  expect({ isError, content }).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("levels") }],
  });
  expect((await call({ a: 1 })).content).toEqual([{ type: "text", text: "1" }]);
});

test.each(eras)("a call of 400,000 levels over HTTP is refused, and the next one runs (%s)", async (era) => {
  const deep = levels(400_000);
  const client = await connectHttp(hostOf([count]), era, {}, {}, (body) => body.replace('"DEEP"', deep));
  const call = (given: unknown) => client.callTool({ name: "count", arguments: { given } });

  await expect(call("DEEP")).rejects.toThrow("more than 50000 members");
  expect((await call({ a: 1 })).content).toEqual([{ type: "text", text: "1" }]);
});

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
