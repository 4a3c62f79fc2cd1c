import type { HookResult } from "../contract/hooks.ts";
import type { CallStatus, Injection } from "../contract/outcome.ts";
import type { ApprovalReason } from "../contract/ports.ts";
import type { ToolResult } from "../contract/result.ts";

/** When things happened, in milliseconds of the host's own time. */
export class Timing {
  readonly startedAt: number;
  /** When the tool began; deadlines and grace count from here. */
  executedAt = 0;
  /** When the deadline fires; 0 for never. */
  deadlineAt = 0;
  endedAt = 0;

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }
}

/** How the call ends. `endCall` and the hops from `shape` on write it. */
export class Ending {
  status: CallStatus = "ok";
  result: ToolResult | null = null;
  resultFrozen = false;
  /** Class of the error behind a failure, for `tool:error`. */
  declare failureType: string;
  /** The call was stopped, and its tool still succeeded within the grace. */
  declare cancelled: { reason: string; elapsedMs: number } | null;
  declare injections: readonly Injection[] | null;
  /** Ends the call with an interrupt: `host.call` rejects with it. */
  declare interrupt: { readonly thrown: unknown } | null;

  addWarning(warning: string): void {
    this.resultFrozen = false;
    this.result = { ...this.result!, warnings: [...(this.result!.warnings ?? []), warning] };
  }
}

/** Why the call needs a person, and who approved it. The hops `decide` and `approve` write it. */
export interface ApprovalState {
  reasons: ApprovalReason[];
  /** The answer of the gate that asked. */
  gateAsk: HookResult | null;
  /** A person, a remembered approval, or a line of the plan. */
  approvedBy: string | null;
}

/** Who or what stopped the call, and when. `stopCall` writes it. */
export interface Stop {
  readonly reason: "caller" | "cancel" | "deadline" | "close";
  readonly message: string;
  readonly at: number;
}

const rareEnding = {
  failureType: "ToolmountError",
  cancelled: null,
  injections: null,
  interrupt: null,
} satisfies Partial<Ending>;
Object.assign(Ending.prototype, rareEnding);
