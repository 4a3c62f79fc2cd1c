import type { CallInfo, Json, JsonObject, RunnerInstead, RunnerModule, ToolOutcome } from "@toolmount/core";
import type { CapabilityShape } from "./crossing.ts";

/** What a module behind a border may do beside mounting tools, as its plan says. */
export interface Grants {
  /** Events whose hooks it may register. */
  readonly hooks: readonly string[];
  /** Capabilities that it may register, and use. */
  readonly capabilities: readonly string[];
  /** Of these capabilities, those that the host has. */
  readonly given: Readonly<Record<string, CapabilityShape>>;
}

/** What the host asks of a module: the answer of a hook, or of a method of a capability. */
export type Question =
  | { readonly hook: number; readonly event: string; readonly data: JsonObject }
  | { readonly capability: string; readonly method: string; readonly arguments: readonly Json[] };

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
      readonly grants: Grants;
      /** The process is in a session's layer over this folder. */
      readonly layer?: string | undefined;
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
      /** Members that modules of the host add to the context of tools; they stay in the host. */
      readonly withheld?: readonly string[];
    }
  | { readonly type: "ask"; readonly runId: string; readonly question: Question }
  | { readonly type: "abort"; readonly runId: string; readonly name: string; readonly message: string }
  | { readonly type: "called"; readonly id: number; readonly outcome: ToolOutcome }
  | { readonly type: "call-failed"; readonly id: number; readonly message: string }
  /** What a method of a capability of the host returned. */
  | { readonly type: "used"; readonly id: number; readonly value?: Json | undefined }
  | { readonly type: "kept"; readonly id: number; readonly problem?: string };

/** Most bytes of one message. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** The descriptor on which both sides talk. */
export const channelDescriptor = 3;
