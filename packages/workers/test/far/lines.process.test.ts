import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Worker } from "node:worker_threads";
import { describe, expect, onTestFinished, test } from "vitest";
import { readLines, writeLine } from "../../src/far/lines.ts";

/** Reads lines of at most so many bytes, and notes what comes. */
function reading(maxBytes = 10) {
  const heard: string[] = [];
  const stream = new PassThrough();
  readLines(stream, maxBytes, {
    line: (text) => void heard.push(text),
    tooLong: () => void heard.push("<too long>"),
    closed: () => void heard.push("<closed>"),
  });
  return { heard, stream };
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("the lines of a stream", () => {
  test("are read one by one, however the stream is cut", async () => {
    const { heard, stream } = reading();
    for (const part of ["on", "e\ntw", "o\nthree\n\nfo", "ur"]) stream.write(part);
    await settled();
    expect(heard).toEqual(["one", "two", "three", ""]);
    stream.write("\n");
    stream.end();
    await settled();
    expect(heard.slice(4)).toEqual(["four", "<closed>"]);
  });

  test.each([
    ["of the most bytes are read", ["12345", "67890\n"], ["1234567890"]],
    ["of more bytes end the stream", ["one\n", "12345678901\n", "two\n"], ["one", "<too long>", "<closed>"]],
    ["of more bytes end it before their end", ["12345678901"], ["<too long>", "<closed>"]],
    ["count their bytes, not their characters", ["éééééé\n"], ["<too long>", "<closed>"]],
  ])("that are %s", async (_, parts, expected) => {
    const { heard, stream } = reading();
    stream.on("error", () => {});
    for (const part of parts) stream.write(part);
    await settled();
    expect(heard).toEqual(expected);
    expect(stream.destroyed).toBe(expected.includes("<closed>"));
  });

  test("end with a stream that fails", async () => {
    const { heard, stream } = reading();
    stream.destroy(new Error("it broke"));
    await settled();
    expect(heard).toEqual(["<closed>"]);
  });

  test("that a listener cannot take are its own failure", () => {
    const stream = new PassThrough();
    const line = () => {
      throw new Error("no JSON");
    };
    readLines(stream, 10, { line, tooLong: line, closed: () => {} });
    expect(() => stream.emit("data", Buffer.from("a\n"))).toThrow(
      expect.objectContaining({ message: "no JSON" }),
    );
    expect(stream.destroyed).toBe(false);
  });

  test.each([
    [127, false],
    [128, true],
  ])("of which %i come at once let other work run in between: %s", async (count, pauses) => {
    const { heard, stream } = reading();
    await settled();
    stream.emit("data", Buffer.from("a\n".repeat(count)));
    expect([heard.length, stream.isPaused()]).toEqual([count, pauses]);
    await settled();
    expect(stream.isPaused()).toBe(false);
  });
});

describe("a line that is written", () => {
  /** A pipe of the file system, which holds 64 kB until it is read. */
  function pipe() {
    const folder = mkdtempSync(join(tmpdir(), "toolmount-lines-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    return { path, descriptor };
  }

  test("waits for the other side where there is no place for all of it", async () => {
    const { path, descriptor } = pipe();
    const text = "é".repeat(200_000);
    const bytes = Buffer.byteLength(text) + 1;
    const reader = new Worker(
      `const { workerData: { path, bytes }, parentPort } = require("node:worker_threads");
       const { openSync, readSync } = require("node:fs");
       const descriptor = openSync(path, "r");
       const all = Buffer.alloc(bytes);
       for (let at = 0; at < bytes; ) at += readSync(descriptor, all, at, Math.min(9_999, bytes - at));
       parentPort.postMessage(all.toString());`,
      { eval: true, workerData: { path, bytes } },
    );
    const read = new Promise((resolve) => reader.once("message", resolve));
    writeLine(descriptor, text);
    expect(await read).toBe(`${text}\n`);
    closeSync(descriptor);
    await reader.terminate();
  });

  test("to a channel that is closed fails", () => {
    const { descriptor } = pipe();
    closeSync(descriptor);
    expect(() => writeLine(descriptor, "a")).toThrow(expect.objectContaining({ code: "EBADF" }));
  });
});
