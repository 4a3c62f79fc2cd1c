import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process, { getuid } from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import type { KeepResult } from "../../src/layer/keep.ts";
import type { UndoResult } from "../../src/layer/keeps.ts";
import type { Layer } from "../../src/layer/layer.ts";
import { keepAll, look, opened, person, within } from "./layer-world.ts";

/** A disk of its own needs root, and a loop device. */
const hasDisk = getuid!() === 0 && spawnSync("losetup", ["--find"]).status === 0;

const blockBytes = 1_024;

/** Free blocks at which each act is tried. */
const levels = process.env["TOOLMOUNT_LOAD"] === "full" ? 40 : 8;

/** A disk that is full but for so many blocks, when it is filled. */
function createDisk() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-full-")));
  const [image, at] = [join(place, "image"), join(place, "disk")];
  mkdirSync(at);
  const run = (file: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(file, args);
    if (status !== 0) throw new Error(`${file}: ${stderr.toString()}`);
  };
  writeFileSync(image, "");
  truncateSync(image, 64_000_000);
  run("mkfs.ext4", "-q", "-m", "0", "-b", String(blockBytes), image);
  run("mount", "-o", "loop", image, at);
  onTestFinished(() => {
    run("umount", "--lazy", at);
    rmSync(place, { recursive: true });
  });
  const [filler, reserve] = [join(at, "filler"), join(at, "reserve")];
  return {
    at,
    fill(freeBlocks: number) {
      spawnSync("dd", ["if=/dev/zero", `of=${filler}`, `bs=${blockBytes}`]);
      // A last file takes the single blocks that are left.
      spawnSync("dd", ["if=/dev/zero", `of=${reserve}`, "bs=1", "count=4096"]);
      const { size } = statSync(filler);
      truncateSync(filler, Math.max(0, size - freeBlocks * blockBytes));
      spawnSync("sync", ["-f", at]);
    },
    empty() {
      for (const file of [filler, reserve]) rmSync(file, { force: true });
      spawnSync("sync", ["-f", at]);
    },
  };
}

const tree = `
for d in $(seq 12); do mkdir d$d; for f in $(seq 12); do head -c 600 /dev/urandom > d$d/f$f; done; done
`;

const work = `
for d in $(seq 12); do echo more >> d$d/f1; echo other > d$d/f2.t; mv d$d/f2.t d$d/f2; rm d$d/f3; mkdir d$d/new; echo n > d$d/new/n; done
rm -r d12; echo file > d12; ln -s d1 link
`;

/** Without the times of folders, which the failed keep sets last. */
const facts = (folder: string) => look(folder);

const isFull = /no space|disk full/i;

/** Tries an act on the full disk: what it answered, or that it threw. */
async function tried(act: () => Promise<KeepResult | UndoResult>): Promise<string> {
  try {
    const result = await act();
    if (result.status === "unfinished") expect(result.reason).toMatch(isFull);
    return result.status;
  } catch (error) {
    expect(String(error)).toMatch(isFull);
    return "threw";
  }
}

describe.runIf(hasDisk).each(["overlay", "copy"] as const)("on a full disk, a layer by %s", (engine) => {
  test(
    "is kept and undone whole or not at all, and goes through with space again",
    { timeout: 3_600_000 },
    async () => {
      const disk = createDisk();
      const counts: Record<string, number> = {};
      const count = (key: string) => (counts[key] = (counts[key] ?? 0) + 1);
      for (let level = 0; level < levels; level += 1) {
        const folder = join(disk.at, `p${level}`);
        mkdirSync(folder);
        person(folder, tree);
        const before = facts(folder);
        const layer: Layer = await opened(folder, { engine });
        await within(layer, folder, work);
        const view = facts((await layer.renew()).folder);
        const free = Math.round((level / levels) ** 2 * 500);

        disk.fill(free);
        const { digest } = await layer.difference();
        const sections = ["files", "deletions", "obeyed", "repository"] as const;
        const kept = await tried(() => layer.keep({ digest, sections }));
        count(`keep ${kept}`);
        const state = facts(folder);
        if (kept === "threw") expect(state).toEqual(before);
        disk.empty();
        await layer.renew();
        const after = facts(folder);
        const isBefore = JSON.stringify(after) === JSON.stringify(before);
        if (!isBefore) expect(withoutTimes(after)).toEqual(withoutTimes(view));
        if (isBefore) expect(await keepAll(layer)).toMatchObject({ status: "kept" });
        expect(withoutTimes(facts(folder))).toEqual(withoutTimes(view));

        disk.fill(free);
        const whole = facts(folder);
        const undone = await tried(() => layer.undo(layer.keeps().at(-1)!));
        count(`undo ${undone}`);
        if (undone === "threw") expect(facts(folder)).toEqual(whole);
        disk.empty();
        await layer.renew();
        if (layer.keeps().length > 0)
          expect(await layer.undo(layer.keeps().at(-1)!)).toMatchObject({ status: "undone" });
        expect(facts(folder)).toEqual(before);

        disk.fill(free);
        // Programs get the kernel's answer; the folder stays as it is.
        await within(layer, folder, "head -c 100000 /dev/zero > big 2>/dev/null || true").catch(() => {});
        expect(facts(folder)).toEqual(before);
        disk.empty();
        await layer.close();
        rmSync(folder, { recursive: true });
      }
      process.stdout.write(`${JSON.stringify({ engine, levels, ...counts })}\n`);
    },
  );

  test("that cannot be opened for want of space is opened with space again", async () => {
    const disk = createDisk();
    const folder = join(disk.at, "p");
    mkdirSync(folder);
    person(folder, tree);
    const before = facts(folder);
    for (const free of [0, 1, 2, 4, 8, 16, 32, 64, 128, 512]) {
      disk.fill(free);
      const layer = await opened(folder, { engine }).catch((error: unknown) => String(error));
      if (typeof layer === "string") expect(layer).toMatch(isFull);
      expect(facts(folder)).toEqual(before);
      disk.empty();
      if (typeof layer !== "string") {
        await layer.drop();
        await layer.close();
      }
    }
    const layer = await opened(folder, { engine });
    await within(layer, folder, work);
    expect(await keepAll(layer)).toMatchObject({ status: "kept" });
  });
});

function withoutTimes(found: Readonly<Record<string, string>>): unknown {
  return Object.entries(found).map(([path, each]) => [path, each.replace(/^(\w+ \d+) \d+/, "$1")]);
}
