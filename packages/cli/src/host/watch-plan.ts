import { existsSync, watch, type FSWatcher } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { messageOf } from "@toolmount/core/errors";
import { isBelow } from "@toolmount/paths";
import type { OpenedHost, ReloadReport } from "@toolmount/loader";
import { problemsOf } from "../render/failure.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";

/** Milliseconds without a change before a reload, because an editor writes a file in several steps. */
const quietMs = 100;

/**
 * At this many folders, no further folder of a module is added, so that a large project does not use up the system's watchers.
 */
const maxFolders = 500;

/**
 * Reloads a host when a source file changes in a folder of the plan's files, or in or below the folder of a local module. `say`
 * gets a line for each reload. With an invalid plan, the host keeps its tools. Returns a function that ends the watch.
 */
export async function watchPlan(host: OpenedHost, say: (line: string) => void): Promise<() => Promise<void>> {
  let timer: NodeJS.Timeout | undefined;
  let changed = new Set<string>();
  let running: Promise<void> = Promise.resolve();
  let isOver = false;
  const change = (path: string) => {
    if (isOver) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => (running = running.then(reload)), quietMs);
  };
  const folders = new WatchedFolders(host.plan.folder, change, say);
  const reload = async () => {
    const paths = [...changed];
    changed = new Set();
    if (isOver || paths.length === 0) return;
    folders.watch(await foldersOf(host)); // new folders are watched before the reload, so that no change during it is missed
    const { missing } = folders;
    say(await reloadLine(host, paths));
    folders.watch(await foldersOf(host));
    for (const folder of missing) if (!folders.missing.has(folder)) change(folder);
  };
  folders.watch(await foldersOf(host));
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await running;
    folders.watch(new Set());
  };
}

/** Watches folders with sources and the folders above them. To delete, replace or create one of these folders is a change, too. */
class WatchedFolders {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #top: string;
  readonly #onChange: (path: string) => void;
  readonly #say: (line: string) => void;
  #folders: ReadonlySet<string> = new Set();
  missing: ReadonlySet<string> = new Set();

  /**
   * `top` is the plan's folder. Of the folders above a watched folder, those up to the first one that contains `top` are watched,
   * too.
   */
  constructor(top: string, onChange: (path: string) => void, say: (line: string) => void) {
    this.#top = top;
    this.#onChange = onChange;
    this.#say = say;
  }

  /** Watches `folders`, and ends watching all others. For a missing folder, watches the nearest existing folder above it. */
  watch(folders: ReadonlySet<string>): void {
    this.#folders = folders;
    this.missing = new Set([...folders].filter((folder) => !existsSync(folder)));
    const wanted = new Set([...folders].flatMap((folder) => this.#wayTo(folder)).map(nearestExisting));
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#end(folder);
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#begin(folder);
  }

  #wayTo(folder: string): string[] {
    const above = dirname(folder);
    const isLast = isBelow(this.#top, folder) || above === folder;
    return isLast ? [folder] : [folder, ...this.#wayTo(above)];
  }

  #begin(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => this.#notice(folder, name ?? ""));
      watcher.on("error", () => this.#end(folder));
      this.#watchers.set(folder, watcher);
    } catch (error) {
      if (existsSync(folder))
        this.#say(`! ${printable(folder)} is not watched: ${printable(messageOf(error))}`);
    }
  }

  #end(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #notice(folder: string, name: string): void {
    // A folder that is deleted or moved reports its own name.
    const path = name === basename(folder) ? folder : join(folder, name);
    const isOnTheWay = [...this.#folders].some((one) => isBelow(one, path));
    // The path now has another folder or none, so the watchers at and below this path are stale.
    if (isOnTheWay) for (const one of this.#watchers.keys()) if (isBelow(one, path)) this.#end(one);
    if (isOnTheWay || (this.#folders.has(folder) && isSource(path))) this.#onChange(path);
  }
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

async function reloadLine(host: OpenedHost, changed: readonly string[]): Promise<string> {
  // A new or deleted folder is left out of the line if files in it changed, too.
  const paths = changed.filter((path) => !changed.some((other) => other !== path && isBelow(other, path)));
  const [first = "", ...others] = paths.map((path) => relative(host.plan.folder, path));
  const because = printable(others.length === 0 ? first : `${first} and ${countOf(others, "other file")}`);
  try {
    return `↻ ${because}: ${summaryOf(await host.reload())}`;
  } catch (error) {
    const [problem] = problemsOf(error) ?? [];
    const place =
      problem?.file === undefined ? "" : ` at ${relative(host.plan.folder, problem.file)}:${problem.line}`;
    return `✖ ${because}: not reloaded, the tools are as before: ${printable(`${problem?.message ?? messageOf(error)}${place}`)}`;
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

/** Returns the folders of the plan's files and those of its local modules, with the folders below the latter. */
async function foldersOf(host: OpenedHost): Promise<ReadonlySet<string>> {
  const { plan } = host;
  const folders = new Set(plan.files.map((file) => dirname(file)));
  const modules = host
    .status()
    .entries.flatMap(({ path }) => (path === undefined || isInstalled(path) ? [] : [dirname(path)]));
  for (const folder of new Set(modules)) {
    folders.add(folder);
    // In the plan's own folder, a module may be next to the whole project, so the folders below it are not watched.
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

/** Tests whether a file can belong to a plan or a module. Temporary files of editors and the host's state do not. */
function isSource(path: string): boolean {
  return /\.(?:ya?ml|json|[cm]?[jt]sx?|md)$/i.test(path) && !/[/\\]\.toolmount[/\\]/.test(path);
}
