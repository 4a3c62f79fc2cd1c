import { askWhether } from "../process/choose.ts";
import type { Shell } from "../process/shell.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import { interruption } from "../process/signals.ts";
import type { FileChange, FileSnapshots } from "./file-snapshots.ts";

/** Undoes what turns did to files, the last turn first. */
export interface Undo {
  /** Runs a turn, and remembers the files before and after it. */
  around<Value>(turn: () => Promise<Value>): Promise<Value>;
  /** Asks, and restores the files that the last turn changed. Returns their paths. */
  undo(shell: Shell): Promise<readonly string[]>;
}

interface Step {
  readonly before: string;
  readonly after: string;
}

/** `snapshots` is null where no git repository is around the plan: then there is nothing to undo with. */
export function createUndo(snapshots: FileSnapshots | null): Undo {
  const steps: Step[] = [];
  return {
    async around(turn) {
      if (snapshots === null) return turn();
      const before = await snapshots.take();
      try {
        return await turn();
      } finally {
        const after = await snapshots.take();
        if (after !== before) steps.push({ before, after });
      }
    },
    async undo(shell) {
      const { err } = shell;
      if (snapshots === null) {
        err.line("/undo needs git and a repository around the plan: it compares files with git");
        return [];
      }
      const step = steps.at(-1);
      if (step === undefined) {
        err.line("no turn of this chat changed a file that git knows or would add");
        return [];
      }
      const changes = await snapshots.compare(step.before, step.after);
      const since = new Set(
        (await snapshots.compare(step.after, await snapshots.take())).map(({ path }) => path),
      );
      const free = changes.filter(({ path }) => !since.has(path));
      for (const { path, kind } of changes)
        err.line(`  ${since.has(path) ? "changed since, stays" : back[kind]} ${printable(path)}`);
      if (free.length > 0 && !(await confirmed(free, shell))) return [];
      await snapshots.restore(step.before, free);
      steps.pop();
      err.line(`${countOf(free, "file")} as before the turn`);
      return free.map(({ path }) => path);
    },
  };
}

/** What undoing a change does. */
const back: Readonly<Record<FileChange["kind"], string>> = {
  added: "delete",
  changed: "put back",
  deleted: "put back",
};

async function confirmed(changes: readonly FileChange[], shell: Shell): Promise<boolean> {
  const { terminal } = shell;
  if (terminal === undefined) return true;
  return shell.interruptible(async (controller) => {
    const message = `Undo ${countOf(changes, "file")}?`;
    const answer = await askWhether(shell.err, terminal, { signal: controller.signal, message });
    if (answer === undefined) controller.abort(interruption("SIGINT"));
    return answer === true;
  });
}
