import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import {
  findErrorOrigin,
  findSyntaxError,
  moduleFailed,
  shortMessage,
} from "../../src/modules/error-origin.ts";
import { workspace } from "../workspace.ts";

const text = "const a = 1;\nthrow new Error('no');\n";

/** An error with this stack below its message. */
function failing(stack: string, message = "no"): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}\n${stack}`;
  return error;
}

describe("the place in a module's code from which an error comes", () => {
  test.each([
    ["a path", (file: string) => `    at run (${file}:2:7)`],
    ["a path without a function", (file: string) => `    at ${file}:2:7`],
    ["a URL", (file: string) => `    at async ${pathToFileURL(file).href}:2:7`],
    ["a URL of a reload", (file: string) => `    at run (${pathToFileURL(file).href}?v=3:2:7)`],
    ["a frame of Node before it", (file: string) => `    at node:internal/x:1:1\n    at run (${file}:2:7)`],
    [
      "a frame of a package before it",
      (file: string) =>
        `    at x (${file.replace("mine.mjs", "node_modules/y/z.js")}:1:1)\n    at run (${file}:2:7)`,
    ],
    [
      "a frame of this package before it",
      (file: string) =>
        `    at x (${import.meta.dirname.replace(/test.modules$/, "src/index.ts")}:1:1)\n    at run (${file}:2:7)`,
    ],
  ])("is read from a stack with %s", async (_title, stack) => {
    const { path } = await workspace({ "mine.mjs": text });

    expect(findErrorOrigin(failing(stack(path("mine.mjs"))))).toEqual({
      file: path("mine.mjs"),
      line: 2,
      column: 7,
      frame: "  1 | const a = 1;\n> 2 | throw new Error('no');\n    |       ^",
    });
  });

  test("is the first in a folder, where one is asked for", async () => {
    const { path } = await workspace({ "a/one.mjs": text, "b/two.mjs": text, "ab/three.mjs": text });
    const error = failing(
      `    at ${path("ab/three.mjs")}:1:1\n    at ${path("b/two.mjs")}:1:1\n    at ${path("a/one.mjs")}:2:1`,
    );

    expect(findErrorOrigin(error)?.file).toBe(path("ab/three.mjs"));
    expect(findErrorOrigin(error, path("a"))).toMatchObject({ file: path("a/one.mjs"), line: 2 });
    expect(findErrorOrigin(error, path("c"))).toBeUndefined();
  });

  test("is not known without a stack, without a file, and of what is no error", async () => {
    const { path } = await workspace({ x: "" });

    expect(findErrorOrigin("no")).toBeUndefined();
    expect(findErrorOrigin(failing(""))).toBeUndefined();
    expect(findErrorOrigin(failing(`    at ${path("gone.mjs")}:1:1`))).toBeUndefined();
  });

  test("is the import of what does not exist", async () => {
    const { path } = await workspace({
      "mine.mjs": 'import "node:fs";\nimport { x } from "@acme/gone";\nimport "./lost.js";\n',
    });
    const importer = path("mine.mjs");
    const of = (missing: string, from = importer) =>
      findErrorOrigin(new Error(`Cannot find package '${missing}' imported from ${from}`));

    expect(of("@acme/gone")).toMatchObject({ file: importer, line: 2, column: 20 });
    expect(of("@acme/gone", `${pathToFileURL(importer).href}?v=2`)).toMatchObject({
      file: importer,
      line: 2,
    });
    expect(of(path("lost.js"))).toMatchObject({ file: importer, line: 3, column: 11 });
    expect(of(pathToFileURL(path("lost.js")).href)).toMatchObject({ line: 3 });
    expect(of("other")?.line).not.toBe(2);
    expect(of("@acme/gone", path("away.mjs"))?.file).not.toBe(path("away.mjs"));
  });

  test("is the mark of a syntax error", async () => {
    const { path } = await workspace({ "bad.mjs": "const a = 1;\nconst = 2;\n", "good.mjs": text });

    expect(await findSyntaxError(path("bad.mjs"))).toMatchObject({
      file: path("bad.mjs"),
      line: 2,
      column: 7,
    });
    expect(await findSyntaxError(path("good.mjs"))).toBeUndefined();
    const error = new Error("bad");
    error.stack = `${path("bad.mjs")}:2\nconst = 2;\n      ^\n\nSyntaxError: bad`;
    expect(findErrorOrigin(error)).toMatchObject({ file: path("bad.mjs"), line: 2, column: 7 });
  });
});

test("a failed module is named with its problem, its cause and its place", () => {
  const cause = new Error("why");
  const origin = { file: "/m.mjs", line: 1, column: 2, frame: "f" };

  expect(moduleFailed("MODULE_MOUNT_FAILED", "m", "it broke", cause, origin)).toMatchObject({
    code: "MODULE_MOUNT_FAILED",
    details: { module: "m", problem: "it broke", origin },
    cause,
  });
  expect(moduleFailed("MODULE_IMPORT_FAILED", "m", "it broke").details).toEqual({
    module: "m",
    problem: "it broke",
  });
  expect(shortMessage(new Error("x".repeat(600)))).toBe("x".repeat(500));
});
