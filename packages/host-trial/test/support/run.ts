import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const program = join(import.meta.dirname, "../../src/main.ts");

/** How the command ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HostResults {
  readonly host: string;
  readonly version: string;
  readonly load: number;
  readonly results: readonly {
    readonly row: string;
    readonly verdict: "held" | "broken" | "–";
    readonly problem?: string;
    readonly again?: number;
  }[];
}

/** Runs the command from its source, with a fault for the planted host. */
export function hostTrial(words: readonly string[], fault = "none"): Promise<Ended> {
  const flags = ["--disable-warning=ExperimentalWarning", "-C", "@toolmount/source", program];
  const env = { ...process.env, PLANTED_FAULT: fault };
  return run(process.execPath, [...flags, ...words], { env, maxBuffer: 50_000_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );
}

/** What `--json` says of the hosts. */
export function hostsOf({ stdout, stderr }: Ended): readonly HostResults[] {
  if (stdout === "") throw new Error(stderr);
  return (JSON.parse(stdout) as { hosts: readonly HostResults[] }).hosts;
}

export const adapterOf = (name: string) => join(import.meta.dirname, "../../adapters", `${name}.ts`);
export const planted = join(import.meta.dirname, "../planted/adapter.ts");
