import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { narrowLines, readMessage } from "../src/serve/narrow.ts";

/** What the SDK gets of a client's lines, and what the client is answered at once. */
async function narrowed(input: string) {
  const [from, output] = [new PassThrough(), new PassThrough()];
  const received: unknown[] = [];
  const requests = { received: (message: unknown) => void received.push(message), settled: async () => {} };
  const lines = narrowLines(from, output, requests);
  from.end(input);
  const passed = await text(lines);
  output.end();
  const parse = (all: string) =>
    all
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as object);
  expect(parse(passed)).toEqual(received);
  return { passed: parse(passed), refused: parse(await text(output)) };
}

const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });
const refusal = (id: unknown, code: number, message: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});
const pad = (length: number) => `"pad":"${"x".repeat(length)}"`;

test.each<[string, object[], object[]]>([
  [`${JSON.stringify(ping(1))}\n${JSON.stringify(ping(2))}`, [ping(1), ping(2)], []],
  [`\uFEFF${JSON.stringify(ping(1))}\n\n  \n`, [ping(1)], []],
  [`[${JSON.stringify(ping(1))},5]`, [ping(1)], [refusal(null, -32_600, "a message is an object")]],
  ["[]", [], [refusal(null, -32_600, "the list has no message")]],
  ['{"id":7,', [], [refusal(7, -32_700, "the line is not valid JSON")]],
  ['{"method":"ping","id":"a"', [], [refusal("a", -32_700, "the line is not valid JSON")]],
  ["nonsense", [], [refusal(null, -32_700, "the line is not valid JSON")]],
  [`{"id":7,${pad(600)}`, [], [refusal(7, -32_700, "the line is not valid JSON")]],
  [`{${pad(600)},"id":8`, [], [refusal(8, -32_700, "the line is not valid JSON")]],
  [`{${pad(600)},"id":9,${pad(600)}`, [], [refusal(null, -32_700, "the line is not valid JSON")]],
])("%j", async (input, passed, refused) => {
  expect(await narrowed(input)).toEqual({ passed, refused });
});

test("a message that is too deep, or has too many values, is refused with its id", async () => {
  const deep = `{"id":3,"method":"ping","params":${'{"a":'.repeat(2000)}1${"}".repeat(2000)}}`;
  const many = `{"id":4,"method":"ping","params":{"a":[${"0,".repeat(200_000)}0]}}`;
  const { passed, refused } = await narrowed(`${deep}\n${many}\n${JSON.stringify(ping(5))}`);

  expect(passed).toEqual([ping(5)]);
  expect(refused).toEqual([
    refusal(3, -32_600, expect.stringMatching(/^the message /) as never),
    refusal(4, -32_600, expect.stringMatching(/^the message has /) as never),
  ]);
});

test("the end of the input waits for the answers", async () => {
  const [from, output] = [new PassThrough(), new PassThrough()];
  const { promise, resolve } = Promise.withResolvers<void>();
  const lines = narrowLines(from, output, { received: () => {}, settled: () => promise });
  let hasEnded = false;
  lines.once("end", () => (hasEnded = true));
  lines.resume();
  from.end(`${JSON.stringify(ping(1))}\n`);
  await once(from, "end");
  await new Promise((done) => setImmediate(done));
  expect(hasEnded).toBe(false);
  resolve();
  await once(lines, "end");
});

const json = { "content-type": "application/json" };
const request = (body: string, headers: Record<string, string> = json, method = "POST") =>
  new Request("http://127.0.0.1/mcp", { method, headers, ...(method === "POST" && { body }) });

test.each<[Request, object]>([
  [request("", json, "GET"), {}],
  [request("{}", { "content-type": "text/plain" }), {}],
  [request(JSON.stringify({ id: 1, method: "ping", params: null })), { parsedBody: ping(1) }],
  [request("[1]"), { parsedBody: [1] }],
])("a request's body is read once (%#)", async (given, read) => {
  expect(await readMessage(given)).toEqual(read);
});

test.each<[Request, number, object]>([
  [request("{"), 400, refusal(null, -32_700, "the body is not valid JSON")],
  [request('{"id":1}'), 400, refusal(1, -32_600, "the message has no method")],
  [
    request("{}", { ...json, "content-length": String(4 * 1024 * 1024 + 1) }),
    413,
    refusal(null, -32_600, "the message has more than 4194304 bytes"),
  ],
])("a request's body is refused (%#)", async (given, status, body) => {
  const answer = (await readMessage(given)) as Response;

  expect([answer.status, await answer.json()]).toEqual([status, body]);
});
