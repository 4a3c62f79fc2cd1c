import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStatusLine } from "../../src/screen/status-line.ts";
import { createScreen } from "../../src/screen/screen.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function terminal(isTTY = true) {
  const written: string[] = [];
  const screen = createScreen(
    { isTTY, columns: 40, write: (text: string) => written.push(text) },
    { NO_COLOR: "1" },
  );
  return { written, screen };
}

test("after half a second a line says what runs, moves, and is removed before anything else is written", () => {
  const { written, screen } = terminal();
  const status = createStatusLine(screen, {});
  status.show(["read_note", "find_note"]);
  vi.advanceTimersByTime(400);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(1_600);
  const moved = new Set(written.map((text) => text.slice(4, 5)));
  status.over(screen).line("the answer");

  expect(written.at(-3)?.slice(4)).toMatch(/^. read_note and 1 other call [12] s$/);
  expect(moved.size).toBeGreaterThan(5);
  expect(written.slice(-2)).toEqual(["\r\u001b[K", "the answer\n"]);
  const { length } = written;
  vi.advanceTimersByTime(5_000);
  expect(written).toHaveLength(length);
});

test.each([
  ["a pipe", false, {}],
  ["a dumb terminal", true, { TERM: "dumb" }],
])("%s gets no line that moves", (_, isTTY, env) => {
  const { written, screen } = terminal(isTTY);
  createStatusLine(screen, env).show(["read_note"]);
  vi.advanceTimersByTime(5_000);

  expect(written).toEqual([]);
});

test("the time keeps running while the same calls run, and begins again for others", () => {
  const { written, screen } = terminal();
  const status = createStatusLine(screen, {});
  status.show(["read_note"]);
  vi.advanceTimersByTime(2_400);
  status.show(["read_note"]);
  vi.advanceTimersByTime(120);
  expect(written.at(-1)?.slice(4)).toMatch(/^. read_note 2 s$/);

  const { length } = written;
  status.show(["find_note"]);
  vi.advanceTimersByTime(400);
  expect(written.slice(length)).toEqual(["\r\u001b[K"]);
  vi.advanceTimersByTime(200);
  expect(written.at(-1)?.slice(4)).toMatch(/^. find_note 0 s$/);

  status.show([]);
  vi.advanceTimersByTime(5_000);
  expect(written.at(-1)).toBe("\r\u001b[K");
});
