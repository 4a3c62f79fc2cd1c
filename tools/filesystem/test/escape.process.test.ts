import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Tool } from "@toolmount/core";
import {
  createCreateDirectory,
  createDeleteFile,
  createEditFile,
  createListDirectory,
  createMoveFile,
  createReadFile,
  createWriteFile,
} from "@toolmount/tool-filesystem";
import { afterEach, beforeEach, expect, test } from "vitest";

// Samples that stand beside the repository where it is developed; it does without them elsewhere.
const fixtures = join(import.meta.dirname, "../../../../shared/fixtures/security");
const isThere = existsSync(join(fixtures, "path-escape.json"));

interface Item {
  readonly id: string;
  readonly op: string;
  readonly path: string;
  readonly to?: string;
  readonly verdict: "allow" | "deny" | "allow-or-clear-error" | "safe";
  readonly why: string;
  readonly content?: string;
  readonly creates?: boolean;
  readonly strict?: boolean;
}

interface Tree {
  readonly base: string;
  snapshot(): string;
}

const samples = isThere
  ? (JSON.parse(readFileSync(join(fixtures, "path-escape.json"), "utf8")) as { items: Item[] }).items
  : [];
const items = samples.filter(({ op }) =>
  ["read", "list", "write", "edit", "mkdir", "delete", "move"].includes(op),
);

let tree: Tree;

beforeEach(async () => {
  if (!isThere) return;
  const url = pathToFileURL(join(fixtures, "build-path-tree.mjs")).href;
  const { buildTree } = (await import(url)) as { buildTree(): Tree };
  tree = buildTree();
});

afterEach(() => {
  if (isThere) rmSync(tree.base, { recursive: true, force: true });
});

test("AMP-21: the samples of paths that try to escape are there", async (context) => {
  const note = `${fixtures} is not there: its samples were not tried`;
  // The usual reporter does not show why a test was skipped.
  if (!isThere) process.stderr.write(`${note}\n`);
  context.skip(!isThere, note);
  const others = samples.length - items.length;
  if (others > 0)
    await context.annotate(`${others} of ${samples.length} need a tool that this module has not`);

  expect(items.length).toBeGreaterThan(0);
});

test.each(items)("AMP-21: $id: $op $path: $verdict ($why)", async (item) => {
  const before = tree.snapshot();
  const result = await perform(item, item.path);
  const text = JSON.stringify(result);

  expect(text).not.toContain("OUTSIDE-CANARY-7731");
  expect(text).not.toContain("root:x:");
  expect(tree.snapshot()).toBe(before);
  expect(judge(item, result)).toBe(item.verdict);
  expect(await wordsOfTwin(item)).toBe(item.strict === true ? wordsOf(result, item.path) : undefined);
});

type Answer = { data?: unknown; error?: string | undefined; code?: string | undefined };

/** Does what the item says with the tool of that operation. */
async function perform({ op, to = "moved" }: Item, given: string): Promise<Answer> {
  const { base } = tree;
  const at = (path: string) => path.replaceAll("{T}", base);
  const path = at(given);
  const all = (names: string[]) => names.map((name) => join(base, name));
  const settings = {
    working_dir: join(base, "work"),
    allowed_read_paths: all(["work", "docs", "alias-root"]),
    allowed_write_paths: all(["work", "alias-root"]),
  };
  const acts: Record<string, () => [Tool, object]> = {
    read: () => [createReadFile(settings), { file_path: path }],
    list: () => [createListDirectory(settings), { path }],
    write: () => [createWriteFile(settings), { file_path: path, content: "planted" }],
    edit: () => [createEditFile(settings), { file_path: path, old_string: "INSIDE", new_string: "planted" }],
    mkdir: () => [createCreateDirectory(settings), { path }],
    delete: () => [createDeleteFile(settings), { path, recursive: true }],
    move: () => [createMoveFile(settings), { source: path, destination: at(to) }],
  };
  const act = acts[op];
  if (act === undefined) throw new Error(`no tool does ${op}`);
  const [tool, params] = act();
  return await tool.execute(params);
}

/** The verdict that the result amounts to, in the words of the item where it is kept. */
function judge(
  { verdict, content = "", creates = false, strict = false, path }: Item,
  result: Answer,
): string {
  const isDone = result.error === undefined;
  const holdsContent = JSON.stringify(result).includes(content);
  if (verdict === "safe") return "safe";
  if (verdict === "deny") return isDone ? "allow" : denial(strict, result);
  if (verdict === "allow-or-clear-error") return !isDone || holdsContent ? verdict : "another file";
  if (!isDone || !holdsContent) return `${result.error}`;
  return !creates || existsSync(join(tree.base, "work", path)) ? "allow" : "nothing was made";
}

function denial(strict: boolean, { code }: Answer): string {
  return strict && code !== "ACCESS_DENIED" ? `${code}` : "deny";
}

/** What is said of a neighbour that does not exist; undefined where the item does not ask. */
async function wordsOfTwin(item: Item): Promise<string | undefined> {
  if (item.strict !== true) return undefined;
  const twin = `${item.path}/that-is-not-there`;
  return wordsOf(await perform(item, twin), twin);
}

function wordsOf({ code, error = "" }: Answer, path: string): string {
  return `${code}: ${error.replace(path.replaceAll("{T}", tree.base), "…")}`;
}
