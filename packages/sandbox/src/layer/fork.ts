import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { baseFile } from "./base.ts";
import { changedFolder } from "./commit.ts";
import { copiedAgain } from "./copy-engine.ts";
import { removeTree } from "./durable.ts";
import { takeLock } from "./folder-lock.ts";
import { endLeftHolder, type LayerPlace } from "./holder.ts";
import { namesIn } from "./mark.ts";
import { engineFile } from "./view.ts";

const forkName = /^fork-(\d+)-/;

/** Names a fork of a layer by the process that has it. */
export function newForkName(): string {
  return `fork-${process.pid}-${randomUUID()}`;
}

/** Copies what a layer changed to the empty place of a fork. */
export async function copyChanges(from: LayerPlace, place: string): Promise<void> {
  const names = [join(from.place, changedFolder), baseFile(from.place), engineFile(from.place)];
  const words = ["-a", "--reflink=auto", "-t", place, "--", ...names];
  await promisify(execFile)("cp", words, { env: { PATH: from.env["PATH"] } });
  copiedAgain(from.place, place);
}

/** Removes the forks of processes that died. */
export async function removeLeftForks(layers: string, env: LayerPlace["env"]): Promise<void> {
  for (const name of namesIn(layers)) {
    const owner = forkName.exec(name)?.[1];
    if (owner === undefined || existsSync(`/proc/${owner}`)) continue;
    const place = join(layers, name);
    const unlock = await takeLock(place, env, 0);
    if (unlock === undefined) continue;
    await endLeftHolder(place);
    removeTree(place);
    await unlock();
  }
}
