import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One recorded call. */
export interface DojoCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly status: "ok" | "failed" | "invalid" | "not_found";
  readonly data?: unknown;
  readonly error?: string;
  readonly internal?: boolean;
  readonly state: string;
}

interface DojoCase {
  readonly id: string;
  readonly calls: readonly DojoCall[];
}

export interface UserTask extends DojoCase {
  readonly prompt: string;
  readonly reads: readonly string[];
}

export interface InjectionTask extends DojoCase {
  readonly goal: string;
}

/** One of the four suites: its tasks, and its state with marks where an attacker can write. */
export interface Suite {
  readonly name: SuiteName;
  readonly users: readonly UserTask[];
  readonly injections: readonly InjectionTask[];
  readonly wrong: readonly DojoCase[];
  /** Writes the state with these texts in its marks to a file, and returns the path. */
  environment(texts: (mark: string) => string): string;
  readonly harmless: Readonly<Record<string, string>>;
}

export const suiteNames = ["workspace", "travel", "banking", "slack"] as const;
export type SuiteName = (typeof suiteNames)[number];

const beside = join(import.meta.dirname, "../../../shared/fixtures");

/**
 * A folder of the recorded attacks, which are beside the project and not part of it, or where `SECURITY_DATA` says; undefined
 * where they are absent.
 */
export function attackData(name: "agentdojo" | "agentdyn"): string | undefined {
  const folder = join(process.env["SECURITY_DATA"] ?? beside, name);
  return existsSync(folder) ? folder : undefined;
}

export function planOf(suite: SuiteName): string {
  return join(import.meta.dirname, `../worlds/agentdojo/${suite}/mount-plan.yaml`);
}

export function readSuite(name: SuiteName, folder: string): Suite {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, name, file), "utf8"));
  const scratch = mkdtempSync(join(tmpdir(), "toolmount-dojo-"));
  const written = new Map<string, string>();
  const environment = read("environment.json");
  const harmless = read("vectors.json") as Record<string, string>;
  return {
    name,
    users: read("user-tasks.json") as UserTask[],
    injections: read("injection-tasks.json") as InjectionTask[],
    wrong: read("wrong-arguments.json") as DojoCase[],
    harmless,
    environment(texts) {
      const text = JSON.stringify(fill(environment, texts));
      const known = written.get(text);
      if (known !== undefined) return known;
      const path = join(scratch, `${written.size}.json`);
      writeFileSync(path, text);
      written.set(text, path);
      return path;
    },
  };
}

function fill(value: unknown, texts: (mark: string) => string): unknown {
  const put = (text: string) => text.replace(/⟦([^⟧]+)⟧/g, (_, mark: string) => texts(mark));
  if (typeof value === "string") return put(value);
  if (Array.isArray(value)) return value.map((one) => fill(one, texts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [put(key), fill(one, texts)]));
}
