import { expect, test } from "vitest";
import { createScreen } from "../../src/screen/screen.ts";
import { wrapped } from "../../src/screen/wrap.ts";

type Sink = Parameters<typeof createScreen>[0];

function screenOf(sink: Partial<Sink>, env: Record<string, string> = {}) {
  let text = "";
  const whole = { write: (piece: string) => ((text += piece), true), ...sink };
  return { screen: createScreen(whole, env), read: () => text };
}

test.each<[boolean | undefined, Record<string, string>, boolean]>([
  [true, {}, true],
  [undefined, {}, false],
  [false, {}, false],
  [true, { TERM: "dumb" }, false],
  [true, { TERM: "xterm" }, true],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [true, { NO_COLOR: "0" }, false],
  [undefined, { FORCE_COLOR: "1" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [undefined, { FORCE_COLOR: "" }, false],
  [true, { FORCE_COLOR: "1", TERM: "dumb" }, true],
  [true, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("a terminal: %j with %j has colours: %j", (isTTY, env, hasColours) => {
  const { screen } = screenOf(isTTY === undefined ? {} : { isTTY }, env);

  expect(screen.paint(["bold", "red"], "x")).toBe(
    hasColours ? "\u001b[1m\u001b[31mx\u001b[39m\u001b[22m" : "x",
  );
});

test("only a terminal has columns, and one that says none has eighty", () => {
  expect(screenOf({ isTTY: true, columns: 40 }).screen.columns).toBe(40);
  expect(screenOf({ isTTY: true, columns: 0 }).screen.columns).toBe(80);
  expect(screenOf({ isTTY: true }).screen.columns).toBe(80);
  expect(screenOf({ columns: 40 }).screen.columns).toBeUndefined();
});

test("texts, lines and JSON are written as they are read", () => {
  const { screen, read } = screenOf({ isTTY: true, columns: 24 });
  screen.write("one ");
  screen.line();
  screen.line("  two words that do not fit there");
  screen.jsonLine({ a: [1] });
  screen.json({ a: 1 });

  expect(read()).toBe('one \n  two words that do not\n  fit there\n{"a":[1]}\n{\n  "a": 1\n}\n');
  expect(screen.isLost()).toBe(false);
  expect(screenOf({ lost: "EPIPE" }).screen.isLost()).toBe(true);
});

test.each<[string, number | undefined, number | undefined, string]>([
  ["one two", undefined, undefined, "one two"],
  ["one two", undefined, 2, "  one two"],
  ["a\n\nb", 30, 2, "  a\n\n  b"],
  ["x".repeat(30), 30, undefined, "x".repeat(30)],
  ["aaaa bbbb cccc dddd eeee f", 25, undefined, "aaaa bbbb cccc dddd eeee\nf"],
  ["aaaa bbbb cccc dddd eeee f", 25, 2, "  aaaa bbbb cccc dddd\n  eeee f"],
  ["    aaaa bbbb cccc dddd eeee", 24, undefined, "    aaaa bbbb cccc dddd\n    eeee"],
  ["aaaa bbbb cccc dddd eeee", 5, undefined, "aaaa bbbb cccc dddd\neeee"],
  ["x".repeat(45), 22, undefined, "x".repeat(45)],
  [
    "\u001b[1m  aaaa bbbb cccc dddd eeee",
    23,
    undefined,
    "  \u001b[1maaaa bbbb cccc dddd\u001b[22m\n  \u001b[1meeee",
  ],
])("%j in %j columns, behind %j spaces, is broken between words", (text, columns, indent, lines) => {
  expect(wrapped({ columns }, text, indent)).toBe(lines);
});
