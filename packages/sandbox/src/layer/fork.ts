import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { ToolmountError } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { makeFolder } from "@toolmount/paths";
import { baseFile } from "./base.ts";
import { changedFolder } from "./commit.ts";
import { copiedAgain } from "./copy-engine.ts";
import { removeTree } from "./durable.ts";
import { takeLock } from "./folder-lock.ts";
import { endLeftHolder, type LayerPlace } from "./holder.ts";
import { namesIn } from "../system/mark.ts";
import type { ViewOptions } from "./mount.ts";
import { removePlace } from "./place.ts";
import { engineFile } from "./view.ts";

const forkName = /^fork-(\d+)-/;

/** Returns a new name for a fork, which includes the number of this process. */
function newForkName(): string {
  return `fork-${process.pid}-${randomUUID()}`;
}

/** Copies a layer's changes to the empty place of a fork. */
async function copyChanges(from: LayerPlace, place: string): Promise<void> {
  const names = [join(from.place, changedFolder), baseFile(from.place), engineFile(from.place)];
  const words = ["-a", "--reflink=auto", "-t", place, "--", ...names];
  await promisify(execFile)("cp", words, { env: { PATH: from.env["PATH"] } }).catch((cause: unknown) => {
    const { stderr } = cause as { readonly stderr?: string };
    const problem = `what waits could not be copied: ${stderr?.trim().split("\n")[0] || messageOf(cause)}`;
    throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "layer", problem }, { cause });
  });
  copiedAgain(from.place, place);
}

/** Removes the forks of processes that died. */
async function removeLeftForks(layers: string, env: LayerPlace["env"]): Promise<void> {
  for (const name of namesIn(layers)) {
    const owner = forkName.exec(name)?.[1];
    if (owner === undefined || existsSync(`/proc/${owner}`)) continue;
    const place = join(layers, name);
    const unlock = await takeLock(place, env, 0);
    if (unlock === undefined || unlock === "removed") continue;
    await endLeftHolder(place);
    removePlace(place);
    await unlock();
  }
}

type ForkOptions = Pick<ViewOptions, "folder" | "env" | "isWorking" | "isFork"> & {
  readonly name: string;
  readonly obeyed: readonly string[];
};

interface Forking<Layer> {
  readonly at: ViewOptions & Pick<ForkOptions, "obeyed">;
  /** The folder that holds the layer and its fork. */
  readonly layers: string;
  readonly open: (group: string, options: ForkOptions) => Promise<Layer | { readonly problem: string }>;
}

/** Copies a layer with its changes to a new place and opens the copy. Throws `SANDBOX_UNAVAILABLE` if that fails. */
export async function openFork<Layer extends object>(
  { at, layers, open }: Forking<Layer>,
  options?: Pick<ForkOptions, "isWorking">,
): Promise<Layer> {
  const { folder, env, obeyed } = at;
  await removeLeftForks(layers, env);
  const name = newForkName();
  const place = join(layers, name);
  makeFolder(place, 0o700);
  try {
    await copyChanges(at, place);
    const fork = await open(basename(layers), { folder, env, obeyed, ...options, name, isFork: true });
    if (!("problem" in fork)) return fork;
    throw new ToolmountError("SANDBOX_UNAVAILABLE", { border: "layer", problem: fork.problem });
  } catch (error) {
    removeTree(place);
    throw error;
  }
}
