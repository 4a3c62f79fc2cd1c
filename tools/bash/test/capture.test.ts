import { expect, test } from "vitest";
import { Capture } from "../src/run/capture.ts";

/** A capture that keeps `keep` bytes and got these texts. */
function captured(keep: number, ...texts: readonly string[]): Capture {
  const capture = new Capture(keep);
  for (const text of texts) capture.add(Buffer.from(text));
  return capture;
}

const pageOf = (capture: Capture, offset: number, limit: number) => {
  const page = capture.page(offset, limit);
  return [page.bytes.toString(), page.offset];
};

test("a page has the bytes from its offset on, at most as many as it may", () => {
  const capture = captured(8, "abcd", "efgh", "ij");

  expect([capture.totalBytes, capture.keptBytes, capture.lines]).toEqual([10, 10, 0]);
  expect(pageOf(capture, 0, 4)).toEqual(["abcd", 0]);
  expect(pageOf(capture, 0, 5)).toEqual(["abcde", 0]);
  expect(pageOf(capture, 3, 3)).toEqual(["def", 3]);
  expect(pageOf(capture, 4, 100)).toEqual(["efghij", 4]);
  expect(pageOf(capture, 9, 1)).toEqual(["j", 9]);
  expect(pageOf(capture, 10, 1)).toEqual(["", 10]);
  expect(pageOf(capture, 99, 1)).toEqual(["", 10]);
  expect(pageOf(capture, 0, 0)).toEqual(["", 0]);
  expect([capture.start(3).toString(), capture.end(3).toString(), capture.end(99).toString()]).toEqual([
    "abc",
    "hij",
    "abcdefghij",
  ]);
});

test("lines are counted by their ends, in all pieces", () => {
  expect(captured(8, "a\nb\n\nc", "\n", "d").lines).toBe(4);
  expect(captured(8, "").lines).toBe(0);
});

test("beyond the bound, whole blocks are dropped from the middle, and a page there begins after them", () => {
  const block = 65_536;
  const head = "h".repeat(10);
  const capture = captured(20, head, "a".repeat(block), "b".repeat(block), "c".repeat(9));
  expect([capture.totalBytes, capture.keptBytes]).toEqual([10 + 2 * block + 9, 10 + block + 9]);
  expect(pageOf(capture, 9, 1)).toEqual(["h", 9]);
  expect(pageOf(capture, 9, 5)).toEqual(["h", 9]);
  expect(pageOf(capture, 10, 2)).toEqual(["bb", 10 + block]);
  expect(pageOf(capture, 10 + block - 1, 2)).toEqual(["bb", 10 + block]);
  expect(pageOf(capture, 10 + block, 2)).toEqual(["bb", 10 + block]);
  expect(pageOf(capture, 10 + 2 * block - 1, 3)).toEqual(["bcc", 10 + 2 * block - 1]);

  capture.add(Buffer.from("d"));
  expect(capture.keptBytes).toBe(10 + 10);
  expect(pageOf(capture, 10, 20)).toEqual(["cccccccccd", 10 + 2 * block]);
});

test("at least a byte of the start and of the end is kept", () => {
  const capture = captured(0, "abc");

  expect([capture.start(1).toString(), capture.end(1).toString()]).toEqual(["a", "c"]);
});
