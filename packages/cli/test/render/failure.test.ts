import { ToolmountError } from "@toolmount/core";
import { PathError } from "@toolmount/paths";
import { expect, test } from "vitest";
import { reportFailure } from "../../src/render/failure.ts";
import { markedScreen } from "../support/marked-screen.ts";

/** What people read of a failure, what programs read, and the exit code. */
function reported(error: unknown, verbosity = "normal") {
  const [out, err] = [markedScreen(), markedScreen()];
  const shell = { out: out.screen, err: err.screen, cwd: "/", settings: { verbosity } } as never;
  const code = reportFailure(error, shell, false);
  expect(reportFailure(error, shell, true)).toBe(code);
  return { code, lines: err.lines(), json: JSON.parse(out.lines().join("\n")) as unknown };
}

const usage = new ToolmountError("USAGE_INVALID", { problem: "no" }, { cause: new Error("deep") });

test("an error of the command says its code and message, without a stack", () => {
  expect(reported(usage)).toEqual({
    code: 2,
    lines: [`red(USAGE_INVALID) ${usage.message}`],
    json: { error: { code: "USAGE_INVALID", message: usage.message, details: { problem: "no" } } },
  });
});

test("the cause is shown with --debug", () => {
  const { lines } = reported(usage, "debug");

  expect(lines[1]).toMatch(/^dim\(Error: deep$/);
  expect(lines.length).toBeGreaterThan(2);
  expect(reported(new ToolmountError("USAGE_INVALID", { problem: "no" }), "debug").lines).toHaveLength(1);
});

test.each(["\u0007boom", new Error("\u0007boom")])(
  "what is no error of toolmount is a bug, with its stack",
  (thrown) => {
    const { code, lines, json } = reported(thrown);

    expect(code).toBe(1);
    expect(lines[0]).toContain("toolmount failed: \\u0007boom");
    expect(lines.length > 1).toBe(thrown instanceof Error);
    expect(json).toMatchObject({ error: { code: "INTERNAL" } });
  },
);

test.each([
  ["PLAN_NOT_FOUND", { searched: "/" }, 78, "toolmount init writes a plan; --plan names one"],
  ["TICKET_INVALID", {}, 1, "resume with the --session and --user of the call"],
  ["TOOL_NOT_FOUND", { name: "x" }, 1, "toolmount list shows the tools"],
] as const)("%s has a hint", (name, details, code, hint) => {
  const end = reported(new ToolmountError(name, details));

  expect(end).toMatchObject({ code, json: { error: { hint: expect.stringContaining(hint) } } });
  expect(end.lines.at(-1)).toContain(`  cyan(hint:) ${hint}`);
});

test.each([
  [
    system("ENOENT: no such file or directory, open '/x'", { code: "ENOENT", syscall: "open", path: "/x" }),
    "/x: no such file or directory (open, ENOENT); correct its permissions, or name another place",
  ],
  [
    system("ENOSPC: no space left on device, write", { code: "ENOSPC", syscall: "write" }),
    "no space left on device (write, ENOSPC); free some space, and run the command again",
  ],
  [
    new PathError("OS_ERROR", { path: "a.yaml", errno: "EDQUOT", problem: "disk quota exceeded" }),
    "disk quota exceeded (EDQUOT): a.yaml; free some space, and run the command again",
  ],
  [
    new PathError("FILE_CHANGED", { path: "a.yaml" }),
    "File was changed by another writer: a.yaml; run the command again",
  ],
  [
    system("database disk image is malformed", { code: "ERR_SQLITE_ERROR", errcode: 267 }),
    "the file of the plan's state: database disk image is malformed; put a copy of it back, or move it away and begin with new state",
  ],
  [
    new ToolmountError(
      "STORE_FAILED",
      {},
      {
        cause: system("database or disk is full", { code: "ERR_SQLITE_ERROR", errcode: 13 }),
      },
    ),
    "the file of the plan's state: database or disk is full; free some space, and run the command again",
  ],
] as const)("an error of the file system says what to do: %s", (error, line) => {
  expect(reported(error)).toMatchObject({ code: 2, lines: [`red(USAGE_INVALID) ${line}`] });
});

function system(message: string, facts: object): Error {
  return Object.assign(new Error(message), facts);
}

test("the problems of a plan are counted, and those are the failure", () => {
  const problem = {
    code: "CONFIG_INVALID",
    message: "no",
    severity: "error",
    file: "/plan.yaml",
    line: 2,
    column: 3,
  };
  const end = reported(new ToolmountError("PLAN_INVALID", { problems: [problem], count: 1, report: "" }));

  expect(end.code).toBe(78);
  expect(end.lines.at(-1)).toBe("red(✖ 1 problem)");
  expect(end.json).toEqual({
    error: { code: "PLAN_INVALID", message: "the mount plan has 1 problem", problems: [problem] },
  });
});
