import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFiles, isPathError, type Files } from "@toolmount/paths";
import { expect, onTestFinished, test } from "vitest";

/** Stories: operations in order over the same folder, each with its result, or with the error that it throws. */
const stories = readFileSync(join(import.meta.dirname, "stories.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((group) => {
    const [title = "", ...lines] = group.split("\n");
    return { title: title.slice(2), lines };
  });

test.runIf(process.platform === "linux").each(stories)("$title", async ({ lines }) => {
  expect(await play(lines.filter((line) => /^\w/.test(line)))).toEqual(lines);
});

/** A folder with files, links and permissions, of which some may not be read or written. */
function tree(): { base: string; files: Files } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-stories-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const folder of ["work/d/e", "work/empty", "out", "read"])
    mkdirSync(join(base, folder), { recursive: true });
  const contents = {
    "work/a.txt": "one\n",
    "work/d/x": "x",
    "work/d/e/y": "y",
    "work/no": "n",
    "out/o": "o",
    "read/r": "r",
  };
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(base, name), text);
  writeFileSync(join(base, "work/b.bin"), Buffer.from([0, 255]));
  for (const [target, name] of Object.entries({
    "a.txt": "link",
    "../out": "away",
    gone: "dangling",
    "d/e": "down",
  }))
    symlinkSync(target, join(base, "work", name));
  for (const [name, mode] of Object.entries({
    "work/a.txt": 0o640,
    "work/d": 0o750,
    "work/d/e": 0o711,
    "work/d/x": 0o600,
  }))
    chmodSync(join(base, name), mode);
  for (const name of ["work", "work/empty", "out"]) chmodSync(join(base, name), 0o755);
  for (const name of ["work/d/e/y", "work/no", "work/b.bin"]) chmodSync(join(base, name), 0o644);
  const at = (name: string) => join(base, name);
  const rules = {
    workingDir: at("work"),
    read: [at("work"), at("read")],
    write: [at("work")],
    deniedRead: [at("work/no")],
    deniedWrite: ["**/kept"],
  };
  return { base, files: createFiles(rules) };
}

async function play(calls: readonly string[]): Promise<string[]> {
  const { base, files } = tree();
  const clean = (value: unknown) =>
    (JSON.stringify(value) ?? "nothing")
      .replaceAll(base, "BASE")
      .replaceAll(/"identity":"[^"]*"/g, '"identity":"ID"')
      .replaceAll(/"modifiedMs":\d+/g, '"modifiedMs":0')
      .replaceAll(/"mark":"large (\d+) \d+/g, '"mark":"large $1 0');
  const lines: string[] = [];
  for (const line of calls) {
    const [, name = "", given = ""] = /^(\w+) (.*)$/.exec(line)!;
    const words = JSON.parse(given.replaceAll("BASE", base)) as never[];
    lines.push(
      line,
      `> ${await call(files, name, words).then(clean, (thrown: unknown) => clean(saidBy(thrown)))}`,
    );
  }
  return lines;
}

async function call(files: Files, name: string, words: readonly never[]): Promise<unknown> {
  if (name === "write") return files.replace(words[0]!, Buffer.from(words[1]!), words[2] ?? {});
  const method = files[name as "read"] as unknown as (...given: readonly never[]) => Promise<object>;
  const result: unknown = await method(...words);
  if (name !== "read") return result;
  const { bytes, ...facts } = result as { bytes: Buffer };
  return { ...facts, text: bytes.toString() };
}

function saidBy(thrown: unknown): object {
  if (!isPathError(thrown)) throw thrown;
  return { code: thrown.code, details: thrown.details };
}
