import { execFile } from "node:child_process";
import { mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { ToolmountError } from "@toolmount/core";
import { fillOptions } from "../host/defaults.ts";
import { storeOf, type FetchedSource } from "../modules/fetched-source.ts";
import type { Environment } from "../plan/interpolate.ts";
import { loadPlan, type PlanInput } from "../mount/load-plan.ts";
import { findPackage, readPackage } from "../modules/manifest.ts";
import type { OpenHostOptions } from "../host/options.ts";
import { planError } from "../diagnostics/problems.ts";

/** Options of an install, beside those of opening the plan. */
export interface InstallOptions extends OpenHostOptions {
  /** Fetches everything again: the newest version of each range, the newest commit of each branch. */
  readonly update?: boolean | undefined;
}

/** One package that a source of the plan names. */
export interface InstalledSource {
  readonly source: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly folder: string;
  /** For a repository: the commit that was checked out. */
  readonly commit?: string;
}

/** The plan's own folder of packages after an install. */
export interface InstallReport {
  /** `.toolmount/modules` beside the plan. */
  readonly folder: string;
  readonly sources: readonly InstalledSource[];
}

/**
 * Fetches the packages of the plan's `npm:name@range` and `git+…` sources, with npm and git, into a folder beside the
 * plan. No install script runs, and no package is imported. A package that is in the folder already is not fetched again.
 *
 * Throws `PLAN_NOT_FOUND`, `PLAN_INVALID`, and `INSTALL_FAILED` with the output of npm or git.
 */
export async function installSources(
  input?: PlanInput,
  options: InstallOptions = {},
): Promise<InstallReport> {
  const filled = fillOptions(options);
  const { opened, modules, problems } = await loadPlan(input, filled);
  const wrong = problems.filter(({ code }) => code !== "VARIABLE_MISSING");
  if (wrong.length > 0) throw planError(wrong);
  const sources = new Map<string, FetchedSource>();
  for (const { source } of modules) if (source.kind === "fetched") sources.set(source.alias, source);
  const store = storeOf(opened.folder);
  if (sources.size > 0)
    await fetchAll([...sources.values()], { store, plan: opened.folder, options, env: filled.env });
  return {
    folder: store,
    sources: await Promise.all([...sources.values()].map((source) => describe(source, store))),
  };
}

interface Fetching {
  readonly store: string;
  readonly plan: string;
  readonly options: InstallOptions;
  readonly env: Environment;
}

async function fetchAll(sources: readonly FetchedSource[], fetching: Fetching): Promise<void> {
  const { store, options } = fetching;
  await mkdir(store, { recursive: true });
  await writeFile(join(store, ".gitignore"), "*\n");
  if (options.update === true)
    await Promise.all(
      ["package-lock.json", "node_modules", "git"].map((name) =>
        rm(join(store, name), { recursive: true, force: true }),
      ),
    );
  const missing = [];
  for (const source of sources) if (!(await isThere(source, store))) missing.push(source);
  if (missing.length === 0) return;
  for (const source of missing)
    if (source.from.kind === "git") await cloneInto(source, source.from, fetching);
  await writePackage(sources, store);
  await runNpm(fetching);
  for (const source of sources)
    if (!(await isThere(source, store)))
      throw failed(`npm reported success, but did not install ${source.written}`);
}

async function isThere({ alias }: FetchedSource, store: string): Promise<boolean> {
  return (await readPackage(join(store, "node_modules", alias))) !== undefined;
}

type GitSource = Extract<FetchedSource["from"], { kind: "git" }>;

/** Checks out one commit, without history, hooks and submodules. The folder must be inside the repository. */
async function cloneInto(
  { alias, written }: FetchedSource,
  { url, ref, subdirectory }: GitSource,
  fetching: Fetching,
): Promise<void> {
  const folder = join(fetching.store, "git", alias);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const protocol = url.slice(0, url.indexOf(":"));
  const git = (...words: readonly string[]) =>
    run(
      "git",
      [
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "protocol.allow=never",
        "-c",
        `protocol.${protocol}.allow=always`,
        ...words,
      ],
      folder,
      fetching,
    );
  await git("init", "--quiet");
  await git(
    "fetch",
    "--quiet",
    "--depth=1",
    "--no-tags",
    "--no-recurse-submodules",
    "--",
    url,
    ref ?? "HEAD",
  );
  await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
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

/** Each source gets its own name, so that two versions of one package can be installed. */
async function writePackage(sources: readonly FetchedSource[], store: string): Promise<void> {
  const dependencies = sources.map(({ alias, from }) => [
    alias,
    from.kind === "npm"
      ? `npm:${from.name}@${from.range}`
      : `file:./${["git", alias, from.subdirectory].filter(Boolean).join("/")}`,
  ]);
  const json = {
    name: "toolmount-modules",
    private: true,
    dependencies: Object.fromEntries(dependencies) as object,
  };
  await writeFile(join(store, "package.json"), `${JSON.stringify(json, null, 2)}\n`);
}

/** Peers come from the plan's own packages where they are installed: a tool and its host share one core. */
async function runNpm(fetching: Fetching): Promise<void> {
  const hasCore = (await findPackage("@toolmount/core", fetching.plan)) !== undefined;
  const words = [
    "install",
    "--ignore-scripts",
    "--install-links",
    "--omit=dev",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  await run(
    "npm",
    hasCore ? [...words, "--omit=peer", "--legacy-peer-deps"] : words,
    fetching.store,
    fetching,
  );
}

/** Longest time that one command may take, in milliseconds. */
const maxMs = 10 * 60_000;

async function run(
  command: string,
  words: readonly string[],
  cwd: string,
  { env }: Fetching,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, [...words], {
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
      `${command} ${words.find((word) => /^[a-z]+$/.test(word)) ?? ""} failed: ${stderr.trim().slice(0, 2000) || message}`,
      cause,
    );
  }
}

function failed(problem: string, cause?: unknown): ToolmountError {
  return new ToolmountError("INSTALL_FAILED", { problem }, { cause });
}

async function describe({ written, alias, from }: FetchedSource, store: string): Promise<InstalledSource> {
  const folder = join(store, "node_modules", alias);
  const facts = await readPackage(folder);
  const commit = from.kind === "git" ? await readCommit(join(store, "git", alias)) : undefined;
  return {
    source: written,
    name: facts?.name,
    version: facts?.version,
    folder,
    ...(commit !== undefined && { commit }),
  };
}

/** The checkout is detached, so the file contains the commit itself. */
async function readCommit(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, ".git", "HEAD"), "utf8").catch(() => "");
  return /^[0-9a-f]{40,64}$/.exec(text.trim())?.[0];
}
