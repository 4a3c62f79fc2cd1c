import { describe, expect, test } from "vitest";
import type { PlanMap } from "../../src/diagnostics/positions.ts";
import {
  byPlace,
  createReporter,
  makeProblem,
  maskProblem,
  planError,
} from "../../src/diagnostics/problems.ts";
import { createPlanText } from "../../src/diagnostics/source-text.ts";

describe("a problem of a plan", () => {
  const text = createPlanText("plan.yaml", "a: 1\n");
  const details = { problem: "it is wrong" };
  const place = { text, offset: 3 };

  test("says its place, its frame and its hint where it has them", () => {
    expect(makeProblem("PLAN_VALUE_INVALID", details)).toEqual({
      code: "PLAN_VALUE_INVALID",
      message: "it is wrong",
      details,
    });
    expect(makeProblem("PLAN_VALUE_INVALID", details, { path: ["a", 0], place, hint: "fix it" })).toEqual({
      code: "PLAN_VALUE_INVALID",
      message: "it is wrong",
      path: "a[0]",
      file: "plan.yaml",
      line: 1,
      column: 4,
      frame: "> 1 | a: 1\n    |    ^",
      hint: "fix it",
      details,
    });
    expect(makeProblem("PLAN_VALUE_INVALID", details, { path: [] })).not.toHaveProperty("path");
  });

  test("has at most 1000 characters of a text, and 100 members of a list", () => {
    const long = makeProblem("PLAN_VALUE_INVALID", { problem: "x".repeat(2_000) });
    const many = makeProblem("SOURCE_NOT_FOUND", {
      source: "s",
      tried: Array<string>(200).fill("y".repeat(2_000)),
    });

    expect([long.message.length, String(long.details!["problem"]).length]).toEqual([1_000, 1_000]);
    expect(many.details!["tried"]).toEqual(Array(100).fill("y".repeat(1_000)));
  });

  test("has its secrets masked in its message, hint and details", () => {
    const mask = (said: string) => said.replaceAll("key", "***");
    const hide = maskProblem(mask);
    const problem = { code: "PLAN_VALUE_INVALID" as const, message: "a key", frame: "key: x" };

    expect(hide({ ...problem, hint: "no key", details: { a: "key", b: ["key", 1], c: 2 } })).toEqual({
      ...problem,
      message: "a ***",
      hint: "no ***",
      details: { a: "***", b: ["***", 1], c: 2 },
    });
    expect(hide(problem)).toEqual({ ...problem, message: "a ***", details: {} });
  });

  test("is reported with the place of its key or value", () => {
    const map: PlanMap = new Map([["/a", { text, key: 0, value: 3 }]]);
    const { report, problems } = createReporter(map);
    report("PLAN_VALUE_INVALID", details, { path: ["a"] });
    report("PLAN_VALUE_INVALID", details, { path: ["a"], part: "key", hint: "h" });

    expect(problems.map(({ column, hint }) => [column, hint])).toEqual([
      [4, undefined],
      [1, "h"],
    ]);
  });

  test("is sorted by the order of files, lines and columns", () => {
    const of = (file?: string, line?: number, column?: number) => ({ file, line, column }) as never;
    const sorted = [of("b", 1, 1), of("a", 2, 1), of("a", 1, 2), of("a", 1, 1), of()].toSorted(byPlace);

    expect(sorted).toEqual([of(), of("a", 1, 1), of("a", 1, 2), of("a", 2, 1), of("b", 1, 1)]);
  });
});

describe("the error of a plan", () => {
  const problem = (more: object = {}) => ({ code: "PLAN_VALUE_INVALID" as const, message: "wrong", ...more });

  test("lists its problems, as a compiler prints them", () => {
    const cause = new Error("why");
    const placed = {
      file: "p.yaml",
      line: 2,
      column: 3,
      path: "a",
      frame: "> 2 | a\n    | ^",
      hint: "fix it",
    };
    const error = planError([problem(placed), problem({ path: "b" })], { cause });

    expect(error.cause).toBe(cause);
    expect(error.details).toMatchObject({ count: 2, problems: [{ path: "b" }, { path: "a" }] });
    expect(error.details).not.toHaveProperty("file");
    expect(error.details.report).toBe(
      [
        "PLAN_VALUE_INVALID: wrong",
        "  at b",
        "",
        "PLAN_VALUE_INVALID: wrong",
        "  at p.yaml:2:3 (a)",
        "  > 2 | a",
        "      | ^",
        "  hint: fix it",
      ].join("\n"),
    );
    expect(planError([problem(placed)]).details).toMatchObject({ file: "p.yaml", line: 2, column: 3 });
    expect(planError([problem({ file: "p.yaml" })]).details).toMatchObject({ line: 1, column: 1 });
    expect(planError([problem({ file: "p.yaml", line: 4, column: 5 })]).details.report).toContain(
      "\n  at p.yaml:4:5",
    );
  });

  const detailsOf = (problems: Parameters<typeof planError>[0]) =>
    planError(problems).details as { count: number; problems: readonly unknown[]; report: string };

  test("counts the problems beyond a hundred, and those beyond 20000 characters", () => {
    const { count, problems, report } = detailsOf(Array.from({ length: 101 }, () => problem()));
    expect([count, problems.length, report.split("\n\n").at(-1)]).toEqual([101, 100, "and 1 more"]);
    expect(detailsOf(Array.from({ length: 100 }, () => problem())).report).not.toContain("more");

    const long = detailsOf(Array.from({ length: 30 }, () => problem({ message: "x".repeat(980) }))).report;
    expect(long.split("\n\n")).toHaveLength(21);
    expect(long).toMatch(/and 10 more$/);
    expect(detailsOf([problem({ message: "x".repeat(30_000) })]).report).toHaveLength(30_020);
  });
});
