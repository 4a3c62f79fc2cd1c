import type { Coordinator, ToolInfo } from "@toolmount/core";
import type { AmplifierSessions } from "./sessions.ts";
import { toAmplifierResult, type AmplifierToolResult } from "./tool-result.ts";

/** A mounted tool with the members that Amplifier's modules use. */
interface ToolView extends ToolInfo {
  readonly input_schema: ToolInfo["inputSchema"];
  /** Calls the tool through the host's path; only inside a call. */
  execute(input: Readonly<Record<string, unknown>>): Promise<AmplifierToolResult>;
}

/** The mounted tools by name; with a name, that tool or null. */
export function lookUpTools(
  coordinator: Coordinator,
  sessions: AmplifierSessions,
  name: string | undefined,
): ReadonlyMap<string, ToolView> | ToolView | null {
  const infos = coordinator.get("tools") as ReadonlyMap<string, ToolInfo>;
  if (name === undefined) return new Map([...infos].map(([key, info]) => [key, show(info, sessions)]));
  const info = coordinator.get("tools", name) as ToolInfo | null;
  return info === null ? null : show(info, sessions);
}

function show(info: ToolInfo, sessions: AmplifierSessions): ToolView {
  return {
    ...info,
    input_schema: info.inputSchema,
    async execute(input) {
      const call = sessions.call();
      if (call !== undefined)
        return toAmplifierResult(await call.call({ name: info.name, arguments: input }));
      const message = `"${info.name}" can be called only from within a call`;
      return { success: false, output: null, error: { message } };
    },
  };
}
