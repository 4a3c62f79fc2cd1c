import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One call of a case, and what it must answer. `text` is what a model wrote where that is no JSON object. */
interface CaseCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly text?: string;
}

/** What a call must answer. `state` is the digest of the whole state afterwards. */
export interface ExpectedCall {
  readonly status: "ok" | "failed" | "invalid" | "not_found";
  readonly data?: unknown;
  readonly error?: string;
  /** The words of the error are the original's interpreter's own: any failure will do. */
  readonly internal?: boolean;
  readonly state: string;
}

/** Calls on a fresh state, with every answer and the final state. */
export interface WorldCase {
  readonly id: string;
  /** The configuration of each class, where the world has classes. */
  readonly initial?: unknown;
  readonly calls: readonly CaseCall[];
  readonly expected: {
    readonly initial: string;
    readonly calls: readonly ExpectedCall[];
    readonly final: string;
  };
}

const shared = process.env["SECURITY_DATA"] ?? join(import.meta.dirname, "../../../shared/fixtures");

/** The folder of a world's data, which is beside the project and not part of it; undefined where it is absent. */
export function worldData(world: "tau2" | "bfcl-multi-turn"): string | undefined {
  const folder = join(shared, world);
  return existsSync(join(folder, "tasks.json")) ? folder : undefined;
}

interface RawTask {
  readonly id: string;
  readonly initial?: unknown;
  readonly calls?: readonly CaseCall[];
  readonly turns?: readonly { readonly calls: readonly CaseCall[] }[];
}

interface RawExpected {
  readonly id: string;
  readonly initial: string;
  readonly calls: readonly ExpectedCall[];
  readonly final: { readonly digest: string };
}

/** The tasks of a world: the calls that solve each. */
export function readTasks(folder: string): WorldCase[] {
  const expected = readJson(join(folder, "expected.json")) as RawExpected[];
  return (readJson(join(folder, "tasks.json")) as RawTask[]).map((task, index) => {
    const calls = task.calls ?? (task.turns ?? []).flatMap((turn) => turn.calls);
    return caseOf(task, calls, expected[index]!);
  });
}

/** The calls of a world that go wrong, or nearly. */
export function readNegativeCases(folder: string): WorldCase[] {
  const cases = readJson(join(folder, "negative.json")) as (RawTask & {
    readonly expected: Omit<RawExpected, "id">;
  })[];
  return cases.map((each) => caseOf(each, each.calls ?? [], { id: each.id, ...each.expected }));
}

/** Tasks that are played side by side. */
interface Group {
  readonly ids: string;
  readonly group: readonly WorldCase[];
}

/** Tasks in groups of a size: most of what they do is to wait for a process. */
export function inGroups(tasks: readonly WorldCase[], size: number): readonly Group[] {
  // Without the shared tasks a skipped test stays to be seen.
  if (tasks.length === 0) return [{ ids: "no task", group: [] }];
  return tasks.flatMap((_task, at) => {
    const group = tasks.slice(at, at + size);
    return at % size === 0 ? [{ ids: group.map(({ id }) => id).join(", "), group }] : [];
  });
}

function caseOf({ id, initial }: RawTask, calls: readonly CaseCall[], expected: RawExpected): WorldCase {
  return {
    id,
    ...(initial === undefined ? {} : { initial }),
    calls,
    expected: { initial: expected.initial, calls: expected.calls, final: expected.final.digest },
  };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
