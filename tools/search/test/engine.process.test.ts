import { readdirSync, readFileSync } from "node:fs";
import { createGlob, createGrep } from "@toolmount/tool-search";
import { expect, test, vi } from "vitest";
import { scratch } from "./scratch.ts";

test("the engine reads no configuration, and gets no variable of the host", async () => {
  const folder = scratch({
    "config.txt": "--invert-match\n--hidden\n--max-count=1\n",
    "a.txt": "one\ntwo\ntwo\n",
  });
  vi.stubEnv("RIPGREP_CONFIG_PATH", folder.path("config.txt"));
  const grep = createGrep({ working_dir: folder.base });

  expect((await grep.execute({ pattern: "two", path: "a.txt", output_mode: "count" })).data).toMatchObject({
    counts: { "a.txt": 2 },
  });
});

test("the engine of a search that is given up is gone when the search has ended", async () => {
  const text = `${"ab".repeat(2_000_000)}\n`;
  const folder = scratch(Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`${n}.txt`, text])));
  const controller = new AbortController();
  const running = createGrep({ working_dir: folder.base }).execute(
    { pattern: "(a|b|ab|ba){80}.{0,300}c", "-i": true },
    { abortSignal: controller.signal },
  );
  const engine = await firstEngine();
  controller.abort();

  expect(await running).toMatchObject({ error: "Request was cancelled" });
  expect(engines()).not.toContain(engine);
});

test("many searches at once leave the event loop free, and end with the same answer", async () => {
  const folder = scratch(
    Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${n % 10}/${n}.txt`, `needle ${n}\n`])),
  );
  const settings = { working_dir: folder.base, max_results: 1000 };
  const searches = Array.from({ length: 10 }, () => [
    createGrep(settings).execute({ pattern: "needle", head_limit: 0 }),
    createGlob(settings).execute({ pattern: "**/*.txt" }),
  ]).flat();
  let turns = 0;
  const state = { isOver: false };
  const ended = Promise.all(searches).finally(() => (state.isOver = true));
  while (!state.isOver) {
    turns++;
    await new Promise((resolve) => setImmediate(resolve));
  }

  for (const answer of await ended) expect(Object.values(answer.data ?? {})).toContain(300);
  expect(turns).toBeGreaterThan(100);
});

/** The engines that this process began and that are not over. */
function engines(): string[] {
  return readdirSync(`/proc/${process.pid}/task`)
    .flatMap((task) =>
      readFileSync(`/proc/${process.pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    )
    .filter((pid) => nameOf(pid) === "rg");
}

/** Empty for a process that has ended meanwhile. */
function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

async function firstEngine(): Promise<string> {
  for (;;) {
    const [engine] = engines();
    if (engine !== undefined) return engine;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
