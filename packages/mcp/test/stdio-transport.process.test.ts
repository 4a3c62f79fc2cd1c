import { SdkErrorCode, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { StdioTransport } from "../src/mount/stdio-transport.ts";
import { MessageTooLarge } from "../src/wire/message-size.ts";
import { notingLogger } from "./support.ts";

/** A transport to a program of the shell, and what it reports. */
function transportTo(script: string, maxMessageBytes = 10_000) {
  const { logger, lines } = notingLogger();
  const program = { command: "/bin/sh", args: ["-c", script], env: {}, cwd: undefined };
  let started = 0;
  const onStarted = () => void started++;
  const transport = new StdioTransport({ ...program, maxMessageBytes, logger, onStarted });
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  let closed = 0;
  // oxlint-disable unicorn/prefer-add-event-listener -- the SDK gives transports no other way
  transport.onmessage = (message) => void messages.push(message);
  transport.onerror = (error) => void errors.push(error);
  transport.onclose = () => void closed++;
  // oxlint-enable unicorn/prefer-add-event-listener
  onTestFinished(() => transport.close());
  return { transport, lines, messages, errors, closed: () => closed, started: () => started };
}

const ping: JSONRPCMessage = { jsonrpc: "2.0", id: 1, method: "ping" };

test("a message that is sent is a line of the program's input, and each line that it prints is a message", async () => {
  const { transport, messages, closed, started } = transportTo("cat");
  expect([transport.pid, transport.stderr]).toEqual([null, null]);
  await transport.start();
  expect([typeof transport.pid, started()]).toEqual(["number", 1]);
  await transport.send(ping);
  await vi.waitUntil(() => messages.length === 1, 60_000);
  expect(messages).toEqual([ping]);
  await transport.close();
  await transport.close();
  expect([closed(), transport.ended, transport.refused]).toEqual([1, undefined, undefined]);
});

test("a line that is no message is logged, the first as a warning, and an empty one is left out", async () => {
  const strays = ["starting", "[]", '{"jsonrpc":"2.0"}'];
  const answer = '{"id":1,"result":null}';
  const { transport, messages, lines } = transportTo(
    `read line; printf '%s\\n' '' '  ' '${[...strays, answer].join("' '")}'; cat`,
  );
  await transport.start();
  await transport.send(ping);
  await vi.waitUntil(() => lines.length === strays.length && messages.length === 1, 60_000);
  expect(messages).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  const words = "the server wrote a line to stdout that is no message";
  expect(lines).toEqual(strays.map((line, at) => [at === 0 ? "warn" : "debug", { line }, words]));
});

test("the last line of a program need not have an end", async () => {
  const { transport, messages, closed } = transportTo(`read line; printf '{"id":1,"result":{}}'`);
  await transport.start();
  await transport.send(ping);
  await vi.waitUntil(() => closed() === 1, 60_000);
  expect(messages).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
});

test("what it writes to stderr is logged, and its last words are known", async () => {
  const long = "x".repeat(2_001);
  const { transport, lines } = transportTo(`echo ${long} >&2; echo ${long}; read line; echo no key >&2; cat`);
  await transport.start();
  await vi.waitUntil(() => lines.length === 2, 60_000);
  await transport.send(ping);
  await vi.waitUntil(() => transport.lastWords.endsWith("no key\n"), 60_000);
  expect(transport.lastWords).toBe(`${long}\nno key\n`.slice(-2_000));
  const cut = "x".repeat(2_000);
  expect(lines).toEqual(
    expect.arrayContaining([
      ["debug", { stderr: cut }, "the server wrote to stderr"],
      ["warn", { line: cut }, "the server wrote a line to stdout that is no message"],
      ["debug", { stderr: "no key\n" }, "the server wrote to stderr"],
    ]),
  );
});

describe("a program that ends", () => {
  test.each([
    ["by itself", "exit 0", "it ended with code 0"],
    ["with a failure", "exit 3", "it ended with code 3"],
    ["by a signal", "kill -9 $$", "it was ended by SIGKILL"],
  ])("%s closes the connection, which knows how", async (_, script, ended) => {
    const { transport, closed } = transportTo(script);
    await transport.start();
    await vi.waitUntil(() => closed() === 1, 60_000);
    expect(transport.ended).toBe(ended);
    await expect(transport.send(ping)).rejects.toMatchObject({
      code: SdkErrorCode.NotConnected,
      message: "the server is not running",
    });
  });

  test.each([
    ["with a failure", "trap '' TERM; read line; exit 3", "it ended with code 3"],
    ["as it should", "trap '' TERM; read line; exit 0", undefined],
  ])("%s when it is asked to", async (_, script, ended) => {
    const { transport } = transportTo(script);
    await transport.start();
    await transport.close();
    expect(transport.ended).toBe(ended);
  });
});

test("a transport sends nothing before its start, and does not start after its end", async () => {
  const { transport, closed } = transportTo("cat");
  await expect(transport.send(ping)).rejects.toMatchObject({ code: SdkErrorCode.NotConnected });
  await transport.close();
  await expect(transport.start()).rejects.toMatchObject({
    code: SdkErrorCode.ConnectionClosed,
    message: "the transport is closed",
  });
  expect(closed()).toBe(1);
});

test("a program that is not there cannot be started", async () => {
  const { logger } = notingLogger();
  const program = { command: "/no/such/program", args: [], env: {}, cwd: undefined };
  const transport = new StdioTransport({ ...program, maxMessageBytes: 1, logger });
  await expect(transport.start()).rejects.toMatchObject({ code: "ENOENT" });
  await transport.close();
});

test("a message that is too long is refused, and ends the connection", async () => {
  const { transport, errors, messages, closed } = transportTo(
    `printf '%s\\n' '${"x".repeat(101)}'; cat`,
    100,
  );
  await transport.start();
  await vi.waitUntil(() => closed() === 1, 60_000);
  expect(transport.refused).toBeInstanceOf(MessageTooLarge);
  expect(errors).toEqual([transport.refused]);
  expect([messages, transport.ended]).toEqual([[], undefined]);
});
