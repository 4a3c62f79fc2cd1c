import type { CallInfo, Json, JsonObject, RunnerInstead, RunnerModule, ToolOutcome } from "@toolmount/core";
import type { CapabilityShape } from "./crossing.ts";

/** What a plan allows a module behind a border, besides mounting tools. */
export interface Grants {
  /** Events for which the module may register hooks. */
  readonly hooks: readonly string[];
  /** Capabilities that the module may register and use. */
  readonly capabilities: readonly string[];
  /** The shapes of those granted capabilities that the host has, by name. */
  readonly given: Readonly<Record<string, CapabilityShape>>;
}

/** A question of the host to a module: for the answer of a hook, or of a method of a capability. */
export type Question =
  | { readonly hook: number; readonly event: string; readonly data: JsonObject }
  | { readonly capability: string; readonly method: string; readonly arguments: readonly Json[] };

/** A message from the host to a process, sent as one JSON text on a line. */
export type HostMessage =
  | {
      readonly type: "mount";
      readonly module: RunnerModule;
      readonly folder: string;
      readonly protectedPaths: readonly string[];
      readonly secretPaths: readonly string[];
      /**
       * Whether the process parses the config and arguments and reports its tools, because the host does not import the module.
       */
      readonly describe: boolean;
      readonly grants: Grants;
      /** The folder whose session layer the process enters before it imports the module; undefined without a layer. */
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
      /** For a preview in a rehearsal: `again` if this process has run an earlier preview of that rehearsal. */
      readonly staged?: "first" | "again";
      /** Members that the host's modules add to the context of tools, and that stay in the host. */
      readonly withheld?: readonly string[];
    }
  | { readonly type: "ask"; readonly runId: string; readonly question: Question }
  | { readonly type: "abort"; readonly runId: string; readonly name: string; readonly message: string }
  | { readonly type: "called"; readonly id: number; readonly outcome: ToolOutcome }
  | { readonly type: "call-failed"; readonly id: number; readonly message: string }
  /** The return value of a method of a capability of the host. */
  | { readonly type: "used"; readonly id: number; readonly value?: Json | undefined }
  | { readonly type: "kept"; readonly id: number; readonly problem?: string };

/** Maximum number of bytes of one message that a process sends, and of a job that a host writes for a fleet. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** Number of the file descriptor of the process by which it exchanges messages with the host. */
export const channelDescriptor = 3;
