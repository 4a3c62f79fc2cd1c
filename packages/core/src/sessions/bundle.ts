import type { ApprovedCalls, RehearsedCall } from "../contract/rehearsal.ts";
import type { JsonObject } from "../json/json.ts";
import type { ApprovalReason } from "../contract/ports.ts";
import { digestOf } from "../json/canonical.ts";

/** A call of an approved list, as it is compared with a real call. */
interface ApprovedCall {
  readonly tool: string;
  readonly arguments: unknown;
  readonly asks: readonly string[];
}

/** The internal tool whose call makes the calls of a rehearsal, after a person approved all of them with one answer. */
export const listTool = "make_approved_calls";

/** The arguments of the call that makes the calls of a list. */
export interface ApprovedListArguments {
  readonly run: readonly { readonly tool: string; readonly arguments: JsonObject }[];
  readonly calls: readonly Pick<
    RehearsedCall,
    "tool" | "arguments" | "effects" | "canUndo" | "asks" | "origins"
  >[];
  readonly harmless: readonly string[];
  readonly first?: number;
}

/** A list of calls that a person approved with one answer: exactly these, in their order, each once. */
export class CallBundle implements ApprovedCalls {
  readonly digest: string;
  readonly by: string;
  readonly #calls: readonly {
    readonly key: string;
    readonly tool: string;
    readonly asks: readonly string[];
  }[];
  /** Calls that changed nothing themselves in the rehearsal, such as those of programs. */
  readonly #harmless: ReadonlySet<string>;
  #made = 0;

  constructor(
    { digest, by }: { readonly digest: string; readonly by: string },
    calls: readonly ApprovedCall[],
    harmless: ReadonlySet<string>,
  ) {
    this.digest = digest;
    this.by = by;
    this.#calls = calls.map(({ tool, arguments: given, asks }) => ({ key: keyOf(tool, given), tool, asks }));
    this.#harmless = harmless;
  }

  get left(): number {
    return this.#calls.length - this.#made;
  }

  /** Passes over the next call of the list, when a run before the death of its process has made it. */
  pass(tool: string): void {
    if (this.#calls[this.#made]?.tool === tool) this.#made += 1;
  }

  /** Takes the next call of the list. Returns null when it is this one, else why a person has to be asked. */
  take(tool: string, given: unknown, reasons: readonly ApprovalReason[]): string | null {
    const key = keyOf(tool, given);
    if (this.#harmless.has(key)) return null;
    const next = this.#calls[this.#made];
    if (next === undefined) return "the approved list has no further call";
    if (next.key !== key) {
      const what = next.tool === tool ? `"${tool}" with other arguments` : `"${next.tool}"`;
      return `the next call of the approved list is ${what}`;
    }
    const other = reasons.find(({ reason }) => !next.asks.includes(reason));
    if (other !== undefined) return `the approved list did not say that it asks: ${other.reason}`;
    this.#made += 1;
    return null;
  }
}

/** Equal for calls of one tool with the same arguments. */
export function keyOf(tool: string, given: unknown): string {
  return digestOf({ tool, arguments: given });
}
