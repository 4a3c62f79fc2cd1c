import { describe, expect, test } from "vitest";
import { boundedFetch, LineReader, readBounded } from "../../src/json/bounded-fetch.ts";

/** Reads an answer of a server. `bytes` are those of a message, and of a stream. */
async function read(body: string | null, type: string, bytes: number, streamBytes?: number): Promise<string> {
  const headers = { "content-type": type };
  const answer = new Response(body, { status: body === null ? 204 : 201, headers });
  const bounds = { messageBytes: bytes, ...(streamBytes !== undefined && { streamBytes }) };
  const fetchOne = boundedFetch<string>(
    () => Promise.resolve(answer),
    bounds,
    (problem) => new Error(problem),
  );
  const response = await fetchOne("http://a.test/");
  expect({ status: response.status, type: response.headers.get("content-type"), url: response.url }).toEqual({
    status: answer.status,
    type,
    url: answer.url,
  });
  return response.text();
}

const saying = (message: string) => expect.objectContaining({ message }) as Error;

describe("an answer over HTTP", () => {
  test.each([
    ["application/json", "x".repeat(10), "x".repeat(11), "a message is larger than 10 bytes"],
    [
      "text/event-stream",
      "data: 1\n\n".repeat(5),
      `data: ${"1".repeat(20)}\n\n`,
      "a line is longer than 10 bytes",
    ],
    ["text/event-stream", "", "data: 1\n".repeat(3), "an event is larger than 10 bytes"],
  ])("as %s has a bound", async (type, most, more, problem) => {
    expect(await read(most, type, 10)).toBe(most);
    await expect(read(more, type, 10)).rejects.toThrow(saying(problem));
  });

  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`k${at}`, 0])));

  test.each([
    ["application/json", wide],
    ["text/event-stream; charset=utf-8", `data: ${wide}\n\n`],
  ])("as %s is not too wide", async (type, body) => {
    await expect(read(body, type, 10_000_000)).rejects.toThrow(
      saying("a message has an object of more than 20000 members"),
    );
  });

  test("as a stream has a bound for all of its events together, where it is given", async () => {
    const events = "data: 1\n\n".repeat(5);
    expect(await read(events, "text/event-stream", 10, events.length)).toBe(events);
    await expect(read(events, "text/event-stream", 10, events.length - 1)).rejects.toThrow(
      saying(`a stream is larger than ${events.length - 1} bytes`),
    );
  });

  test("without a body stays as it is", async () => {
    expect(await read(null, "application/json", 0)).toBe("");
  });

  test.each([
    ["data: 1\n\ndata: 2", "<data: 1\n\n><data: 2\n\n>"],
    ["data: 1\n\ndata: 2\n", "<data: 1\n\n><data: 2\n\n>"],
    ["data: 1\n\n: bye\n\n", "<data: 1\n\n><: bye\n\n>"],
    ["data: 1\n\n\n", "<data: 1\n\n><\n>"],
  ])("ends its last event where it is rewritten: %j", async (events, rewritten) => {
    const answer = new Response(events, { headers: { "content-type": "text/event-stream" } });
    const fetchOne = boundedFetch<string>(
      () => Promise.resolve(answer),
      { messageBytes: 100, rewrite: (text) => `<${text}>` },
      (problem) => new Error(problem),
    );
    expect(await (await fetchOne("http://a.test/")).text()).toBe(rewritten);
    expect(await read("data: 1\n\ndata: 2", "text/event-stream", 100)).toBe("data: 1\n\n");
  });

  test("keeps letters whole that are cut between two chunks, and the ends of lines of Windows", async () => {
    const [first, second] = [
      Buffer.from("data: é\r\n\r\n").subarray(0, 7),
      Buffer.from("data: é\r\n\r\n").subarray(7),
    ];
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(first);
        controller.enqueue(second);
        controller.close();
      },
    });
    const answer = new Response(body, { headers: { "content-type": "text/event-stream" } });
    const fetchOne = boundedFetch<string>(
      () => Promise.resolve(answer),
      { messageBytes: 100 },
      (problem) => new Error(problem),
    );
    expect(await (await fetchOne("http://a.test/")).text()).toBe("data: é\n\n");
  });
});

test("a reader of lines yields the lines of a chunk that come before one that is too long", () => {
  const reader = new LineReader(10, (problem) => new Error(problem));
  const lines: string[] = [];
  const push = () => {
    for (const line of reader.push(Buffer.from("one\r\ntwo\n12345678901"))) lines.push(line);
  };
  expect(push).toThrow(saying("a line is longer than 10 bytes"));
  expect(lines).toEqual(["one", "two"]);
});

test.each([
  [6, "abcdef"],
  [5, null],
  [0, null],
])("a body of six bytes in two parts, read with a bound of %i", async (maxBytes, text) => {
  async function* body() {
    yield Buffer.from("abc");
    yield Buffer.from("def");
  }
  expect((await readBounded(body(), maxBytes))?.toString() ?? null).toBe(text);
});
