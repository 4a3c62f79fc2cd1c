import { errorMessage, isRunnerFailure, messageOf, RunnerFailure } from "@toolmount/core/errors";
import { expect, test } from "vitest";
import { isToolmountError, ToolError, ToolmountError, type ErrorCode } from "../../src/index.ts";

const place = { file: "plan.yaml", line: 3, column: 5 };

/** What a person or a model reads, with each part that is there only sometimes. */
test.each<[ErrorCode, object, string]>([
  ["TOOL_NOT_FOUND", { tool: "raed" }, 'no tool named "raed" is mounted'],
  ["TOOL_NOT_FOUND", { tool: "raed", near: [] }, 'no tool named "raed" is mounted'],
  [
    "TOOL_NOT_FOUND",
    { tool: "raed", near: ["read", "rename"] },
    'no tool named "raed" is mounted; did you mean "read" or "rename"?',
  ],
  ["PENDING", { tool: "pay", waitsFor: "approval" }, 'waiting for a person to approve "pay"'],
  ["PENDING", { tool: "pay", waitsFor: "client" }, 'waiting for the client to run "pay"'],
  ["PENDING", { tool: "pay", waitsFor: "run" }, 'waiting for "pay" to end'],
  ["CANCELLED", {}, "Request was cancelled"],
  ["TOOL_FAILED", { tool: "pay" }, "pay failed"],
  ["TOOL_FAILED", { tool: "pay", message: "no money" }, "no money"],
  [
    "LOCK_DRIFT",
    { file: "a.ts", change: "is gone" },
    'the file "a.ts" is gone, so nothing of the plan is run',
  ],
  [
    "LOCK_DRIFT",
    { tool: "pay", isLocked: false },
    '"pay" is not in the lock file; review it and accept it with toolmount lock --accept',
  ],
  [
    "LOCK_DRIFT",
    { tool: "pay", isLocked: true },
    'the definition of "pay" differs from the lock file; review it and accept it with toolmount lock --accept',
  ],
  ["INTERNAL", {}, "the host failed; see its log"],
  ["INTERNAL", { message: "broken" }, "broken"],
  [
    "TICKET_INVALID",
    {},
    "no waiting call of this session has this ticket; check the ticket, the session and the user",
  ],
  ["APPROVAL_NOT_FOUND", {}, "no approval has this id; toolmount approvals lists the ids"],
  ["AGENT_NOT_FOUND", { agent: "x", known: [] }, 'there is no agent "x"; the plan has no agents'],
  ["AGENT_NOT_FOUND", { agent: "x", known: ["a", "b"] }, 'there is no agent "x"; the plan has a, b'],
  ["MODE_UNKNOWN", { mode: "x", known: [] }, 'there is no mode "x"; the catalog has no modes'],
  ["MODE_UNKNOWN", { mode: "x", known: ["a", "b"] }, 'there is no mode "x"; the catalog has a, b'],
  ["STORE_FAILED", {}, "the store failed and confirmed nothing; see the host's log, then try again"],
  [
    "TOOL_DUPLICATE",
    { tool: "read", existing: "read", owner: "b", existingOwner: "a" },
    'tool "read" is mounted by both a and b; rename one with a prefix or "as", or set override: true',
  ],
  [
    "TOOL_DUPLICATE",
    { tool: "re_ad", existing: "read", owner: "b", existingOwner: "a" },
    'tool "re_ad" of b is too close to "read" of a: names may not differ only in case, "-" or "_"',
  ],
  ["HOST_CLOSED", {}, "the host is closed; open a new one"],
  ["EXTENSION_MISSING", { what: "it", module: "m" }, "it needs m, which is not installed"],
  [
    "EXTENSION_MISSING",
    { what: "it", module: "m", install: "npm install m" },
    "it needs m, which is not installed; install it with: npm install m",
  ],
  ["PLAN_INVALID", { count: 1 }, "the mount plan has a problem"],
  ["PLAN_INVALID", { count: 2 }, "the mount plan has 2 problems"],
  ["PLAN_INVALID", { count: 2, report: "lines" }, "the mount plan has 2 problems\n\nlines\n"],
  [
    "PLAN_SERVES_ITSELF",
    { path: "p" },
    "p is served to itself: an entry leads to a server of the same plan, directly or through another plan; remove that entry",
  ],
  [
    "PLAN_SERVES_ITSELF",
    { path: "p", hosts: 8 },
    "p runs behind 8 other hosts, each of which mounts the next: a plan starts itself again and again; remove the entry that starts it",
  ],
  ["PLAN_KEY_UNKNOWN", { key: "a" }, 'unknown key "a"'],
  ["PLAN_KEY_UNKNOWN", { key: "a", near: "b" }, 'unknown key "a"; did you mean "b"?'],
  ["SOURCE_NOT_FOUND", { source: "s" }, 'module "s" was not found'],
  ["SOURCE_NOT_FOUND", { source: "s", tried: [] }, 'module "s" was not found'],
  ["SOURCE_NOT_FOUND", { source: "s", tried: ["a", "b"] }, 'module "s" was not found; tried a, b'],
  ["MODULE_IMPORT_FAILED", { module: "m", problem: "p" }, 'module "m" cannot be imported: p'],
  [
    "MODULE_MOUNT_FAILED",
    { module: "m", problem: "p", origin: { file: "m.ts", line: 2, column: 7, frame: "" } },
    'module "m" failed to mount: p (at m.ts:2:7)',
  ],
])("%s with %j", (code, details, message) => {
  expect(errorMessage(code, details as never)).toBe(message);
  expect(new ToolmountError(code, details as never).message).toBe(message);
});

const membersOf = (error: Error) => ({
  ...Object.fromEntries(Object.entries(error)),
  message: error.message,
  cause: error.cause,
});

test("an error keeps its code, its details with the place, its name and its cause", () => {
  const cause = new Error("why");
  const error = new ToolmountError("PLAN_SYNTAX", { problem: "a tab", ...place }, { cause });

  expect(membersOf(error)).toEqual({
    name: "ToolmountError",
    code: "PLAN_SYNTAX",
    details: { problem: "a tab", ...place },
    message: "a tab",
    cause,
  });
  expect(isToolmountError(error)).toBe(true);
});

test("errors of another copy of core are known by their name and members", () => {
  const like = (members: object) => Object.assign(new Error("x"), members);
  const mount = { name: "ToolmountError", code: "HOST_CLOSED", details: {} };
  const runner = { name: "RunnerFailure", code: "UNAVAILABLE", status: "failed" };

  expect(isToolmountError(like(mount))).toBe(true);
  expect(isRunnerFailure(like(runner))).toBe(true);
  for (const other of [mount, new Error("x"), like({ ...mount, name: "Error" }), null])
    expect(isToolmountError(other)).toBe(false);
  for (const key of ["code", "details"] as const) {
    const { [key]: _, ...rest } = mount;
    expect(isToolmountError(like(rest))).toBe(false);
  }
  for (const other of [runner, new Error("x"), like({ ...runner, name: "Error" }), null])
    expect(isRunnerFailure(other)).toBe(false);
  for (const key of ["code", "status"] as const) {
    const { [key]: _, ...rest } = runner;
    expect(isRunnerFailure(like(rest))).toBe(false);
  }
});

test("what tools and runners throw has its options, and a runner's failure is failed unless it says otherwise", () => {
  const cause = new Error("why");
  const tool = new ToolError("no such note", { code: "NOTE_MISSING", details: { id: 1 }, cause });
  const runner = new RunnerFailure("UNAVAILABLE", "gone", { details: { id: 1 }, cause });

  expect(membersOf(tool)).toEqual({
    name: "ToolError",
    message: "no such note",
    code: "NOTE_MISSING",
    details: { id: 1 },
    cause,
  });
  expect(membersOf(runner)).toEqual({
    name: "RunnerFailure",
    message: "gone",
    code: "UNAVAILABLE",
    status: "failed",
    details: { id: 1 },
    cause,
  });
  expect(new ToolError("plain").code).toBeUndefined();
  expect(new RunnerFailure("TIMED_OUT", "late", { status: "timed_out" }).status).toBe("timed_out");
});

test.each([
  [new Error("broken"), "broken"],
  [new TypeError(""), "TypeError"],
  ["text", "text"],
  [undefined, "undefined"],
  [{ message: "no error" }, "[object Object]"],
])("the message of a thrown %o is %s", (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});
