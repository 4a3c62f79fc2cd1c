import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { treeOptions } from "@toolmount/sandbox";
import { rgPath } from "@vscode/ripgrep";
import type { EngineGuard } from "./engine-guard.ts";
import { createNotes, type Notes } from "./notes.ts";

/** One run of ripgrep. */
export interface Run {
  readonly args: readonly string[];
  /** A folder that was judged. */
  readonly cwd: string;
  /** Ends what stands between records. */
  readonly separator: "\n" | "\0";
  readonly signal: AbortSignal;
  readonly guard: EngineGuard;
}

export interface Ending {
  /** Whether the reader stopped before the end. */
  readonly wasStopped: boolean;
  /** 0: something was found; 1: nothing; 2: something went wrong. Null when it was killed. */
  readonly code: number | null;
  /** What went wrong with the whole run, at most `maxErrorBytes`. */
  readonly error: string;
  readonly notes: Notes;
}

/** Says false when it has enough. */
type OnRecord = (record: Buffer) => boolean;

/** Longest record to keep; a longer one becomes empty. All matches of a line are in its record. */
const maxRecordBytes = 8_388_608;

const maxErrorBytes = 8_192;

/**
 * Runs ripgrep beside this process and hands on its records as they come. It gets no variable of the host, no input and
 * no configuration. It has ended when this returns or throws; the abort of `signal` kills it, and is thrown. The guard kills
 * it when this process ends.
 */
export async function runRipgrep(
  { args, cwd, separator, signal, guard }: Run,
  onRecord: OnRecord,
): Promise<Ending> {
  signal.throwIfAborted();
  // Before the engine, so that no engine runs without it.
  guard.start();
  const child = spawn(rgPath, ["--no-config", ...args], {
    cwd,
    env: guard.env,
    stdio: ["ignore", "pipe", "pipe"],
    ...treeOptions(),
  });
  const ended = once(child, "close");
  if (child.pid !== undefined) watch(child, child.pid, guard);
  ended.catch(() => {}); // Thrown where it is awaited.
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

/** Hands on one record after the other; false when the reader had enough, and the engine is killed. */
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
        // Before its output is closed: an engine that cannot write ends with a code of its own.
        child.kill("SIGKILL");
        return false;
      }
      at = next + 1;
    }
    keep(chunk.subarray(at));
  }
  return true;
}

/** Divides its error output into errors of the run and what it says of the paths that it passed over. */
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
