import { hash } from "node:crypto";
import {
  data,
  defineTool,
  failure,
  ownSession,
  ToolError,
  type PartialResult,
  type ToolContext,
  type UndoRequest,
} from "@toolmount/core";
import type { KeepResult, Layer } from "@toolmount/sandbox";
import { z } from "zod";
import { mainSession, named, type SessionCalls, type SessionLayers } from "./session-layer.ts";

/** The name of the tool that keeps what waits in the layer of a session. */
export const keepToolName = "keep_changes";

/** The name of the tool that drops everything that waits. */
export const dropToolName = "drop_changes";

const by = z.string().optional().describe("The person who agreed");
const digest = z.string().describe("The digest of the difference that the person saw");

const schema = z.strictObject({
  digest,
  sections: z
    .array(z.enum(["files", "deletions", "obeyed", "repository"]))
    .min(1)
    .describe("What the person agreed to"),
  paths: z.array(z.string()).optional().describe("Only these paths"),
  parts: z
    .record(z.string(), z.array(z.int().min(0)).min(1))
    .optional()
    .describe("Of these files only these parts of their differences, counted from 0"),
  by,
});

type KeepingLayers = Pick<SessionLayers, "look">;

/** Message for a keep, a drop or an undo while a call runs, because these end what runs in the layer. */
const busy = "Nothing was changed: a call of the session runs; try again when it has ended";

/** Runs `act` in the layer of a call's session. Throws if another call of the session is running. */
async function alone(
  layers: KeepingLayers,
  { userId, sessionId = mainSession }: ToolContext,
  act: (layer: Layer, calls: Pick<SessionCalls, "begin">) => Promise<PartialResult>,
): Promise<PartialResult> {
  const session = ownSession(userId, sessionId);
  return layers.look(session, async (layer, calls) => {
    if (calls.isWorking()) throw new ToolError(busy, { code: "SESSION_BUSY" });
    return act(layer, calls);
  });
}

const common = {
  status: "internal",
  category: "write",
  consequenceLevel: "medium",
  // The command that calls the tool has shown the difference, and the digest binds the answer to it.
  requiresConfirmation: false,
  timeout: 0,
} as const;

/** Makes the tool that keeps what a person chose. A keep is a change of the session, so it is undone like other changes. */
export function keepTool(layers: KeepingLayers) {
  return defineTool({
    ...common,
    name: keepToolName,
    description: "Moves chosen changes of a layer into its folder. Only a person's command calls it.",
    control: ["sections", "paths", "parts", "by"],
    idempotentUndo: true,
    schema,
    execute: (choice, context) =>
      alone(layers, context, async (layer, calls) => {
        const difference = await layer.difference();
        if (difference.digest !== choice.digest) return answerOf({ status: "changed", difference });
        const ended = await layer.running();
        await context.undoable?.({});
        const result = await layer.keep({ ...choice, mark: markOf(context.runId) });
        if (result.status === "kept") calls.begin(ended.length > 0 ? endedWarning : undefined);
        return answerOf(result);
      }),
    undo: (change, context) => alone(layers, context, (layer) => undo(layer, change)),
  });
}

const endedWarning = "the user kept changes of this session; commands that ran in the background have ended";

/** Makes the tool that drops everything that waits in a layer. */
export function dropTool(layers: KeepingLayers) {
  return defineTool({
    ...common,
    name: dropToolName,
    description: "Drops the changes of a layer. Only a person's command calls it.",
    control: ["by"],
    irreversible: true,
    schema: z.strictObject({ digest, by }),
    execute: (choice, context) =>
      alone(layers, context, async (layer, calls) => {
        const difference = await layer.difference();
        if (difference.digest !== choice.digest) return answerOf({ status: "changed", difference });
        await layer.drop();
        calls.begin(droppedWarning);
        return data({ dropped: difference.changes.length });
      }),
  });
}

const droppedWarning =
  "the user dropped what this session had changed since the last keep: the files are as they were";

/** Returns the mark by which the keep of a run is found on the disk. */
function markOf(runId: string): string {
  return hash("sha256", runId).slice(0, 16);
}

function answerOf(result: KeepResult): PartialResult {
  switch (result.status) {
    case "kept":
      return data({ kept: result.changes, withheld: [...result.withheld] });
    case "unfinished":
      return unfinished("keep", result.reason);
    case "nothing":
      return failure("Nothing was kept: none of the chosen changes can be kept by itself", {
        code: "NOTHING_TO_KEEP",
        details: { withheld: [...result.withheld] },
      });
    case "changed":
      return failure("Nothing was done: the changes are other ones than were shown; look again", {
        code: "DIFFERENCE_CHANGED",
      });
    case "conflicts":
      return failure(
        `Nothing was kept: you changed the same since: ${named(
          result.conflicts.map(({ path }) => path),
          mostNamed,
        )}`,
        {
          code: "KEEP_CONFLICT",
          details: { conflicts: result.conflicts.map(({ path }) => path) },
        },
      );
    case "busy":
    default:
      return failure(
        `Nothing was kept: a git command runs in ${result.repository}; try again when it has ended`,
        {
          code: "REPOSITORY_BUSY",
        },
      );
  }
}

function unfinished(what: string, reason: string): PartialResult {
  const error = `The ${what} began, and stopped: ${reason}. The next call of the session does the rest`;
  return failure(error, { code: "KEEP_UNFINISHED", mayHaveRun: true });
}

/** Undoes a keep. If the keep changed nothing, there is nothing to undo. */
async function undo(layer: Layer, { runId }: UndoRequest): Promise<PartialResult> {
  const result = await layer.undo(markOf(runId));
  if (result.status === "undone") return data({ undone: result.changes });
  if (result.status === "unknown") return data({ undone: 0 });
  if (result.status === "unfinished") return unfinished("undo", result.reason);
  if (result.status === "forgotten")
    return failure("Nothing was undone: what the keep replaced is on the disk no longer", {
      code: "KEEP_FORGOTTEN",
    });
  return failure(`Nothing was undone: changed since the keep: ${named(result.paths, mostNamed)}`, {
    code: "CHANGED_SINCE",
    details: { paths: [...result.paths] },
  });
}

/** Maximum number of paths that an error message names. */
const mostNamed = 20;
