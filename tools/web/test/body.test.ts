import { Readable } from "node:stream";
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
  type InputType,
} from "node:zlib";
import { expect, test } from "vitest";
import { readBody } from "../src/fetch/body.ts";

const text = "hello world ".repeat(2000);
const limits = { max_download_bytes: 100_000, max_decoded_bytes: 100_000 };
const read = (encoding: string, chunks: readonly Buffer[], own = limits) =>
  readBody(Readable.from(chunks), encoding, own, new AbortController().signal).then(String);

const encodings: readonly [string, (text: InputType) => Buffer][] = [
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
];
const tails = ["", "\0".repeat(10), "\r\n", "<!-- from the cache -->", "\x1f\x8b\x01\x02\x03"];

test.each(encodings.flatMap(([name, compress]) => tails.map((tail) => [name, compress, tail] as const)))(
  "what comes after the end of a body in %s is left out, as browsers do (%o, %j)",
  async (name, compress, tail) => {
    const [body, rest] = [compress(text), Buffer.from(tail, "latin1")];

    expect(await read(name, [Buffer.concat([body, rest])])).toBe(text);
    expect(await read(name, [body, rest])).toBe(text);
  },
);

test.each(encodings)("a body in %s that is cut or broken is refused (%o)", async (name, compress) => {
  const body = compress(text);

  await expect(read(name, [body.subarray(0, -1)])).rejects.toThrow("its encoding is not");
  await expect(read(name, [Buffer.from("<html>")])).rejects.toThrow("its encoding is not");
  await expect(read(name, [body], { ...limits, max_decoded_bytes: 1000 })).rejects.toThrow("more than 1000");
  await expect(read(name, [body], { ...limits, max_download_bytes: 10 })).rejects.toThrow("more than 10 b");
});

test("every member of a gzip body is read, with all that a header may have, and its checksum counts", async () => {
  const [one, two] = [gzipSync("one "), gzipSync("two")];
  const flagged = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 2 + 4 + 8 + 16, 0, 0, 0, 0, 0, 3, 3, 0, 1, 2, 3]),
    Buffer.from("name\0comment\0\x01\x02", "latin1"),
    one.subarray(10),
  ]);
  const wrong = Buffer.from(two);
  wrong[two.length - 8]! ^= 1;

  expect(await read("gzip", [flagged, two])).toBe("one two");
  await expect(read("gzip", [one, wrong])).rejects.toThrow("its encoding is not gzip");
});

test("a body of many empty members ends when its call is cancelled", async () => {
  const member = gzipSync("");
  const body = Buffer.concat(Array<Buffer>(Math.floor(100_000 / member.length)).fill(member));
  const stop = new AbortController();
  const reading = readBody(Readable.from([body]), "gzip", limits, stop.signal);
  setImmediate(() => stop.abort(new Error("stopped")));

  await expect(reading).rejects.toThrow("stopped");
});

test("a body without bytes has no encoding, and a cancelled read ends", async () => {
  const stop = new AbortController();
  const endless = new Readable({ read: () => {} });
  const reading = readBody(endless, "gzip", limits, stop.signal);
  stop.abort(new Error("stopped"));

  await expect(reading).rejects.toThrow("stopped");
  expect(endless.destroyed).toBe(true);
  expect(await read("gzip", [])).toBe("");
});
