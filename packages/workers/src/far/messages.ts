import type { CallInfo, JsonObject, RunnerInstead, RunnerModule, ToolOutcome } from "@toolmount/core";

/** What the host sends to a process, as one JSON text a line. */
export type HostMessage =
  | {
      readonly type: "mount";
      readonly module: RunnerModule;
      readonly folder: string;
      readonly protectedPaths: readonly string[];
      readonly secretPaths: readonly string[];
      /** The host does not import the module: the process parses its config and arguments, and reports its tools. */
      readonly describe: boolean;
    }
  | {
      readonly type: "run";
      readonly runId: string;
      readonly tool: string;
      readonly info: CallInfo;
      readonly arguments: JsonObject;
      /** The session's values when the call starts. */
      readonly state: JsonObject;
      readonly instead?: RunnerInstead;
      /** Whether the host stores the changes that the tool passes to `undoable` and `irreversible`. */
      readonly keeps?: boolean;
      /** Of a rehearsal: whether an earlier preview of it ran in this process. */
      readonly staged?: "first" | "again";
    }
  | { readonly type: "abort"; readonly runId: string; readonly name: string; readonly message: string }
  | { readonly type: "called"; readonly id: number; readonly outcome: ToolOutcome }
  | { readonly type: "call-failed"; readonly id: number; readonly message: string }
  | { readonly type: "kept"; readonly id: number; readonly problem?: string };

/** Most bytes of one message. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** The descriptor on which both sides talk. */
export const channelDescriptor = 3;
