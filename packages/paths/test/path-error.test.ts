import { expect, test } from "vitest";
import { errnoOf, isPathError, PathError, pathErrorOf } from "../src/path-error.ts";

const path = "a.txt";

test.each([
  ["INVALID_PATH", { path, problem: "it is too long" }, "Invalid path: it is too long"],
  ["ACCESS_DENIED", { path, reason: "read" }, "Access denied: a.txt is not within allowed read paths"],
  ["ACCESS_DENIED", { path, reason: "write" }, "Access denied: a.txt is not within allowed write paths"],
  ["ACCESS_DENIED", { path, reason: "denied" }, "Access denied: a.txt is within denied directories"],
  [
    "ACCESS_DENIED",
    { path, reason: "kept" },
    "Access denied: a.txt holds a root or a denied path, and cannot be moved or removed",
  ],
  ["NOT_FOUND", { path }, "Path not found: a.txt"],
  ["NOT_A_FILE", { path }, "Not a regular file: a.txt"],
  ["IS_A_DIRECTORY", { path }, "Is a directory: a.txt"],
  ["NOT_A_DIRECTORY", { path }, "Not a directory: a.txt"],
  ["DIRECTORY_NOT_EMPTY", { path }, "Directory is not empty: a.txt"],
  ["ALREADY_EXISTS", { path }, "Already exists: a.txt"],
  ["FILE_TOO_LARGE", { path, bytes: 9, maxBytes: 8 }, "File too large: a.txt has 9 bytes, the limit is 8"],
  ["FILE_CHANGED", { path }, "File was changed by another writer: a.txt"],
  ["OS_ERROR", { path, errno: "EIO", problem: "i/o error" }, "i/o error (EIO): a.txt"],
] as const)("%s with %j says: %s", (code, details, message) => {
  const error = new PathError(code, details, { cause: 1 });

  expect(error).toMatchObject({ name: "PathError", code, details, message, cause: 1 });
  expect(isPathError(error)).toBe(true);
});

/** An error of the operating system. */
const failed = (code: string, errno?: number) =>
  Object.assign(new Error(`${code}: /real/place`), { code, errno });

test.each([
  ["ENOENT", "NOT_FOUND", "Path not found: a.txt"],
  ["ENOTDIR", "NOT_FOUND", "Path not found: a.txt"],
  ["ENXIO", "NOT_A_FILE", "Not a regular file: a.txt"],
  ["EISDIR", "IS_A_DIRECTORY", "Is a directory: a.txt"],
  ["EEXIST", "ALREADY_EXISTS", "Already exists: a.txt"],
  ["ENOTEMPTY", "DIRECTORY_NOT_EMPTY", "Directory is not empty: a.txt"],
  ["ELOOP", "ACCESS_DENIED", "Access denied: a.txt is not within allowed write paths"],
  ["EMLINK", "ACCESS_DENIED", "Access denied: a.txt is not within allowed write paths"],
  ["ENAMETOOLONG", "INVALID_PATH", "Invalid path: a name in it is too long"],
  ["EXXX", "OS_ERROR", "the system refused (EXXX): a.txt"],
])("the system's %s is %s: %s", (errno, code, message) => {
  const thrown = failed(errno);

  expect(pathErrorOf(thrown, path, "write")).toMatchObject({ code, message, cause: thrown });
});

test.runIf(process.platform === "linux")("another error of the system has its words", () => {
  expect(pathErrorOf(failed("EIO", -5), path, "read")).toMatchObject({
    code: "OS_ERROR",
    details: { path, errno: "EIO", problem: "i/o error" },
  });
  expect(pathErrorOf(failed("EXXX", -99_999), path, "read")).toMatchObject({
    message: "the system refused (EXXX): a.txt",
  });
});

test("what is no error of the system stays as it is", () => {
  for (const thrown of [
    new Error("no"),
    "text",
    null,
    failed("ERR_INVALID_ARG_TYPE"),
    failed("ABORT_ERR"),
    new PathError("NOT_FOUND", { path: "b" }),
    Object.assign(new Error("no"), { code: 5 }),
  ])
    expect(pathErrorOf(thrown, path, "read")).toBe(thrown);
});

test("an error of another copy of this package is recognised, and nothing else", () => {
  const other = Object.assign(new Error("no"), { name: "PathError", code: "NOT_FOUND", details: { path } });

  expect(isPathError(other)).toBe(true);
  expect(isPathError(Object.assign(new Error("no"), { name: "PathError", code: "NOT_FOUND" }))).toBe(false);
  expect(isPathError(Object.assign(new Error("no"), { name: "PathError", details: {} }))).toBe(false);
  expect(isPathError(Object.assign(new Error("no"), { code: "NOT_FOUND", details: {} }))).toBe(false);
  expect(isPathError({ name: "PathError", code: "NOT_FOUND", details: {} })).toBe(false);
  expect([errnoOf(failed("EIO")), errnoOf({ code: "EIO" }), errnoOf(null), errnoOf(new Error("no"))]).toEqual(
    ["EIO", "", "", ""],
  );
});
