import type { ApprovedCalls, RehearsedCall } from "../contract/rehearsal.ts";
import type { JsonObject } from "../json/json.ts";
import type { ApprovalReason } from "../contract/ports.ts";
import type { Grant } from "../contract/stores.ts";
import { argumentsDigest, grantForCall, misfit, type GrantedCall } from "../pending/grant.ts";

/** The host's own tool that makes the calls of a rehearsal, after a person approved all of them with one answer. */
export const listTool = "make_approved_calls";

/** The arguments of {@link listTool}: `run` are the calls to make. A person approves `calls`; with `first`, only that many. */
export interface ApprovedListArguments {
  readonly run: readonly { readonly tool: string; readonly arguments: JsonObject }[];
  readonly calls: readonly (Pick<
    RehearsedCall,
    "tool" | "arguments" | "effects" | "canUndo" | "asks" | "origins"
  > & { readonly definition: string })[];
  readonly harmless: readonly HarmlessCall[];
  readonly first?: number;
}

/** A call that itself changed nothing in the rehearsal, such as a call that runs a program. */
export interface HarmlessCall {
  readonly tool: string;
  readonly definition: string;
  readonly argumentsDigest: string;
  /** Why the call would ask. The person who approves the list reads these reasons. */
  readonly asks: readonly string[];
}

/** The facts of a rehearsed call to which its grant is bound. */
export interface RehearsedFacts extends GrantedCall {
  /** The definition that runs the call in this process; absent if another process may have rehearsed it. */
  readonly code?: object;
}

/** A grant for one call of a list, and what the person read about it. */
export interface ListedGrant {
  readonly grant: Grant;
  readonly asks: readonly string[];
  readonly code?: object | undefined;
}

/** A list of calls that a person approved with one answer: exactly these calls, in their order, each once. */
export class CallBundle implements ApprovedCalls {
  readonly digest: string;
  readonly by: string;
  readonly #calls: readonly ListedGrant[];
  /** Grants of calls that change nothing themselves, so that they may be made at any place of the list. */
  readonly #harmless: readonly ListedGrant[];
  #made = 0;

  constructor(
    { digest, by }: { readonly digest: string; readonly by: string },
    calls: readonly ListedGrant[],
    harmless: readonly ListedGrant[],
  ) {
    this.digest = digest;
    this.by = by;
    this.#calls = calls;
    this.#harmless = harmless;
  }

  get left(): number {
    return this.#calls.length - this.#made;
  }

  /** Number of grants that were spent. */
  get spent(): number {
    return this.#made;
  }

  /** Marks the first `spent` grants as spent, because an earlier run of the same calls has spent them. */
  passTo(spent: number): void {
    this.#made = Math.max(this.#made, spent);
  }

  /** Returns the grant of a harmless call, or spends that of the list's next call. Returns a reason if no grant covers it. */
  take(call: RehearsedFacts, reasons: readonly ApprovalReason[], now: number): Grant | string {
    const harmless = this.#harmless.find((listed) => problemOf(listed, call, reasons, now) === null);
    if (harmless !== undefined) return harmless.grant;
    const next = this.#calls[this.#made];
    if (next === undefined) return "the approved list has no further call";
    const problem = problemOf(next, call, reasons, now);
    if (problem !== null) return problem;
    this.#made += 1;
    return next.grant;
  }
}

function problemOf(
  { grant, asks, code }: ListedGrant,
  call: RehearsedFacts,
  reasons: readonly ApprovalReason[],
  now: number,
): string | null {
  if (grant.tool !== call.tool) return `the next call of the approved list is "${grant.tool}"`;
  if (grant.argumentsDigest !== argumentsDigest(call.tool, call.arguments))
    return `the next call of the approved list is "${grant.tool}" with other arguments`;
  const problem = code === undefined || code === call.code ? misfit(grant, call, now) : "the tool changed";
  if (problem !== null) return `the approved list does not cover it: ${problem}`;
  const other = reasons.find(({ reason }) => !asks.includes(reason));
  return other === undefined ? null : `the approved list did not say that it asks: ${other.reason}`;
}

/** Returns the grants for an approved list. `given` is the approval; session and user come from the list tool's own call. */
export function grantsOfList(
  { calls, harmless }: Pick<ApprovedListArguments, "calls" | "harmless">,
  { sessionId, userId }: Pick<GrantedCall, "sessionId" | "userId">,
  given: Pick<Grant, "id" | "by" | "at" | "expiresAt">,
): { readonly calls: readonly ListedGrant[]; readonly harmless: readonly ListedGrant[] } {
  return {
    calls: calls.map((call) => ({
      grant: grantForCall({ ...call, sessionId, userId }, given),
      asks: call.asks,
    })),
    harmless: harmless.map(({ asks, ...call }) => ({
      grant: { ...grantForCall({ ...call, arguments: {}, sessionId, userId }, given), ...call },
      asks,
    })),
  };
}
