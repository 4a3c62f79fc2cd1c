import { watch, type FSWatcher } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isToolmountError } from "@toolmount/core";
import type { OpenedHost, ReloadReport } from "@toolmount/loader";
import { problemsOf } from "../render/failure.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";

/** Milliseconds of silence after which changes are read: an editor writes a file in several steps. */
const quietMs = 100;

/** Most folders that are watched, so that a large project does not use up what the system has. */
const maxFolders = 500;

/**
 * Reloads a host when a file of its plan, or a file beside or below one of its local modules, changes. `say` gets one line
 * for each reload. An invalid plan leaves the host as it is. Returns what ends the watch.
 */
export async function watchPlan(host: OpenedHost, say: (line: string) => void): Promise<() => Promise<void>> {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let changed = new Set<string>();
  let running: Promise<void> = Promise.resolve();
  let isOver = false;
  const update = async () => {
    const wanted = await foldersOf(host);
    for (const [folder, watcher] of watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of wanted) if (!watchers.has(folder)) watchOne(folder);
  };
  const watchOne = (folder: string) => {
    const watcher = watch(folder, { persistent: false }, (_, name) => notice(join(folder, name ?? "")));
    // A folder that was deleted is no longer watched; the reload reports what is missing.
    watcher.on("error", () => watcher.close());
    watchers.set(folder, watcher);
  };
  const notice = (path: string) => {
    if (isOver || !isSource(path)) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => (running = running.then(reload)), quietMs);
  };
  const reload = async () => {
    const paths = [...changed];
    changed = new Set();
    if (isOver || paths.length === 0) return;
    say(await reloadLine(host, paths));
    await update();
  };
  await update();
  return async () => {
    isOver = true;
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
    await running;
  };
}

async function reloadLine(host: OpenedHost, paths: readonly string[]): Promise<string> {
  const [first = "", ...others] = paths.map((path) => relative(host.plan.folder, path));
  const because = printable(others.length === 0 ? first : `${first} and ${countOf(others, "other file")}`);
  try {
    return `↻ ${because}: ${summaryOf(await host.reload())}`;
  } catch (error) {
    if (!isToolmountError(error)) throw error;
    const [problem] = problemsOf(error) ?? [];
    const place =
      problem?.file === undefined ? "" : ` at ${relative(host.plan.folder, problem.file)}:${problem.line}`;
    return `✖ ${because}: not reloaded, the tools are as before: ${printable(`${problem?.message ?? error.message}${place}`)}`;
  }
}

function summaryOf({ generation, mounted, removed, kept, failed, drained }: ReloadReport): string {
  const gone = removed.filter((id) => !mounted.includes(id));
  const facts = [
    mounted.length > 0 ? `${mounted.join(", ")} mounted` : "",
    gone.length > 0 ? `${gone.join(", ")} removed` : "",
    failed.length > 0 ? `${failed.join(", ")} failed` : "",
    `${kept.length} kept`,
    drained.draining.length > 0 ? `${countOf(drained.draining, "call")} of before still running` : "",
  ];
  return printable(`reloaded, generation ${generation}: ${facts.filter(Boolean).join(", ")}`);
}

/** Folders of the plan's files, and of its local modules with the folders below them. */
async function foldersOf(host: OpenedHost): Promise<ReadonlySet<string>> {
  const { plan } = host;
  const folders = new Set(plan.files.map((file) => dirname(file)));
  const modules = host
    .status()
    .entries.flatMap(({ path }) => (path === undefined || isInstalled(path) ? [] : [dirname(path)]));
  for (const folder of new Set(modules)) {
    folders.add(folder);
    // A module in the plan's own folder may import from anywhere in the project: only its folder is watched.
    if (!plan.files.some((file) => dirname(file) === folder)) await addBelow(folder, folders);
  }
  return folders;
}

async function addBelow(folder: string, folders: Set<string>): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (folders.size >= maxFolders) return;
    if (!entry.isDirectory() || entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const inner = join(folder, entry.name);
    folders.add(inner);
    await addBelow(inner, folders);
  }
}

function isInstalled(path: string): boolean {
  return /[/\\]node_modules[/\\]/.test(path);
}

/** Whether a file can be part of a plan or a module. Temporary files of editors and the state of the host are not. */
function isSource(path: string): boolean {
  return /\.(?:ya?ml|json|[cm]?[jt]sx?|md)$/i.test(path) && !/[/\\]\.toolmount[/\\]/.test(path);
}
