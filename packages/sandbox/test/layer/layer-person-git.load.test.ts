import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import type { Layer } from "../../src/layer/layer.ts";
import { folderOf, keepAll, look, opened, person, within } from "./layer-world.ts";

const hasNamespaces =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

/** Sessions of each engine. */
const sessions = process.env["TOOLMOUNT_LOAD"] === "full" ? 100 : 10;

/** The first seed, to repeat a session. */
const firstSeed = Number(process.env["TOOLMOUNT_FIRST"] ?? 1);

/** Numbers by a seed, so that a failure can be repeated. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** A repository with a remote one, into which a colleague pushes. */
const repository = `
git init -q --bare -b main ../remote.git; git clone -q ../remote.git . 2>/dev/null; echo .toolmount > .gitignore
mkdir d0 d1; for f in $(seq 12); do echo "line $f" > d$((f % 2))/f$f; done
git add -A; git commit -q -m first; git push -q origin HEAD:main 2>/dev/null; git branch -q -M main; git branch -q -u origin/main
git clone -q ../remote.git ../colleague
`;

const files = Array.from({ length: 12 }, (_, at) => `d${(at + 1) % 2}/f${at + 1}`);

/** Lines of all files that are there, and of all commits that a name or a note of git leads to. */
function linesIn(folder: string): ReadonlySet<string> {
  const history = person(folder, "git log --reflog --all --format=%s -p --unified=0 --no-color 2>/dev/null");
  const added = history.split("\n").map((line) => line.replace(/^\+(?!\+)/, ""));
  const present = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/\.(?:git|toolmount)(?:\/|$)/.test(`${entry.parentPath}/`))
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").split("\n"));
  return new Set([...added, ...present]);
}

type Random = (below: number) => number;

/** What a person does in the folder, with the paths and the names of git that it changes. */
function personalAct(random: Random, mark: string, folder: string) {
  const file = files[random(files.length)]!;
  const acts = [
    { script: `echo ${mark} >> ${file}`, paths: [file] },
    { script: `cp ${file} ${file}.t; echo ${mark} >> ${file}.t; mv ${file}.t ${file}`, paths: [file] },
    { script: `echo ${mark} > ${mark}.txt`, paths: [`${mark}.txt`] },
    { script: `echo ${mark} >> ${file}; git commit -q -m ${mark} ${file}`, paths: [file, "git"] },
    { script: `echo ${mark} >> ${file}; git add ${file}`, paths: [file, "git"] },
    {
      // A pull that meets the person's own changes fails, as git decides.
      script: `cd ../colleague; git pull -q; echo ${mark} >> ${file}; git commit -q -am ${mark}; git push -q 2>/dev/null; cd "$OLDPWD"; git pull -q --no-rebase --no-edit > /dev/null 2>&1 || { git merge --abort 2>/dev/null || true; }`,
      paths: [file, "git", "pull"],
    },
    { script: "git status > /dev/null; git diff > /dev/null", paths: [] },
    { script: "touch d0/* d1/*; git status > /dev/null", paths: files },
    { script: `git branch ${mark}`, paths: ["git"] },
  ];
  const act = acts[random(acts.length)]!;
  person(folder, `${act.script}`);
  return { ...act, isLine: act.script.includes(`echo ${mark}`) };
}

/** What an agent does in the layer. */
function agentAct(random: Random, mark: string) {
  const file = files[random(files.length)]!;
  const acts = [
    `mkdir -p $(dirname ${file}); echo ${mark} >> ${file}`,
    `mkdir -p $(dirname ${file}); touch ${file}; cp ${file} ${file}.t; echo ${mark} >> ${file}.t; mv ${file}.t ${file}`,
    `echo ${mark} > ${mark}.txt; git add ${mark}.txt; git commit -q -m ${mark}`,
    `echo ${mark} >> ${file}; git commit -q -am ${mark}`,
    `git switch -q -c b-${mark}; echo ${mark} > ${mark}.txt; git add -A; git commit -q -m ${mark}; git switch -q main`,
    "git status > /dev/null; git log --oneline | head -2 > /dev/null; git diff | head -2 > /dev/null",
    `echo ${mark} > ${mark}.txt`,
  ];
  const script = acts[random(acts.length)]!;
  return { script, isLine: script.includes(`echo ${mark}`) };
}

/** What the layer shows of files that it did not change itself must be as the person has it, or be named. */
async function staleIn(layer: Layer, folder: string): Promise<readonly string[]> {
  const { folder: view, isCurrent, changedBelow } = await layer.renew();
  const own = new Set((await layer.difference()).changes.map(({ path }) => path));
  const textOf = (root: string, path: string) =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
  const names = new Set(readdirSync(folder).filter((name) => name.endsWith(".txt")));
  const differing = [...files, ...names]
    .filter((path) => !own.has(path))
    .filter((path) => textOf(folder, path) !== textOf(view, path));
  return isCurrent ? differing : differing.filter((path) => !changedBelow.includes(path));
}

async function play(engine: "overlay" | "copy", seed: number) {
  const random = numbers(seed);
  const folder = join(folderOf("mkdir project"), "project");
  person(folder, repository);
  const layer = await opened(folder, { engine });
  const wrong: string[] = [];
  const lines = new Set<string>();
  const touched = new Set<string>();
  let isBusy = false;
  const onlyLooks = seed % 5 === 0;
  for (let act = 0; act < 10; act += 1) {
    const mark = `s${seed}a${act}`;
    const kind = random(10);
    if (kind < 4) {
      if (onlyLooks) {
        person(folder, "git status > /dev/null; git diff > /dev/null");
        continue;
      }
      const { isLine, paths } = personalAct(random, `person-${mark}`, folder);
      for (const path of paths) touched.add(path);
      if (isLine) lines.add(`person-${mark}`);
    } else if (kind < 8) {
      const { script, isLine } = agentAct(random, `agent-${mark}`);
      // A stale view, and git's own locks and conflicts, may refuse a command; then its line is not promised.
      const said = await within(layer, folder, `(set -e; ${script}) > /dev/null 2>&1 && echo done || true`);
      if (isLine && said === "done\n") lines.add(`agent-${mark}`);
    } else if (kind === 8 && !isBusy) {
      await within(layer, folder, "sleep 1000 > /dev/null 2>&1 &");
      isBusy = true;
    } else {
      const stale = await staleIn(layer, folder);
      wrong.push(...stale.map((path) => `seed ${seed}: stale ${path}`));
    }
  }
  const before = look(folder, { inodes: true });
  const result = await keepAll(layer);
  const lost = (when: string) => {
    const there = linesIn(folder);
    wrong.push(
      ...[...lines].filter((line) => !there.has(line)).map((line) => `seed ${seed}: ${when} lost ${line}`),
    );
    const said = person(folder, "git fsck --strict --no-dangling --no-progress 2>&1 || true");
    if (said !== "") wrong.push(`seed ${seed}: ${when}: ${said}`);
  };
  if (result.status === "kept" || result.status === "nothing") lost("a keep");
  else if (result.status === "conflicts") {
    expect(look(folder, { inodes: true })).toEqual(before);
    const isMeant = (path: string) => touched.has(/(?:^|\/)\.git\//.test(path) ? "git" : path);
    const meant = ({ path }: { path: string }) => isMeant(path) || touched.has("pull");
    const falsely = result.conflicts.filter((each) => !meant(each));
    wrong.push(...falsely.map(({ path, reason }) => `seed ${seed}: false conflict ${path}: ${reason}`));
  } else throw new Error(`seed ${seed}: ${result.status}`);
  let undone = "";
  if (result.status === "kept" && random(2) === 0) {
    const mark = `later-${seed}`;
    const { isLine } = personalAct(random, mark, folder);
    const state = look(folder, { inodes: true });
    const { status } = await layer.undo(result.id);
    undone = status;
    for (const line of lines) if (line.startsWith("agent-")) lines.delete(line);
    if (isLine) lines.add(mark);
    if (status === "changed") expect(look(folder, { inodes: true })).toEqual(state);
    lost("an undo");
  }
  return { wrong, status: result.status, undone };
}

describe.runIf(hasNamespaces).each(["overlay", "copy"] as const)(
  "a repository in a layer by %s",
  (engine) => {
    test(
      `loses no line of a person or an agent in ${sessions} sessions, and refuses no keep for a look`,
      { timeout: 3_600_000 },
      async () => {
        const wrong: string[] = [];
        const counts: Record<string, number> = {};
        for (let seed = firstSeed; seed < firstSeed + sessions; seed += 1) {
          const { wrong: found, status, undone } = await play(engine, seed);
          wrong.push(...found);
          for (const key of [status, undone].filter(Boolean)) counts[key] = (counts[key] ?? 0) + 1;
        }
        process.stdout.write(`${JSON.stringify({ engine, sessions, ...counts })}\n`);
        expect(wrong).toEqual([]);
      },
    );
  },
);
