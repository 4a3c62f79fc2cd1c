import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, Hash } from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { expect, onTestFinished, test, vi } from "vitest";
import { digestsWithImports } from "../../src/modules/import-digests.ts";
import { readSourceFiles } from "../../src/modules/source-files.ts";
import { nextCommandFiles } from "../../src/programs/next-command.ts";
import { workspace, type Workspace } from "../workspace.ts";

/** Which files each of `count` files imports. */
const shapes: Readonly<Record<string, (at: number, count: number) => readonly number[]>> = {
  "a chain": (at, count) => (at + 1 < count ? [at + 1] : []),
  "a ring": (at, count) => [(at + 1) % count],
  "a star": (at, count) => (at === 0 ? Array.from({ length: count - 1 }, (_, each) => each + 1) : [0]),
};

const count = 300;

describeShapes("a local server's script", async (space) => {
  const found = await nextCommandFiles(programs(space, ["f0.mjs"]));
  expect(found[0]?.files).toHaveLength(count);
});

describeShapes("twenty servers with the same imports", async (space) => {
  const found = await nextCommandFiles(programs(space, Array<string>(20).fill("f0.mjs")));
  expect(found.map(({ files }) => files.length)).toEqual(Array<number>(20).fill(count));
});

describeShapes("a module", async (space) => {
  expect((await readSourceFiles(space.path("f0.mjs"))).digests.size).toBe(count);
});

function describeShapes(what: string, walk: (space: Workspace) => Promise<void>): void {
  test.each(Object.keys(shapes))(`${what}, 300 files in %s: each is read once`, async (shape) => {
    const space = await workspace(filesIn(shapes[shape]!));
    const work = countWork();
    await work.during(() => walk(space));
    expect(work.reads.length).toBeGreaterThanOrEqual(count);
    expect(work.reads).toHaveLength(new Set(work.reads).size);
    // One digest for each content, one for each file with its imports, and two parts a file in the whole module's.
    expect(work.digests()).toBeLessThanOrEqual(4 * count);
  });
}

function filesIn(importsOf: (at: number, count: number) => readonly number[]): Record<string, string> {
  const files = Array.from({ length: count }, (_, at) => {
    const lines = importsOf(at, count).map((each) => `import "./f${each}.mjs";\n`);
    return [`f${at}.mjs`, lines.join("")];
  });
  return Object.fromEntries(files) as Record<string, string>;
}

function programs({ folder }: Workspace, scripts: readonly string[]) {
  const modules = scripts.map((script, at) => ({
    source: { kind: "scheme" as const, scheme: "mcp", module: "local", settings: {} },
    config: { command: "node", args: [script] },
    path: ["tools", at],
  }));
  return { folder, plan: { commandHooks: [], entries: [] }, modules, texts: [] };
}

/** Counts files that are read, and texts that go into a digest. Other test files in this process may still do both. */
function countWork() {
  const own = new AsyncLocalStorage<true>();
  const reads: string[] = [];
  let digests = 0;
  const { readFile } = fs.promises;
  const read = vi.spyOn(fs.promises, "readFile").mockImplementation((...given) => {
    if (own.getStore() === true) reads.push(given[0] as string);
    return readFile(...given);
  });
  const { update } = Hash.prototype;
  const hash = vi.spyOn(Hash.prototype, "update").mockImplementation(function (this: Hash, ...given) {
    if (own.getStore() === true) digests += 1;
    return update.apply(this, given);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    read.mockRestore();
    hash.mockRestore();
    syncBuiltinESMExports();
  });
  return { reads, digests: () => digests, during: (walk: () => Promise<void>) => own.run(true, walk) };
}

test.each(["x.sh ", "from ", "\n", "import(", "a/b.c-"])(
  "a script that repeats %j a hundred thousand times is searched at once",
  async (part) => {
    const space = await workspace({ "f0.mjs": part.repeat(100_000), "f1.mjs": "w".repeat(900_000) });
    await space.write({ "f2.mjs": `from${" ".repeat(900_000)}` });
    const found = await nextCommandFiles(programs(space, ["f0.mjs", "f1.mjs", "f2.mjs"]));
    expect(found).toHaveLength(3);
  },
);

test("the digest of a module in a lock file is of its files' relative paths and contents", async () => {
  const space = await workspace({ "lib/b.mjs": "export {};\n", "a.mjs": 'import "./lib/b.mjs";\n' });
  const of = (text: string) => createHash("sha256").update(text).digest("hex");
  const parts = `\0${of('import "./lib/b.mjs";\n')}\0../lib/b.mjs\0${of("export {};\n")}\0`;
  expect((await readSourceFiles(space.path("a.mjs"))).digest).toBe(of(parts));
});

test("a changed file changes the digests of the files that reach it, and of no other", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const draw = random(seed);
    const names = Array.from({ length: 12 }, (_, at) => `/f${at}`);
    const imports = names.map(() => names.filter(() => draw() < 0.13));
    const filesWith = (changed: string) =>
      new Map(
        names.map((name, at) => [name, { hash: name === changed ? "new" : name, imports: imports[at]! }]),
      );
    const reach = (start: string) => {
      const reached = new Set([start]);
      for (const file of reached) for (const each of imports[names.indexOf(file)]!) reached.add(each);
      return reached;
    };
    const before = digestsWithImports(filesWith(""));
    for (const changed of names) {
      const after = digestsWithImports(filesWith(changed));
      const differs = names.filter((name) => after.get(name) !== before.get(name));
      expect(differs).toEqual(names.filter((name) => reach(name).has(changed)));
    }
  }
});

/** A linear congruential generator. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
