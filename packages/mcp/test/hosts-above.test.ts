import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { readHostsAbove } from "../src/serve/hosts-above.ts";
import { writeChain } from "../src/wire/chain.ts";

const hosts = [{ host: "a", plan: "/plan.yaml" }];
const experimental = writeChain(hosts);
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

/** What the first message of a client says of the hosts above, when it comes in these parts. */
async function above(...parts: string[]) {
  const given = new PassThrough();
  const read = readHostsAbove(given);
  const passed = text(read.input);
  for (const part of parts) given.write(part);
  given.end();
  expect(await passed).toBe(parts.join(""));
  return read.above();
}

test.each<[string, object | string, object[]]>([
  ["a client of before 2026", { params: { capabilities: { experimental } } }, hosts],
  ["a client of 2026", { params: { _meta: { [capabilitiesKey]: { experimental } } } }, hosts],
  ["a client that is no host", { params: { capabilities: {} } }, []],
  ["a message without parameters", {}, []],
  ["parameters that are no object", { params: [] }, []],
  ["a list", [], []],
  ["no JSON", "{", []],
])("%s names the hosts above", async (_, message, expected) => {
  const line = typeof message === "string" ? message : JSON.stringify(message);
  expect(await above(`${line}\n`)).toEqual(expected);
});

test("the first message may come in parts, and what follows is passed on", async () => {
  const line = JSON.stringify({ params: { capabilities: { experimental } } });
  expect(await above(line.slice(0, 9), line.slice(9), '\n{"next":1}\n')).toEqual(hosts);
});

test("a client that ends, or whose first message does not, names no host", async () => {
  expect(await above("{")).toEqual([]);
  expect(await above()).toEqual([]);
  const line = JSON.stringify({ params: { capabilities: { experimental }, long: "x".repeat(1024 * 1024) } });
  expect(await above(line, "\n")).toEqual([]);
});

test("a client that is silent for five seconds names no host", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { above: found } = readHostsAbove(new PassThrough());
  let links: unknown;
  void found().then((read) => (links = read));
  await vi.advanceTimersByTimeAsync(4_999);
  await new Promise(setImmediate);
  expect(links).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await new Promise(setImmediate);
  expect(links).toEqual([]);
});
