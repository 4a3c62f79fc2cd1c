import fc from "fast-check";
import { expect, test } from "vitest";
import { Capture } from "../src/run/capture.ts";
import { showStream, withoutControls } from "../src/run/show-stream.ts";

test.each([
  ["\rprogress 1%\rprogress 100%\rall done\n", "all done 100%\n"],
  ["10%\r20%\r\x1b[Kdone\n", "done\n"],
  ["long line\rshort\x1b[K\nnext\n", "short\nnext\n"],
  ["abc\r\x1b[2Kx\n", "x\n"],
  ["ab\bc\n", "ac\n"],
  ["\b\bx\n", "x\n"],
  ["abc\x1b[2Kx\ry\n", "y  x\n"],
  ["abc\b\x1b[2K\n", "\n"],
  ["line\r\nother\r\n", "line\r\nother\r\n"],
  ["a\x1b[31mred\x1b[0m\n", "ared\n"],
  ["50%\r", "50%\r"],
  ["", ""],
])("the output %j is shown as a terminal shows it: %j", (printed, shown) => {
  expect(withoutControls(printed)).toBe(shown);
});

test("a long line that is erased again and again is shown as its last piece", () => {
  const printed = `\r${"x".repeat(500_000)}${"\x1b[2K.".repeat(100_000)}`;

  expect(withoutControls(printed) === `${" ".repeat(599_999)}.`).toBe(true);
});

test("text without controls is as it is", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/[^\P{Cc}\t\n]/u.test(text));
      expect(withoutControls(text)).toBe(text);
    }),
  );
});

test("output that is larger than the limit only by its progress is shown whole", () => {
  const capture = new Capture(1_000_000);
  capture.add(Buffer.from("start\n"));
  for (let at = 0; at <= 10_000; at++) capture.add(Buffer.from(`\rprogress ${at}`));
  capture.add(Buffer.from("\nend\n"));

  expect(showStream(capture, 1000, "cmd_1")).toEqual({
    text: "start\nprogress 10000\nend\n",
    left: null,
  });
});
