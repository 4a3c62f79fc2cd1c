import { ToolmountError } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { Reasoner, Settings } from "@toolmount/reasoner";

/** Which model is asked; without a name, the one of the plan. */
export interface AskedModel {
  /** Its name; `replay:<file>` answers from a recording. */
  readonly model?: string | undefined;
  /** A server that speaks the Responses API, without `/responses`. */
  readonly baseUrl?: string | undefined;
}

/** A reasoner, and what it is to be asked with. */
export interface OpenReasoner {
  readonly reasoner: Reasoner;
  readonly settings: Partial<Settings>;
  close(): Promise<void>;
}

/** How evaluations reach models and files. */
export interface Asking {
  /** Opens what asks a model. */
  readonly open: (host: OpenedHost, asked: AskedModel) => Promise<OpenReasoner>;
  /** The folder from which files of recorded answers are named. */
  readonly cwd: string;
  /** Gets lines for the person who waits, such as that no model is asked. */
  readonly note: (line: string) => void;
}

/** The agent of the plan, asked with another model where one is named. Rejects with `USAGE_INVALID` for a plan that has none. */
export async function openPlanAgent(
  { coordinator }: OpenedHost,
  { model, baseUrl }: AskedModel,
): Promise<OpenReasoner> {
  const reasoner = coordinator.get("orchestrator") as Reasoner | null;
  if (reasoner === null)
    throw new ToolmountError("USAGE_INVALID", {
      problem: "the plan has no agent that could be asked; write agent: { model: … }",
    });
  const named = Object.entries({ model, baseUrl }).filter(([, value]) => value !== undefined);
  return { reasoner, settings: Object.fromEntries(named), close: async () => {} };
}
