import { basename, dirname } from "node:path";
import { messageOf } from "@toolmount/core/errors";
import { loaderOptions } from "../host/loader-options.ts";
import type { Shell } from "../process/shell.ts";
import { printable } from "../screen/printable.ts";

/** What happened to the lock file: its path if it has the new tools now, or the problem. */
export interface Locked {
  readonly file?: string;
  readonly problem?: string;
}

/** Adds the tools of the entries `added` to the lock file of a plan. Accepts no other change. */
export async function lockNew(file: string, added: readonly string[], shell: Shell): Promise<Locked> {
  const { lockPlan } = await import("@toolmount/loader/commands");
  const ids = new Set(added);
  try {
    const report = await lockPlan(file, {
      ...loaderOptions({}, shell),
      cwd: dirname(file),
      accept: ({ now }) => now !== undefined && ids.has(now.module),
    });
    const left = report.leftOut.find(({ module }) => ids.has(module));
    return left === undefined ? { file: report.file } : { problem: left.problem };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

export function writeLocked({ file, problem }: Locked, { out }: Pick<Shell, "out">): void {
  if (file !== undefined) out.line(`  ${printable(`${basename(file)} has its tools`)}`);
  if (problem !== undefined)
    out.line(
      out.paint(
        "yellow",
        `  ⚠ the lock file was not written: ${printable(problem)}; then run toolmount lock`,
      ),
    );
}
