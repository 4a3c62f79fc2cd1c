import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { folderOf, keepAll, look, opened, person, within } from "./layer-world.ts";

const hasNamespaces =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

/** Sessions of each engine. */
const sessions = process.env["TOOLMOUNT_LOAD"] === "full" ? 100 : 12;

/** Numbers by a seed, so that a failure can be repeated. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** The words in all files of a folder, without the layer's own. */
function wordsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/.toolmount"))
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").split("\n"))
    .filter((word) => word !== "");
}

const files = Array.from({ length: 24 }, (_, at) => `d${at % 3}/f${at}`);

/**
 * A session in which a person and the programs of a layer add words to the same files, in place and by a rename, and delete
 * files of which they read the words before. A word that was not deleted so must be there after a keep, unless the keep was
 * refused.
 */
async function play(engine: "overlay" | "copy", seed: number) {
  const random = numbers(seed);
  const folder = folderOf(`mkdir d0 d1 d2; for f in ${files.join(" ")}; do echo $f > $f; done`);
  const layer = await opened(folder, { engine });
  const expected = new Set(wordsIn(folder));
  const counts = { kept: 0, refused: 0, looks: 0 };
  const lost: string[] = [];
  const add = (word: string, file: string) => {
    expected.add(word);
    const copied = `mkdir -p $(dirname ${file}); touch ${file}; cp ${file} ${file}.t; echo ${word} >> ${file}.t; mv ${file}.t ${file}`;
    return random(2) === 0 ? copied : `mkdir -p $(dirname ${file}); echo ${word} >> ${file}`;
  };
  const remove = (file: string) => `if [ -e ${file} ]; then cat ${file}; rm ${file}; fi`;
  const forget = (words: string) => {
    for (const word of words.split("\n")) expected.delete(word);
  };
  for (let act = 0; act < 10; act += 1) {
    const file = files[random(files.length)]!;
    const kind = random(12);
    if (kind < 4) person(folder, add(`person-${seed}-${act}`, file));
    else if (kind === 4) forget(person(folder, remove(file)));
    else if (kind < 9) await within(layer, folder, add(`layer-${seed}-${act}`, file));
    else if (kind === 9) forget(await within(layer, folder, remove(file)));
    // While it runs, the view cannot be mounted again, and is stale.
    else if (kind === 10) await within(layer, folder, "(cat d*/*; sleep 1000) > /dev/null 2>&1 &");
    else if ((await layer.renew()).isCurrent) {
      const shown = await within(layer, folder, "cat d*/* 2>/dev/null || true");
      // Only the layer's own version of a file may not have what the person added to it.
      const own = new Set((await layer.difference()).changes.map(({ path }) => path));
      const fresh = files.filter((each) => !own.has(each) && existsSync(join(folder, each)));
      const words = fresh.flatMap((each) => readFileSync(join(folder, each), "utf8").trim().split("\n"));
      lost.push(...words.filter((word) => !shown.includes(word)));
      counts.looks += 1;
    }
  }
  const before = look(folder, { inodes: true });
  const result = await keepAll(layer);
  if (result.status === "conflicts") {
    counts.refused += 1;
    expect(look(folder, { inodes: true })).toEqual(before);
  } else if (result.status === "kept" || result.status === "nothing") {
    counts.kept += 1;
    const there = new Set(wordsIn(folder));
    lost.push(...[...expected].filter((word) => !there.has(word)));
  } else throw new Error(result.status);
  expect(existsSync(join(folder, ".toolmount"))).toBe(true);
  return { counts, lost: lost.map((word) => `seed ${seed}: ${word}`) };
}

describe.runIf(hasNamespaces).each(["overlay", "copy"] as const)("a layer by %s", (engine) => {
  test(
    `loses no word of a person or a program in ${sessions} sessions of both`,
    { timeout: 3_600_000 },
    async () => {
      const all = { kept: 0, refused: 0, looks: 0 };
      for (let seed = 1; seed <= sessions; seed += 1) {
        const { counts, lost } = await play(engine, seed);
        expect(lost).toEqual([]);
        for (const key of ["kept", "refused", "looks"] as const) all[key] += counts[key];
      }
      process.stdout.write(`${JSON.stringify({ engine, ...all })}\n`);
      expect(Math.min(all.kept, all.refused)).toBeGreaterThan(0);
    },
  );
});
