import { spawn, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { openLayer, type Layer } from "../../src/index.ts";
import { describe, expect, onTestFinished, test } from "vitest";

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasNamespaces =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

/** Kills of each engine. */
const kills = process.env["TOOLMOUNT_LOAD"] === "full" ? 1_000 : 150;

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };

/** A tree with what is hard to keep, by a seed. */
const tree = `
for d in $(seq 12); do mkdir -p "d$((RANDOM % 5))/e $d"; done
for f in $(seq 40); do
  mapfile -d '' -t D < <(find . -type d -print0 | sort -z); d="\${D[RANDOM % \${#D[@]}]}"
  seq $((RANDOM % 200)) > "$d/f$f"; touch -d "@$((1600000000 + RANDOM)).$RANDOM" "$d/f$f"
done
ln d*/*/f* . 2>/dev/null || true; ln -s d0 link; ln -s /absent gone; mkdir shut; echo s > shut/s; chmod 555 shut
`;

/** What programs do at random, twelve acts a round. */
const work = `
all() { mapfile -d '' -t F < <(find . -mindepth 1 -path ./.toolmount -prune -o -type "$1" -print0 | sort -z); }
one() { all "$1"; echo "\${F[RANDOM % (\${#F[@]} + 1)]:-.}"; }
for act in $(seq 12); do
  f="$(one f)"; d="$(one d)"; n="$d/new$RANDOM"
  case $((RANDOM % 19)) in
  0) echo more >> "$f" ;;
  1) echo "atomic $RANDOM" > "$f.t"; mv "$f.t" "$f" ;;
  2) rm "$f" ;;
  3) [ "$d" = . ] || rm -r "$d" ;;
  4) [ "$d" = . ] || { rm -r "$d"; mkdir "$d"; echo again > "$d/again"; } ;;
  5) [ "$d" = . ] || { rm -r "$d"; echo 'was a folder' > "$d"; } ;;
  6) rm "$f"; mkdir "$f"; echo in > "$f/in" ;;
  7) seq $((RANDOM % 900)) > "$n" ;;
  8) mkdir "$n"; echo x > "$n/x"; ln -s x "$n/l"; chmod 750 "$n" ;;
  9) chmod $((RANDOM % 2 ? 600 : 755)) "$f" ;;
  10) [ "$d" = . ] || chmod $((RANDOM % 2 ? 700 : 555)) "$d" ;;
  11) ln -sfn elsewhere$RANDOM "$(one l)" ;;
  12) [ "$d" = . ] || mv "$d" ./moved$RANDOM ;;
  13) ln "$f" "./hard$RANDOM" ;;
  14) mv "$f" "$n" ;;
  15) mkfifo "$n" ;;
  16) rm "$f"; echo 'deleted and made again' > "$f" ;;
  17) touch -d "@$((1500000000 + RANDOM))" "$f" ;;
  18) sed -i '1s/$/ first/; $s/$/ last/' "$f" ;;
  esac
done 2>/dev/null
true
`;

interface Look {
  /** Of the person's folder also inodes, the times of folders, and which names are one file. */
  readonly isExact: boolean;
}

/** Every entry of a folder. */
function look(folder: string, { isExact }: Look): string {
  const first = new Map<bigint, string>();
  const visit = (at: string): string[] =>
    readdirSync(join(folder, at))
      .toSorted()
      .filter((name) => join(at, name) !== ".toolmount")
      .flatMap((name) => {
        const path = join(at, name);
        const stat = lstatSync(join(folder, path), { bigint: true });
        const shared = first.get(stat.ino) ?? path;
        first.set(stat.ino, shared);
        const exact = isExact ? ` ${stat.ino} ${shared}` : "";
        const facts = `${path} ${(stat.mode & 0o7777n).toString(8)}`;
        const time = stat.mtimeNs / 1_000n;
        if (stat.isSymbolicLink()) return [`link ${path} ${readlinkSync(join(folder, path))}${exact}`];
        if (stat.isDirectory()) return [`folder ${facts} ${isExact ? time : ""}${exact}`, ...visit(path)];
        if (!stat.isFile()) return [`other ${facts}${exact}`];
        return [`file ${facts} ${time} ${hash("sha256", readFileSync(join(folder, path)))}${exact}`];
      });
  return visit("").join("\n");
}

/** Numbers by a seed, so that a failure can be repeated. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

type Engine = "overlay" | "copy";

interface Tally {
  readonly kills: Record<"keep" | "undo" | "open" | "host" | "holder", number>;
  readonly wrong: string[];
  readonly ends: Record<"before" | "after", number>;
}

const program = join(import.meta.dirname, "layer-process.ts");

/** Runs one act in a process. Returns how many steps it took; null when it was killed. */
async function run(
  words: readonly string[],
): Promise<{ readonly said: string; readonly steps: number } | null> {
  const child = spawn(process.execPath, ["--conditions=@toolmount/source", program, ...words], {
    env: { ...env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  const said = await text(child.stdout);
  const [code, signal] = await ended;
  if (signal === "SIGKILL") return null;
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}`);
  return JSON.parse(said) as { said: string; steps: number };
}

async function opened(folder: string, engine: Engine): Promise<Layer> {
  const layer = await openLayer({ folder, name: "s", env, engine, obeyed: [] });
  if ("problem" in layer) throw new Error(layer.problem);
  return layer;
}

/** A folder whose state is known, and a layer of it that is worked in, killed and opened again. */
function createWorld(engine: Engine, seed: number, sabotage = "") {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-kill-layer-")));
  const random = numbers(seed);
  const tally: Tally = {
    kills: { keep: 0, undo: 0, open: 0, host: 0, holder: 0 },
    wrong: [],
    ends: { before: 0, after: 0 },
  };
  let most = 40;
  const script = (words: string) => `RANDOM=${random(30_000)}\n${words}`;
  spawnSync("/bin/bash", ["-c", script(tree)], { cwd: folder, env });

  /** Kills a process at a step at random, then the processes that open the layer again. */
  const killed = async (what: "keep" | "keep-half" | "undo") => {
    const ended = await run([what, folder, engine, String(1 + random(most)), sabotage]);
    if (ended === null) tally.kills[what === "undo" ? "undo" : "keep"] += 1;
    else most = Math.max(10, Math.ceil((most + ended.steps + 5) / 2));
    if (ended !== null && ended.said.startsWith("{")) tally.wrong.push(`${what}: ${ended.said}`);
    for (let times = random(3); times > 0; times -= 1)
      if ((await run(["open", folder, engine, String(1 + random(30))])) === null) tally.kills.open += 1;
  };
  const inLayer = async <Found>(act: (layer: Layer, view: string) => Promise<Found>): Promise<Found> => {
    const layer = await opened(folder, engine);
    try {
      return await act(layer, (await layer.renew()).folder);
    } finally {
      await layer.close();
    }
  };
  const expectOne = (what: string, found: string, expected: Readonly<Record<string, string>>) => {
    const name = Object.keys(expected).find((each) => expected[each] === found);
    if (name === undefined) tally.wrong.push(`${what}, seed ${seed}: ${firstDifference(found, expected)}`);
    return name;
  };

  /** Work, a keep and an undo, each killed once or more. Returns whether the layer is empty at the end. */
  const round = async () => {
    const before = look(folder, { isExact: true });
    const view = await inLayer(async (layer) => {
      const args = ["-c", script(work)];
      const { launch } = await layer.enter({ file: "/bin/bash", args, env, filter: undefined });
      const child = spawn(launch.file, launch.args, { cwd: "/", env: launch.env, stdio: "ignore" });
      const ended = once(child, "close");
      if (random(3) === 0) {
        // The work takes some hundredths of a second.
        await setTimeout(random(60));
        killHolder(folder);
        tally.kills.holder += 1;
      }
      await ended;
      return look((await layer.renew()).folder, { isExact: false });
    });
    if (look(folder, { isExact: true }) !== before) tally.wrong.push(`work changed the folder, seed ${seed}`);
    if (random(3) === 0 && (await run(["die", folder, engine])) === null) tally.kills.host += 1;
    const isHalf = random(3) === 0;
    await killed(isHalf ? "keep-half" : "keep");
    const keeps = await inLayer(async (layer, shown) => {
      expectOne("the view after a keep", look(shown, { isExact: false }), { view });
      return layer.keeps().length;
    });
    const isKept = look(folder, { isExact: true }) !== before;
    tally.ends[isKept ? "after" : "before"] += 1;
    if (!isHalf && isKept) expectOne("a keep", look(folder, { isExact: false }), { view });
    if (isKept && keeps > 0) await undoRound(before);
    await inLayer((layer) => layer.drop());
  };
  const undoRound = async (before: string) => {
    const after = look(folder, { isExact: true });
    await killed("undo");
    await inLayer(async () => {});
    expectOne("an undo", look(folder, { isExact: true }), { before, after });
  };
  return {
    folder,
    tally,
    round,
    remove: () => spawnSync("/bin/bash", ["-c", 'chmod -R u+rwx "$0"; rm -rf "$0"', folder]),
  };
}

/** Kills the first process of the layer's view, with all that runs in it. */
function killHolder(folder: string): void {
  const { pid } = JSON.parse(readFileSync(join(folder, ".toolmount/layers/s/holder.json"), "utf8")) as {
    pid: number;
  };
  process.kill(pid, "SIGKILL");
}

/** The first line that none of the expected states has, and the lines that it has instead. */
function firstDifference(found: string, expected: Readonly<Record<string, string>>): string {
  return Object.entries(expected)
    .map(([name, lines]) => {
      const [a, b] = [found.split("\n"), lines.split("\n")];
      const more = a.filter((line) => !b.includes(line)).slice(0, 3);
      const less = b.filter((line) => !a.includes(line)).slice(0, 3);
      return `not ${name}: +${more.join(" +")} -${less.join(" -")}`;
    })
    .join("; ");
}

/** Processes that have a mount of a layer in this folder. */
function leftIn(folder: string): readonly string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/mountinfo`, "utf8").includes(` ${folder} `);
      } catch {
        return false; // it has ended
      }
    });
}

describe.runIf(hasNamespaces)("a layer that is killed at any change of the disk", () => {
  test.each(["overlay", "copy"] as const)(
    `by %s ends ${kills} times as before or after, and leaves no process and no mount`,
    { timeout: 7_200_000 },
    async (engine) => {
      const wrong: string[] = [];
      const ends = { before: 0, after: 0 };
      const counts = { keep: 0, undo: 0, open: 0, host: 0, holder: 0 };
      const all = () => Object.values(counts).reduce((sum, each) => sum + each);
      for (let seed = 1; all() < kills; seed += 1) {
        const world = createWorld(engine, seed);
        onTestFinished(() => void world.remove());
        for (let rounds = 0; rounds < 6 && all() + sumOf(world.tally) < kills; rounds += 1)
          await world.round();
        await expect.poll(() => leftIn(world.folder)).toEqual([]);
        wrong.push(...world.tally.wrong);
        for (const key of ["keep", "undo", "open", "host", "holder"] as const)
          counts[key] += world.tally.kills[key];
        for (const key of ["before", "after"] as const) ends[key] += world.tally.ends[key];
        world.remove();
        expect(wrong).toEqual([]);
      }
      process.stdout.write(`${JSON.stringify({ engine, counts, ends })}\n`);
      const { keep, undo, open, holder } = counts;
      expect(Math.min(keep, undo, open, holder, ends.before, ends.after)).toBeGreaterThan(3);
    },
  );

  test("this harness finds a commit that is written after the work", { timeout: 600_000 }, async () => {
    const world = createWorld("overlay", 7, "late-commit");
    onTestFinished(() => void world.remove());
    for (let rounds = 0; rounds < 15 && world.tally.wrong.length === 0; rounds += 1) await world.round();
    expect(world.tally.wrong.length).toBeGreaterThan(0);
  });
});

function sumOf({ kills: counts }: Tally): number {
  return Object.values(counts).reduce((sum, each) => sum + each);
}
