import { expect, test } from "vitest";
import { exitCodeOfReplay, tapeOf } from "../../src/options/tape-options.ts";
import { markedScreen } from "../support/marked-screen.ts";

test.each([
  [[], 0, 0],
  [[], 2, 2],
  [["call 1: other arguments\u0007", "call 2 was not made"], 0, 1],
  [["call 1: other arguments\u0007", "call 2 was not made"], 2, 2],
] as const)("with the differences %j the exit code %i becomes %i", (differences, code, ended) => {
  const { screen, lines } = markedScreen();
  const host = { replayDifferences: () => differences };

  expect(exitCodeOfReplay(host as never, code as never, { err: screen } as never)).toBe(ended);
  expect(lines()).toEqual(
    differences.map((difference) => `red(replay differs:) ${difference.replace("\u0007", "\\u0007")}`),
  );
});

test("calls are recorded or replayed, not both", () => {
  expect(tapeOf({})).toEqual({});
  expect(tapeOf({ record: "a" })).toEqual({ record: "a" });
  expect(tapeOf({ replay: "b" })).toEqual({ replay: "b" });
  expect(() => tapeOf({ record: "a", replay: "b" })).toThrow("give --record or --replay, not both");
});
