import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { treeOptions, spawnChild } from "@toolmount/sandbox";
import { rgPath } from "@vscode/ripgrep";
import type { EngineGuard } from "./engine-guard.ts";
import { createNotes, type Notes } from "./notes.ts";

/** What one run of ripgrep needs: its arguments, its folder, and how its output is divided into records. */
export interface Run {
  readonly args: readonly string[];
  /** The folder in which ripgrep runs, which has been checked. */
  readonly cwd: string;
  /** The character that ends each record. */
  readonly separator: "\n" | "\0";
  readonly signal: AbortSignal;
  readonly guard: EngineGuard;
}

export interface Ending {
  /** Whether the reader stopped the run before its end. */
  readonly wasStopped: boolean;
  /** Exit code: 0 if something was found, 1 if nothing was, 2 for an error. Null if ripgrep was killed. */
  readonly code: number | null;
  /** Error about the whole run, cut to `maxErrorBytes` characters. */
  readonly error: string;
  readonly notes: Notes;
}

/** Is called with each record, without its separator. Returns false to stop the run. */
type OnRecord = (record: Buffer) => boolean;

/** Longest record that is kept, in bytes; a longer one becomes empty. The record of a line lists all matches in it. */
const maxRecordBytes = 8_388_608;

const maxErrorBytes = 8_192;

/**
 * Runs ripgrep as a separate process and passes its records on as they arrive. The process gets no variables of the host, no
 * input and no configuration. It has ended when this function returns, and is killed if `onRecord` throws. If `signal` is
 * aborted, the process is killed, and the reason is thrown. The guard kills it if this process dies.
 */
export async function runRipgrep(
  { args, cwd, separator, signal, guard }: Run,
  onRecord: OnRecord,
): Promise<Ending> {
  signal.throwIfAborted();
  // The guard is started first, so that no engine runs without it.
  guard.start();
  const child = spawnChild(rgPath, ["--no-config", ...args], {
    cwd,
    env: guard.env,
    stdio: ["ignore", "pipe", "pipe"],
    ...treeOptions(),
  });
  const ended = once(child, "close");
  if (child.pid !== undefined) watch(child, child.pid, guard);
  ended.catch(() => {}); // an error is thrown at the `await` below
  const kill = () => void child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  try {
    const error = collectError(child);
    const wasStopped = !(await readRecords(child, separator, onRecord));
    const [code] = (await ended) as [number | null];
    signal.throwIfAborted();
    return { wasStopped, code, ...error() };
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

function watch(child: ChildProcess, pid: number, guard: EngineGuard): void {
  guard.add(pid);
  child.once("exit", () => guard.remove(pid));
}

/** Passes on one record after the other. Returns false if the reader stopped, after the engine was killed. */
async function readRecords(
  child: ChildProcess,
  separator: Run["separator"],
  onRecord: OnRecord,
): Promise<boolean> {
  const end = separator.charCodeAt(0);
  let parts: Buffer[] = [];
  let bytes = 0;
  const keep = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxRecordBytes) parts.push(part);
    else parts = [];
  };
  const take = () => {
    const record = bytes <= maxRecordBytes ? Buffer.concat(parts) : Buffer.alloc(0);
    parts = [];
    bytes = 0;
    return record;
  };
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    let at = 0;
    for (let next = chunk.indexOf(end); next >= 0; next = chunk.indexOf(end, at)) {
      keep(chunk.subarray(at, next));
      if (!onRecord(take())) {
        // The engine is killed before its output is closed, because an engine that cannot write ends with another code.
        child.kill("SIGKILL");
        return false;
      }
      at = next + 1;
    }
    keep(chunk.subarray(at));
  }
  return true;
}

/** Divides the engine's error output into errors about the run and reports about skipped paths. */
function collectError({ stderr }: ChildProcess): () => Pick<Ending, "error" | "notes"> {
  const { notes, read } = createNotes();
  let error = "";
  let rest = "";
  const take = (line: string) => {
    if (!read(line)) error = `${error}${line}\n`.slice(0, maxErrorBytes);
  };
  stderr?.setEncoding("utf8").on("data", (part: string) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop()!;
    lines.forEach(take);
  });
  return () => {
    if (rest !== "") take(rest);
    return { error: error.trim(), notes };
  };
}
