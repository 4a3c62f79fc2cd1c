import { createHash } from "node:crypto";
import type { Host, ToolOutcome } from "@toolmount/core";
import { canonicalJson, digestOf } from "@toolmount/core/json";
import type { ExpectedCall, WorldCase } from "./world-cases.ts";

/** Makes one call of a case, in whatever way a test is about. */
export type MakeCall = (request: { name: string; arguments: unknown }) => Promise<ToolOutcome>;

/**
 * The digest of a world's whole state at this moment.
 *
 * Most calls change no record, or one of thousands, so the canonical text of each record is remembered beside its plain
 * one. The digests of the shared files hold that the parts make up the whole.
 */
export async function stateDigest(host: Host): Promise<string> {
  const state = host.coordinator.getCapability("world.state") as () => unknown;
  const tables = Object.entries((await state()) as Tables).toSorted(byName);
  const members = tables.map(
    ([table, records]) => `${JSON.stringify(table)}:${canonicalTable(table, records)}`,
  );
  return createHash("sha256")
    .update(`{${members.join(",")}}`)
    .digest("hex");
}

type Tables = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function canonicalTable(table: string, records: Tables[string]): string {
  const members = Object.entries(records)
    .toSorted(byName)
    .map(([id, record]) => `${JSON.stringify(id)}:${canonicalRecord(`${table}/${id}`, record)}`);
  return `{${members.join(",")}}`;
}

const known = new Map<string, { readonly plain: string; readonly canonical: string }>();

/** Of records that cannot change. */
const frozen = new WeakMap<object, string>();

function canonicalRecord(place: string, record: unknown): string {
  const kept = frozen.get(record as object);
  if (kept !== undefined) return kept;
  const plain = JSON.stringify(record);
  const before = known.get(place);
  const canonical = before?.plain === plain ? before.canonical : canonicalJson(JSON.parse(plain));
  if (before?.canonical !== canonical) known.set(place, { plain, canonical });
  if (isObject(record) && isFrozen(record)) frozen.set(record, canonical);
  return canonical;
}

/** Whether a value and all that it contains is frozen, and so stays as it is. */
function isFrozen(value: unknown): boolean {
  return !isObject(value) || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** By UTF-16 code units, as canonical JSON sorts. */
function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/**
 * Plays a case call by call, and returns one sentence for each thing that is not as expected. The digest after a call is
 * of the whole state, so the fresh state and the final one need none of their own.
 */
export async function playCase(world: WorldCase, host: Host, call: MakeCall): Promise<string[]> {
  const problems: string[] = [];
  const { expected } = world;
  if (expected.final !== (expected.calls.at(-1)?.state ?? expected.initial))
    problems.push(`${world.id}: the final state is not the one after the last call`);
  for (const [index, request] of world.calls.entries()) {
    const { status, result } = await call({
      name: request.name,
      arguments: request.text ?? request.arguments,
    });
    const wanted = expected.calls[index]!;
    const at = `${world.id}: call ${index} (${request.name} ${JSON.stringify(request.text ?? request.arguments)})`;
    const differs = compareAnswer(wanted, status, result);
    if (differs !== undefined) problems.push(`${at}: ${differs}`);
    if ((await stateDigest(host)) !== wanted.state) problems.push(`${at}: the state differs`);
  }
  if (world.calls.length === 0 && (await stateDigest(host)) !== expected.initial)
    problems.push(`${world.id}: the fresh state differs`);
  return problems;
}

/** Plays a case, and compares every answer, but the state only at the end: a digest of a large state takes long. */
export async function compareFinal(world: WorldCase, host: Host, call: MakeCall): Promise<string[]> {
  const problems = await compareAnswers(world, call);
  if ((await stateDigest(host)) !== world.expected.final)
    problems.push(`${world.id}: the final state differs`);
  return problems;
}

/** Plays a case, and compares every answer. */
export async function compareAnswers({ id, calls, expected }: WorldCase, call: MakeCall): Promise<string[]> {
  const problems: string[] = [];
  for (const [index, { name, text, arguments: given }] of calls.entries()) {
    const { status, result } = await call({ name, arguments: text ?? given });
    const differs = compareAnswer(expected.calls[index]!, status, result);
    if (differs !== undefined) problems.push(`${id}: call ${index} (${name}): ${differs}`);
  }
  return problems;
}

/** What is not as expected about an answer; undefined when all is. */
function compareAnswer(
  wanted: ExpectedCall,
  status: string,
  result: { readonly data?: unknown; readonly error?: string | undefined },
): string | undefined {
  if (status !== wanted.status)
    return `is ${status}, not ${wanted.status} (${JSON.stringify(result).slice(0, 200)})`;
  if (status === "ok" && digestOf(result.data) !== digestOf(wanted.data))
    return `answers ${JSON.stringify(result.data).slice(0, 300)}, not ${JSON.stringify(wanted.data).slice(0, 300)}`;
  if (status === "failed" && wanted.internal !== true && result.error !== wanted.error)
    return `fails with "${result.error}", not "${wanted.error}"`;
  return undefined;
}
