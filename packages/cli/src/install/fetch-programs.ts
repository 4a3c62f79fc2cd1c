import { execFile } from "node:child_process";
import { readFile, realpath, rm, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { makeFolder } from "@toolmount/paths";
import { ToolmountError } from "@toolmount/core";
import type { Environment } from "@toolmount/loader";
import type { FetchedSource } from "@toolmount/loader/commands";
import { programCommand } from "@toolmount/sandbox";

/** The folder of fetched packages, the plan's folder, and the environment of npm and git. */
export interface Fetching {
  readonly store: string;
  readonly plan: string;
  readonly env: Environment;
}

/** Checks out one commit into an empty folder, without history, hooks and submodules. */
export async function cloneInto(
  folder: string,
  { url, ref }: Extract<FetchedSource["from"], { kind: "git" }>,
  fetching: Fetching,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  makeFolder(folder);
  const protocol = url.slice(0, url.indexOf(":"));
  const settings = ["core.hooksPath=/dev/null", "protocol.allow=never", `protocol.${protocol}.allow=always`];
  const configured = settings.flatMap((setting) => ["-c", setting]);
  const git = (...words: readonly string[]) => run("git", [...configured, ...words], folder, fetching);
  const shallow = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"];
  await git("init", "--quiet");
  await git("fetch", ...shallow, "--", url, ref ?? "HEAD");
  await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
}

/** Fetches a repository that is a package, or that has one in a subfolder. Throws `INSTALL_FAILED`. */
export async function clonePackage(
  source: FetchedSource,
  from: Extract<FetchedSource["from"], { kind: "git" }>,
  fetching: Fetching,
): Promise<void> {
  const { alias, written } = source;
  const { subdirectory } = from;
  const folder = join(fetching.store, "git", alias);
  await cloneInto(folder, from, fetching);
  const inside = join(folder, subdirectory);
  const real = await realpath(inside).catch(() => undefined);
  const home = await realpath(folder);
  if (real === undefined || !`${real}${sep}`.startsWith(`${home}${sep}`) || !(await hasPackage(real)))
    throw failed(
      `${written} has no package.json ${subdirectory === "" ? "at its root" : `in ${subdirectory}`}`,
    );
}

async function hasPackage(folder: string): Promise<boolean> {
  return (await stat(join(folder, "package.json")).catch(() => undefined))?.isFile() === true;
}

/** Milliseconds after which npm or git is ended. */
const maxMs = 10 * 60_000;

/** Runs npm or git and returns its standard output. Throws `INSTALL_FAILED` with the program's error messages. */
export async function run(
  command: string,
  words: readonly string[],
  cwd: string,
  { env }: Fetching,
): Promise<string> {
  try {
    const program = programCommand(command, words, { platform: process.platform, env });
    const { stdout } = await promisify(execFile)(program.file, program.args, {
      ...program.options,
      cwd,
      timeout: maxMs,
      maxBuffer: 16 * 2 ** 20,
      env: {
        ...env,
        GIT_TERMINAL_PROMPT: "0",
        npm_config_ignore_scripts: "true",
        npm_config_update_notifier: "false",
      },
    });
    return stdout;
  } catch (cause) {
    const { stderr = "", message } = cause as { stderr?: string; message: string };
    throw failed(
      `${command} ${words.find((word) => /^[a-z]+$/.test(word)) ?? ""} failed: ${reasonIn(stderr).slice(0, 2000) || message}`,
      cause,
    );
  }
}

/** Returns a program's message on its standard error, without npm's prefixes, its advice and the place of its logs. */
function reasonIn(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.replace(/^npm (?:error|ERR!)(?: \d{3}(?= |$))?/, "").trim());
  const noise =
    /^$|^code \w+$|^A complete log of this run|^Note that you can also install|^tarball, folder, /;
  return lines.filter((line) => !noise.test(line)).join("\n");
}

/** Creates the error of an install. */
export function failed(problem: string, cause?: unknown): ToolmountError {
  return new ToolmountError("INSTALL_FAILED", { problem }, { cause });
}

/**
 * Reads the commit of a checkout; undefined if it cannot be read. The checkout is detached, so its HEAD file contains the commit
 * itself.
 */
export async function readCommit(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, ".git", "HEAD"), "utf8").catch(() => "");
  return /^[0-9a-f]{40,64}$/.exec(text.trim())?.[0];
}
