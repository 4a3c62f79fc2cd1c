import { expect, test } from "vitest";
import { collectClaims } from "../src/ripgrep/matches.ts";
import { runRipgrep, type Run } from "../src/ripgrep/run.ts";
import { readFileTypes } from "../src/ripgrep/types.ts";
import { textBytes, linesAfter, linesBefore, showLines } from "../src/text.ts";
import { scratch } from "./scratch.ts";

/** Nothing was passed over, and nothing was said of it: these runs ask for no words about paths. */
const silent = { large: [], binary: [], ignored: [], unreadable: 0, isHeard: false };

/** A run in a folder, with a guard that notes what it is asked for. */
function runIn(files: Readonly<Record<string, string | Buffer>>, more: Partial<Run> = {}) {
  const calls: string[] = [];
  const pids: number[] = [];
  const guard = {
    env: { TOOLMOUNT_SEARCH: "mark" },
    start: () => void calls.push("start"),
    add: (pid: number) => (calls.push("add"), void pids.push(pid)),
    remove: (pid: number) => void calls.push(pid === pids[0] ? "remove" : "remove another"),
    close: () => {},
  } as unknown as Run["guard"];
  const run: Run = {
    args: [],
    cwd: scratch(files).base,
    separator: "\n",
    signal: new AbortController().signal,
    guard,
    ...more,
  };
  return { run, calls };
}

async function recordsOf(run: Run, most = Infinity) {
  const records: string[] = [];
  const ending = await runRipgrep(run, (record) => records.push(record.toString()) < most);
  return { records, ending };
}

test("each record is handed on without its end, and the guard knows the engine while it runs", async () => {
  const { run, calls } = runIn({ "a.txt": "x1\nno\nx2\n\nx" });
  const args = ["--regexp=x|^$", "--", "./a.txt"];

  expect(await recordsOf({ ...run, args })).toEqual({
    records: ["x1", "x2", "", "x"],
    ending: { wasStopped: false, code: 0, error: "", notes: silent },
  });
  expect(calls).toEqual(["start", "add", "remove"]);
  expect(
    (await recordsOf({ ...run, args: ["--files", "--null", "--", "./"], separator: "\0" })).records,
  ).toEqual(["./a.txt"]);
});

test("a record of 8 MiB is handed on, and of a longer one only that it was there", async () => {
  const most = 8_388_608;
  const { run } = runIn({ "a.txt": `${"x".repeat(most)}\n${"x".repeat(most + 1)}\nx\n` });
  const { records } = await recordsOf({ ...run, args: ["--regexp=x", "--", "./a.txt"] });

  expect(records.map(({ length }) => length)).toEqual([most, 0, 1]);
});

test("an engine whose reader has enough is ended", async () => {
  const { run } = runIn({ "a.txt": "x\n".repeat(100_000) });

  expect(await recordsOf({ ...run, args: ["--regexp=x", "--", "./a.txt"] }, 3)).toEqual({
    records: ["x", "x", "x"],
    ending: { wasStopped: true, code: null, error: "", notes: silent },
  });
});

test("an engine that finds nothing, and one that fails, say so by their codes", async () => {
  const { run } = runIn({ "a.txt": "x" });
  const failed = await recordsOf({ ...run, args: [`--regexp=${"(".repeat(20_000)}`, "--", "./"] });

  expect((await recordsOf({ ...run, args: ["--regexp=y", "--", "./"] })).ending).toEqual({
    wasStopped: false,
    code: 1,
    error: "",
    notes: silent,
  });
  expect(failed.ending.code).toBe(2);
  expect(failed.ending.error).toMatch(/^rg: /);
  expect(failed.ending.error).toHaveLength(8192);
});

test("a run that was given up before does not begin", async () => {
  const { run, calls } = runIn({}, { signal: AbortSignal.abort(new Error("given up")) });

  await expect(recordsOf(run)).rejects.toThrow("given up");
  expect(calls).toEqual([]);
});

test("a run that is given up in the middle is ended, with the reason of the signal", async () => {
  const controller = new AbortController();
  const { run, calls } = runIn({ "a.txt": "x\n".repeat(100_000) }, { signal: controller.signal });
  const running = runRipgrep({ ...run, args: ["--regexp=x", "--", "./a.txt"] }, () => {
    controller.abort(new Error("given up"));
    return true;
  });

  await expect(running).rejects.toThrow("given up");
  expect(calls).toEqual(["start", "add", "remove"]);
});

test("what the engine claims: the file, where its lines begin, and where in them the match", async () => {
  const { run } = runIn({
    "a.txt": "one\ntwo two\n",
    "b.txt": Buffer.from("caf\xe9 two\n", "latin1"),
    "c.log": "two\n",
  });
  const args = ["--json", "--sort=path", "--regexp=two", "--", "./"];
  const claims = await collectClaims({ ...run, args }, (path) => !path.endsWith(".log"));

  expect(claims).toEqual({
    files: [
      { path: "a.txt", claims: [{ offset: 4, lines: Buffer.from("two two\n"), start: 0 }] },
      { path: "b.txt", claims: [{ offset: 0, lines: Buffer.from("caf\xe9 two\n", "latin1"), start: 5 }] },
    ],
    ending: { wasStopped: false, code: 0, error: "", notes: silent },
    skippedLines: 0,
    unnamedFiles: 0,
  });
});

test("a line whose record is too long to be kept is counted, and those after it are claimed", async () => {
  const { run } = runIn({ "a.txt": `two${"x".repeat(8_400_000)}\ntwo\n` });
  const claims = await collectClaims({ ...run, args: ["--json", "--regexp=two", "--", "./"] }, () => true);

  expect(claims).toMatchObject({ skippedLines: 1, unnamedFiles: 0, ending: { code: 0 } });
  expect(claims.files).toEqual([
    { path: "a.txt", claims: [{ offset: 8_400_004, lines: Buffer.from("two\n"), start: 0 }] },
  ]);
});

test("the engine knows types by its own names, and by others, in any case and with a dot", async () => {
  const { run } = runIn({});
  const types = await readFileTypes(run);

  expect(types.names).toContain("rust");
  expect(
    ["rust", " .RS ", "golang", "toString", "constructor", ""].map((name) => types.resolve(name)),
  ).toEqual(["rust", "rust", "go", null, null, null]);
});

test.each([
  ["efbbbf6162", "6162"],
  ["efbb6162", "efbb6162"],
  ["fffe61006200", "6162"],
  ["feff00610062", "6162"],
  ["ff61", "ff61"],
  ["fe61", "fe61"],
  ["6162", "6162"],
  ["", ""],
])("the text of the bytes %s is %s", (bytes, text) => {
  expect(textBytes(Buffer.from(bytes, "hex")).toString("hex")).toBe(text);
});

const text = Buffer.from("one\ntwo\r\n\nfour\nfive");

test.each([
  [10, 4, 9, 0, ["1 one", "2 two", "3 "]],
  [10, 4, 2, 0, ["2 two", "3 "]],
  [10, 4, 9, 2, ["3 "]],
  [10, 4, 0, 0, []],
  [0, 1, 9, 0, []],
  [4, 2, 9, 0, ["1 one"]],
  [1, 2, 9, 0, ["1 o"]],
])(
  "before byte %i, which begins line %i, at most %i lines after line %i: %j",
  (start, line, count, after, lines) => {
    const found = linesBefore(text, { start, line }, count, after);

    expect(found.map(({ line_number, content }) => `${line_number} ${content}`)).toEqual(lines);
  },
);

test.each([
  [4, 2, 9, Infinity, ["2 two", "3 ", "4 four", "5 five"]],
  [4, 2, 2, Infinity, ["2 two", "3 "]],
  [4, 2, 9, 4, ["2 two", "3 "]],
  [15, 5, 9, 9, ["5 five"]],
  [19, 6, 9, 9, []],
  [4, 2, 0, 9, []],
])(
  "from byte %i, which begins line %i, at most %i lines before line %d: %j",
  (end, line, count, before, lines) => {
    const found = linesAfter(text, { end, line }, count, before);

    expect(found.map(({ line_number, content }) => `${line_number} ${content}`)).toEqual(lines);
  },
);

const run = (letter: string, count: number) => letter.repeat(count);

test.each([
  [run("a", 2000), 0, run("a", 2000)],
  [run("a", 2001), 0, `${run("a", 2000)}... [truncated]`],
  [`${run("a", 2000)}\r\n`, 0, run("a", 2000)],
  [run("a", 500) + run("b", 2000), 500, `${run("a", 500)}${run("b", 1500)}... [truncated]`],
  [run("a", 501) + run("b", 2000), 501, `[truncated] ... ${run("a", 500)}${run("b", 1500)}... [truncated]`],
  [run("a", 1000) + run("b", 1500), 1000, `[truncated] ... ${run("a", 500)}${run("b", 1500)}`],
  [run("a", 2500), 2499, `[truncated] ... ${run("a", 2000)}`],
  [
    `${run("é", 600)}${run("b", 2000)}`,
    1200,
    `[truncated] ... ${run("é", 500)}${run("b", 1500)}... [truncated]`,
  ],
])("a line is shown around its match", (line, column, shown) => {
  expect(showLines(Buffer.from(line), column)).toBe(shown);
});
