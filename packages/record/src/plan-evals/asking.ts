import { ToolmountError } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { Reasoner, Settings } from "@toolmount/reasoner";

/** The model that is asked. Without a name, it is the model of the plan. */
export interface AskedModel {
  /** The model's name. `replay:<file>` answers from a recording. */
  readonly model?: string | undefined;
  /** The address of a server for the Responses API, without `/responses`. */
  readonly baseUrl?: string | undefined;
}

/** A reasoner, and the settings for asking it. */
export interface OpenReasoner {
  readonly reasoner: Reasoner;
  readonly settings: Partial<Settings>;
  close(): Promise<void>;
}

/** How evaluations reach models and files. */
export interface Asking {
  /** Opens a reasoner that asks a model. */
  readonly open: (host: OpenedHost, asked: AskedModel) => Promise<OpenReasoner>;
  /** The folder from which relative paths of recorded answers start. */
  readonly cwd: string;
  /** Receives lines for the person who waits, for example that no model is asked. */
  readonly note: (line: string) => void;
}

/** Opens the plan's agent, with another model if one is named. Rejects with `USAGE_INVALID` for a plan without an agent. */
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
