import type { CallContext, Host, ToolInfo } from "@toolmount/core";
import { outcomeText } from "../schema/definition.ts";
import { isRecord } from "../schema/guards.ts";

/** What LangChain gives a tool beside its input. */
export interface LangChainConfig {
  readonly signal?: AbortSignal | undefined;
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool that LangChain and LangGraph accept structurally. */
export interface LangChainTool {
  readonly lc_namespace: string[];
  /** LangChain's agents only use tools with this mark. */
  readonly lc_runnable: true;
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Takes the arguments, or a whole tool call. Returns the text for the model, of a failure too. */
  invoke(input: unknown, config?: LangChainConfig): Promise<string>;
}

/**
 * Tools of a host for LangChain. The thread of a call is its session, unless the context names one. An interrupt of
 * LangGraph that a tool throws reaches the graph.
 */
export function toLangChainTools(
  host: Pick<Host, "call">,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  context: CallContext = {},
): LangChainTool[] {
  return infos.map(({ name, description, inputSchema }) => ({
    lc_namespace: ["toolmount", "tools"],
    lc_runnable: true,
    name,
    description,
    schema: inputSchema,
    invoke: async (input: unknown, config: LangChainConfig = {}) => {
      const call = readInput(input);
      const thread = config.configurable?.["thread_id"];
      return outcomeText(
        await host.call(
          { ...call, name },
          {
            ...(typeof thread === "string" ? { sessionId: thread } : {}),
            ...context,
            abortSignal: config.signal ?? context.abortSignal,
          },
        ),
      );
    },
  }));
}

/** A whole tool call has its arguments and its id; anything else is the arguments. */
function readInput(input: unknown): { id?: string; arguments: Readonly<Record<string, unknown>> | string } {
  if (typeof input === "string") return { arguments: input };
  if (!isRecord(input)) return { arguments: JSON.stringify(input ?? {}) };
  const { type, args, id } = input;
  if (type !== "tool_call" || !isRecord(args)) return { arguments: input };
  return { ...(typeof id === "string" ? { id } : {}), arguments: args };
}

/** Whether a value is an interrupt of LangGraph. A host lets them pass by itself: they reject the call. */
export function isLangGraphInterrupt(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown as { is_bubble_up?: unknown }).is_bubble_up === true;
}
