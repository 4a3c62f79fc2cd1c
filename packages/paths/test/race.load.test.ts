import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFiles, isPathError, type Files } from "@toolmount/paths";
import { expect, onTestFinished, test } from "vitest";
import { canary, plantTree, type Tree } from "./tree.ts";

// A hundred thousand with TOOLMOUNT_LONG=1, as before a release; takes minutes.
const isLong = process.env["TOOLMOUNT_LONG"] === "1";
const operations = isLong ? 100_000 : 5_000;

test(
  `links turned all the while under ${operations} operations leak nothing and harm nothing outside`,
  { timeout: isLong ? 1_800_000 : 120_000 },
  async () => {
    const tree = plantTree();
    onTestFinished(() => tree.remove());
    const files = createFiles(tree.rules);
    await startTurning(tree);
    const before = tree.outside();
    const counts: Record<string, number> = {};
    for (let done = 0; done < operations; done += 8) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) => settle(attack(files, done + at))),
      );
      for (const answer of answers) {
        expect(answer.text).not.toContain(canary);
        expect(answer.text).not.toMatch(/"(?:secret|deep)\.txt"/);
        counts[answer.kind] = (counts[answer.kind] ?? 0) + 1;
      }
    }

    expect(tree.outside()).toBe(before);
    // Both sides of the turning links were met: else nothing was tried.
    expect(counts["done"]).toBeGreaterThan(operations / 100);
    expect(counts["ACCESS_DENIED"]).toBeGreaterThan(operations / 100);
    expect(counts["unknown"]).toBeUndefined();
  },
);

async function startTurning({ base }: Tree): Promise<void> {
  const work = join(base, "work");
  for (const folder of ["real/sub", "swap/sub"]) {
    mkdirSync(join(work, folder), { recursive: true });
    for (const name of [folder, join(folder, "..")]) writeFileSync(join(work, name, "inside.txt"), "INSIDE");
  }
  symlinkSync("real", join(work, "flip"));
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.resolve("./flip.mjs")), work, join(base, "secret")],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await once(child.stdout, "data");
}

const bytes = Buffer.from("planted");

/** One of the ways to get at, or harm, what the turning links lead to. */
function attack(files: Files, turn: number): Promise<unknown> {
  // A turning link, a folder with a link in its place, and folders below either.
  const folder = ["flip", "swap", "flip/sub", "swap/sub"][turn % 4]!;
  const fresh = `${folder}/new-${turn % 50}`;
  switch (Math.floor(turn / 4) % 13) {
    case 0:
      return files.read(`${folder}/inside.txt`, 1000);
    case 1:
      return files.read("leaf.txt", 1000);
    case 2:
      return files
        .read(`${folder}/${["secret.txt", "sub/deep.txt"][turn % 2]}`, 1000)
        .then(() => ["secret.txt"]);
    case 3:
      return files.list(folder, { offset: 0, limit: 100 });
    case 4:
      return files.replace(fresh, bytes);
    case 5:
      return files.replace(`${folder}/inside.txt`, bytes);
    case 6:
      return files.makeFolder(`${fresh}-dir/deep`);
    case 7:
      return files.remove(`${folder}/new-${(turn + 1) % 50}-dir`, { recursive: true });
    case 8:
      return files.move(fresh, `${folder}/moved-${turn % 50}`, { overwrite: true });
    case 9:
      return files.look(folder, ["secret.txt", "inside.txt"]).then(namesOf);
    case 10:
      return files.snapshot(folder, { maxBytes: 100_000, folders: true });
    case 11:
      return files.restore(fresh, {
        kind: "folder",
        mode: 0o755,
        entries: [["new", { kind: "file", mode: 0o644, text: "planted" }]],
      });
    default:
      return files.remove(`${folder}/${["secret.txt", "deep.txt", "sub"][turn % 3]}`, { recursive: true });
  }
}

function namesOf(entries: readonly ({ name: string } | null)[]) {
  return entries.map((entry) => entry?.name);
}

async function settle(work: Promise<unknown>): Promise<{ kind: string; text: string }> {
  try {
    const answer = await work;
    const read = (answer as { bytes?: Buffer } | undefined)?.bytes;
    return { kind: "done", text: read?.toString() ?? JSON.stringify(answer) ?? "" };
  } catch (thrown) {
    // What was asked for is reported back; only what was found out must not be.
    return { kind: isPathError(thrown) ? thrown.code : "unknown", text: "" };
  }
}
