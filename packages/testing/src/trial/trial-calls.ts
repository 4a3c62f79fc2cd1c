import type { Host, ToolInfo } from "@toolmount/core";
import type { TrialCall } from "@toolmount/core/validation";
import { DeadlineExceeded } from "./deadline.ts";
import { sampleOf } from "./sample.ts";
import type { Trial } from "./trial.ts";

/** Arguments by the name of the tool. */
export type ArgumentTable = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** The calls that an author gives, and whether tools with effects also get other calls. */
interface TrialTables {
  readonly valid: ArgumentTable;
  readonly invalid: ArgumentTable;
  readonly partial: ArgumentTable | undefined;
  readonly sideEffects: boolean;
}

/** Texts that are not arguments, and objects that no schema describes. */
const junk: readonly unknown[] = [
  "{",
  "[]",
  "null",
  '"text"',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{}},"\\u0000":1}',
  `${'{"a":'.repeat(200)}1${"}".repeat(200)}`,
  { "": null, "a.b": [[[[]]]] },
];

/**
 * Whether the check may call a tool with arguments that it made up: the tool never asks for confirmation, and its category is
 * `read` or missing.
 */
export function isHarmless({ category, requiresConfirmation }: ToolInfo): boolean {
  return (category === undefined || category === "read") && requiresConfirmation === false;
}

/**
 * Calls a tool with its author's examples. If the tool is harmless or `sideEffects` is set, also calls it with `{}`, with junk
 * and with samples of its schema.
 */
export async function callOnTrial(
  trial: Trial,
  info: ToolInfo,
  { valid, invalid, partial, sideEffects }: TrialTables,
): Promise<readonly TrialCall[]> {
  const calls: TrialCall[] = [];
  const make = async (kind: TrialCall["kind"], given: unknown) =>
    calls.push(await callOnce(trial, info.declaredName, info.name, kind, given));
  for (const given of valid[info.name] ?? []) await make("valid", given);
  for (const given of invalid[info.name] ?? []) await make("invalid", given);
  for (const given of partial?.[info.name] ?? []) await make("partial", given);
  if (!sideEffects && !isHarmless(info)) return calls;
  await make("empty", {});
  for (const given of [...junk, ...samplesOf(info)]) {
    await make("junk", given);
    // A tool that has exceeded its deadline once is not called again.
    if (calls.at(-1)!.thrown?.value instanceof DeadlineExceeded) break;
  }
  return calls;
}

/** Texts that a schema may accept, but that authors forget. */
const oddTexts: readonly string[] = ["", " ", "\u0000", "../..", "\u{1f600}\ud800", "x".repeat(2_000)];

/** Returns arguments that the schema seems to accept, so that the tool's own code runs: a plain set, and unusual ones. */
function samplesOf({ inputSchema }: ToolInfo): readonly unknown[] {
  const plain = sampleOf(inputSchema);
  if (typeof plain !== "object" || plain === null) return [];
  const members = Object.entries(plain);
  if (!members.some(([, value]) => typeof value === "string")) return [plain];
  const odd = oddTexts.map((text) =>
    Object.fromEntries(members.map(([name, value]) => [name, typeof value === "string" ? text : value])),
  );
  return [plain, ...odd];
}

async function callOnce(
  trial: Trial,
  declared: string,
  name: string,
  kind: TrialCall["kind"],
  given: unknown,
): Promise<TrialCall> {
  trial.runs.delete(declared);
  const outcome = await trial.host.call(
    { name, arguments: given as never },
    { sessionId: "trial", conversationId: "trial", userId: "trial" },
  );
  const run = trial.runs.get(declared)?.at(-1);
  return {
    kind,
    arguments: given,
    ran: run !== undefined,
    returned: run?.returned,
    thrown: run?.thrown ?? null,
    outcome,
  };
}

/** Cancels a call while it runs. If the tool ignores this, closing the host reports the tool. */
export async function cancelOnTrial(
  { host }: { host: Host },
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const caller = new AbortController();
  const calling = host.call({ name, arguments: given }, { abortSignal: caller.signal });
  await Promise.resolve();
  caller.abort();
  await calling;
}

/** Returns valid arguments for a tool: the author's first example, or a sample made from the schema. */
export function sampleFor(
  { name, inputSchema }: ToolInfo,
  valid: ArgumentTable,
): Readonly<Record<string, unknown>> | null {
  const [given] = valid[name] ?? [];
  if (given !== undefined) return given;
  const sample = sampleOf(inputSchema);
  return typeof sample === "object" && sample !== null ? (sample as Readonly<Record<string, unknown>>) : null;
}
