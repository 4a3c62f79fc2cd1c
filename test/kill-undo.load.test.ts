import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { UnclearUndo, UndoReport } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram, type OneFile } from "../packages/store/test/one-file.ts";
import { calls, createUndoWorld, linesOf, placesIn } from "./support/undo-world.ts";

// Each is a process of its own, so 24 do where the long forms do not run.
const isWhole = process.env["TOOLMOUNT_LONG"] === "1";
const kills = isWhole ? 2_000 : 12;

/** Contents, permissions, links and folders. */
function look(path: string): unknown {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return readlinkSync(path);
  if (stat.isFile()) return [stat.mode, readFileSync(path).toString("hex")];
  const names = readdirSync(path).filter((name) => !/^\.toolmount-.*\.tmp$/.test(name)); // of killed writes
  return [stat.mode, Object.fromEntries(names.map((name) => [name, look(join(path, name))]))];
}

/** A folder whose work is done and can be undone, kept to begin again from. */
async function worked() {
  const root = mkdtempSync(join(tmpdir(), "toolmount-undo-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [base, kept] = [join(root, "work"), join(root, "kept")];
  const { folder, account, database } = placesIn(base);
  mkdirSync(join(folder, "tree/inner"), { recursive: true });
  for (const name of ["kept.txt", "old.txt", "tree/a", "tree/inner/b"])
    writeFileSync(join(folder, name), name);
  symlinkSync("../a", join(folder, "tree/inner/link"));
  const before = look(folder);
  const store = await openStore(`sqlite:${database}`);
  const host = await createUndoWorld(store, folder, account);
  for (const [name, given] of calls) {
    const { result } = await host.session("s").call({ name, arguments: given });
    expect(result.error).toBeUndefined();
  }
  await host.close();
  await store.close();
  cpSync(base, kept, { recursive: true, verbatimSymlinks: true });
  const reset = () => {
    rmSync(base, { recursive: true });
    cpSync(kept, base, { recursive: true, verbatimSymlinks: true });
  };
  return { base, folder, account, before, reset };
}

/**
 * Undoes in a process that kills itself at a step, 0 for none. Returns the number of its steps; null when it was killed, or when
 * an undo of it stopped before, as one that takes too long on a busy machine.
 */
async function undoKilled(base: string, step: number, { file, env }: OneFile): Promise<number | null> {
  const args = [file, base, String(step)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  const said = await text(child.stdout);
  const [code, signal] = await ended;
  const isStopped = signal === null && code === 1 && step !== 0;
  if (signal === null && code !== 0 && !isStopped)
    throw new Error(`an undo's process ended by itself with ${code}`);
  return signal === "SIGKILL" || isStopped ? null : Number(said);
}

async function undo(base: string, unclear?: UnclearUndo): Promise<UndoReport> {
  const { folder, account, database } = placesIn(base);
  const store = await openStore(`sqlite:${database}`);
  const host = await createUndoWorld(store, folder, account);
  const report = await host.session("s").undo({ unclear });
  await host.close();
  await store.close();
  return report;
}

/**
 * Undoes the rest twice at the same time, as two processes would. Where a charge had begun to be booked back, a person looks
 * whether it is in the account. Returns how often that was necessary.
 */
async function undoRest(base: string): Promise<number> {
  const { account } = placesIn(base);
  for (let decisions = 0; ; decisions += 1) {
    const [one, other] = await Promise.all([undo(base), undo(base)]);
    const { stopped } = one.stopped === null ? other : one;
    if (stopped === null) return decisions;
    if (stopped.outcome.status === "timed_out") continue; // on a busy machine
    expect(stopped).toMatchObject({
      change: { tool: "charge", undoBegan: true },
      outcome: { status: "unknown" },
    });
    const isBooked = linesOf(account).includes(`-${stopped.change.arguments["id"] as string}`);
    expect((await undo(base, isBooked ? "done" : "repeat")).stopped).toBe(null);
  }
}

test(
  `after ${kills} kills during undo, at each of its steps, nothing is undone twice and nothing is lost`,
  { timeout: isWhole ? 3_600_000 : 300_000 },
  async () => {
    const program = await bundleProgram(join(import.meta.dirname, "support/undo-process.ts"), {});
    onTestFinished(() => program.remove());
    const { base, folder, account, before, reset } = await worked();
    const steps = await undoKilled(base, 0, program);
    const booked = ["+one", "+two", "-two", "-one"];
    expect([look(folder), linesOf(account)]).toEqual([before, booked]);
    let decisions = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      reset();
      const at = 1 + (isWhole ? kill % steps! : Math.floor((kill * steps!) / kills));
      expect([at, await undoKilled(base, at, program)]).toEqual([at, null]);
      decisions += await undoRest(base);
      expect([at, look(folder), linesOf(account)]).toEqual([at, before, booked]);
    }
    // Only a kill between the begin and the end of one of the two charges leaves a question.
    expect(decisions).toBeGreaterThan(0);
    expect(decisions / kills).toBeLessThan(0.3);
  },
);
