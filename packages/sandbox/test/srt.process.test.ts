import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Grants } from "../src/border/border.ts";
import { srtBorder } from "../src/border/srt.ts";

let folder: string;
const at = (path: string) => join(folder, path);

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-srt-")));
  for (const one of ["home/data", "home/box", "home/other", "code"]) mkdirSync(at(one), { recursive: true });
  for (const one of ["home/data/a.txt", "home/box/plan.yaml", "home/other/b.txt", "secret.txt", "named.txt"])
    writeFileSync(at(one), one);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const granted = (more: Partial<Grants> = {}): Grants => ({
  read: [at("home/data"), at("named.txt")],
  write: [at("home/box")],
  denied: [at("home/box/plan.yaml")],
  secret: [at("secret.txt"), at("named.txt"), at("none.txt")],
  network: undefined,
  memoryMb: 64,
  env: { PATH: process.env["PATH"]!, HOME: at("home"), OWN: "yes" },
  cwd: folder,
  ...more,
});

/** Tries to read and write the files of the test, and says what it was started with. */
const script = `
  const fs = require("node:fs");
  const can = (act) => { try { act(); return true; } catch { return false; } };
  const [, ...words] = process.argv;
  const read = (path) => can(() => fs.readFileSync(path)) && fs.statSync(path).isFile();
  const write = (path) => can(() => fs.writeFileSync(path, "new"));
  console.log(JSON.stringify({ words, execArgv: process.execArgv.slice(0, 1), own: process.env.OWN,
    reads: JSON.parse(process.env.READS).map(read), writes: JSON.parse(process.env.WRITES).map(write) }));
`;

test("a process behind srt reads and writes what is granted, with its words and its memory", async () => {
  const reads = ["home/data/a.txt", "home/other/b.txt", "secret.txt", "named.txt"].map(at);
  const writes = ["home/box/new.txt", "home/box/plan.yaml", "home/data/a.txt", "new.txt"].map(at);
  const env = { ...granted().env, READS: JSON.stringify(reads), WRITES: JSON.stringify(writes) };
  const program = {
    node: realpathSync(process.execPath),
    options: ["-e", script, "it's"],
    file: "a b",
    code: [at("code")],
  };
  const { file, args, env: given } = await srtBorder.launch(program, granted({ env }));
  expect(given).toEqual(env);
  const { stdout } = await promisify(execFile)(file, args, { env: given, cwd: folder });
  expect(JSON.parse(stdout)).toEqual({
    words: ["it's", "a b"],
    execArgv: ["--max-old-space-size=64"],
    own: "yes",
    reads: [true, false, false, true],
    writes: [true, false, false, false],
  });
});

test.each<[string, Partial<Grants>, string]>([
  [
    "the whole network",
    { network: "any" },
    'it allows listed hosts only; name them, or choose network "none"',
  ],
  [
    "another list of hosts than the entry before",
    { network: ["example.com"] },
    "another entry already uses it with another list of hosts; give both the same list",
  ],
  ["a machine without bash", { env: { PATH: "/nothing" } }, "bash is not on PATH"],
])("srt cannot be had with %s", async (_, more, problem) => {
  const program = { node: process.execPath, options: [], file: "a", code: [] };
  await srtBorder.launch(program, granted());
  await expect(srtBorder.launch(program, granted(more))).rejects.toThrow(
    expect.objectContaining({ code: "SANDBOX_UNAVAILABLE", details: { border: "srt", problem } }),
  );
});
