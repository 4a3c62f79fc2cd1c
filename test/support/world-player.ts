import type { Host, ToolOutcome } from "@toolmount/core";
import { digestOf } from "@toolmount/core/internal";
import type { ExpectedCall, WorldCase } from "./world-cases.ts";

/** Makes one call of a case, in whatever way a test is about. */
export type MakeCall = (request: { name: string; arguments: unknown }) => Promise<ToolOutcome>;

/**
 * The digest of a world's whole state at this moment.
 *
 * Most calls change nothing, and a digest of a large state takes long, so digests are remembered by the state's text.
 */
export async function stateDigest(host: Host): Promise<string> {
  const state = host.coordinator.getCapability("world.state") as () => unknown;
  const text = JSON.stringify(await state());
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = digestOf(JSON.parse(text));
  if (digests.size > 64) digests.clear();
  digests.set(text, digest);
  return digest;
}

const digests = new Map<string, string>();

/** Plays a case call by call, and returns one sentence for each thing that is not as expected. */
export async function playCase(world: WorldCase, host: Host, call: MakeCall): Promise<string[]> {
  const problems: string[] = [];
  const { expected } = world;
  if ((await stateDigest(host)) !== expected.initial) problems.push(`${world.id}: the fresh state differs`);
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
  if ((await stateDigest(host)) !== expected.final) problems.push(`${world.id}: the final state differs`);
  return problems;
}

/** What is not as expected about an answer; undefined when all is. */
export function compareAnswer(
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
