import { expect, test } from "vitest";
import { guardLogger, silentLogger, type Logger } from "../../src/contract/logger.ts";
import { lineOf, placeOf, placeText } from "../../src/pending/place.ts";
import { createRedactor } from "../../src/text/redact.ts";

const levels = ["trace", "debug", "info", "warn", "error"] as const;

/** A logger that keeps its lines with the bindings of its children, or throws. */
function recorder(fails = false) {
  const lines: unknown[][] = [];
  let children = 0;
  const make = (bindings: object): Logger => {
    const at = (level: string) => (fields: object, message?: string) => {
      if (fails) throw new Error("no disk");
      lines.push([level, bindings, fields, message]);
    };
    return {
      trace: at("trace"),
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      child: (more) => {
        children++;
        return make({ ...bindings, ...more });
      },
    };
  };
  return { logger: make({}), lines, children: () => children };
}

test("a guarded logger passes on each level, its fields and its message", () => {
  const { logger, lines } = recorder();
  for (const level of levels) guardLogger(logger)[level]({ at: level }, `said ${level}`);
  guardLogger(logger).info({ a: 1 });

  expect(lines).toEqual([
    ...levels.map((level) => [level, {}, { at: level }, `said ${level}`]),
    ["info", {}, { a: 1 }, undefined],
  ]);
});

test("a text that a module in JavaScript logs alone is the message", () => {
  const { logger, lines } = recorder();
  const guarded = guardLogger(logger) as unknown as Record<string, (text: string) => void>;
  for (const level of levels) guarded[level]!(`said ${level}`);
  (guardLogger(logger).child({ tool: "t" }) as unknown as typeof guarded)["warn"]!("little is left");

  expect(lines).toEqual([
    ...levels.map((level) => [level, {}, {}, `said ${level}`]),
    ["warn", { tool: "t" }, {}, "little is left"],
  ]);
});

test("a child is made once, when it first writes, with the bindings of those above it", () => {
  const { logger, lines, children } = recorder();
  const child = guardLogger(logger).child({ call: 1 });
  const inner = child.child({ tool: "t" });
  expect(children()).toBe(0);
  inner.warn({}, "first");
  inner.warn({}, "second");
  child.warn({}, "third");

  expect(children()).toBe(2);
  expect(lines).toEqual([
    ["warn", { call: 1, tool: "t" }, {}, "first"],
    ["warn", { call: 1, tool: "t" }, {}, "second"],
    ["warn", { call: 1 }, {}, "third"],
  ]);
});

test("a log that fails does not fail what it is about, and the silent logger stays as it is", () => {
  const guarded = guardLogger(recorder(true).logger);
  for (const level of levels) expect(guarded[level]({}, "text")).toBeUndefined();
  guarded.child({ a: 1 }).error({}, "text");

  expect(guardLogger(silentLogger)).toBe(silentLogger);
  expect(silentLogger.child({ a: 1 })).toBe(silentLogger);
  for (const level of levels) expect(silentLogger[level]({}, "text")).toBeUndefined();
});

test("a program's call has its line, its code made visible, and the calls before it", () => {
  const host = { redact: createRedactor(["s3cret-value"]) };
  const parent = { tool: { name: "run_program" }, inner: { count: 13 } };
  const made = (place: unknown, above: unknown = parent) =>
    ({ host, parent: above, request: { name: "pay", place } }) as never;
  const place = { line: 3, code: "  pay('s3cret-value')\u202e " };

  expect(placeOf(made(place))).toEqual({
    place: { tool: "run_program", line: 3, code: "pay('[masked]')\\u{202e}", after: 12 },
  });
  expect(lineOf(made(place))).toEqual({ place: { line: 3, code: "pay('[masked]')\\u{202e}" } });
  expect(placeOf(made({ line: 1, code: "x".repeat(300) }, { ...parent, inner: null }))).toEqual({
    place: { tool: "run_program", line: 1, code: "x".repeat(200), after: 0 },
  });
  for (const odd of [undefined, { line: "3", code: "x" }, { line: 3, code: 7 }, { line: 3 }]) {
    expect(placeOf(made(odd))).toEqual({});
    expect(lineOf(made(odd))).toEqual({});
  }
  expect(placeOf(made(place, null))).toEqual({});
});

test("the place is said in words, with one call or several", () => {
  const place = { tool: "run_program", line: 3, code: "pay()", after: 1 };

  expect(placeText(place)).toBe("line 3 of run_program, after 1 call: pay()");
  expect(placeText({ ...place, after: 12 })).toBe("line 3 of run_program, after 12 calls: pay()");
  expect(placeText({ ...place, after: 0 })).toBe("line 3 of run_program, after 0 calls: pay()");
});
