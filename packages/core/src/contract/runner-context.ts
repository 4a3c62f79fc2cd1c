import type { CallInfo, ToolContext } from "./context.ts";
import type { Logger } from "./logger.ts";

/** The live members of a context, as the side where a tool runs offers them. */
export interface RunnerMembers {
  readonly abortSignal: AbortSignal;
  readonly logger: Logger;
  readonly progress: ToolContext["progress"];
  readonly call: ToolContext["call"];
  readonly session: ToolContext["session"];
  /** Members that context providers made on that side. */
  readonly services?: Readonly<Record<string, unknown>> | undefined;
}

/** Puts a context together where a runner runs a tool: the plain facts that crossed, and members made there. */
export function createRunnerContext(info: CallInfo, members: RunnerMembers): ToolContext {
  const { services, ...live } = members;
  return { ...services, ...info, ...live };
}
