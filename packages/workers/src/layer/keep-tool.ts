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
import { mainSession, named, type SessionCalls } from "./session-layer.ts";

/** The name of the tool that keeps what waits in the layer of a session. */
export const keepToolName = "keep_changes";

const schema = z.strictObject({
  digest: z.string().describe("The digest of the difference that the person saw"),
  sections: z
    .array(z.enum(["files", "deletions", "obeyed", "repository"]))
    .min(1)
    .describe("What the person agreed to"),
  paths: z.array(z.string()).optional().describe("Only these paths"),
});

/** The layers of a host, with the calls that run in each. */
interface KeepingLayers {
  of(session: string): Promise<Layer>;
  calls(session: string): Pick<SessionCalls, "isWorking">;
}

/** A keep and its undo end what runs in the layer. */
const busy = "Nothing was changed: a call of the session runs; try again when it has ended";

/** Keeps what a person chose of a layer. A keep is a change of the session, so it is undone as other changes are. */
export function keepTool(layers: KeepingLayers) {
  const layerOf = async ({ userId, sessionId = mainSession }: ToolContext) => {
    const session = ownSession(userId, sessionId);
    if (layers.calls(session).isWorking()) throw new ToolError(busy, { code: "SESSION_BUSY" });
    return layers.of(session);
  };
  return defineTool({
    name: keepToolName,
    description: "Moves chosen changes of a layer into its folder. Only a person's command calls it.",
    status: "internal",
    category: "write",
    consequenceLevel: "medium",
    // The command that calls it has shown the difference, and its digest binds the answer.
    requiresConfirmation: false,
    timeout: 0,
    control: ["sections", "paths"],
    idempotentUndo: true,
    schema,
    async execute(choice, context) {
      const layer = await layerOf(context);
      const difference = await layer.difference();
      if (difference.digest !== choice.digest) return answerOf({ status: "changed", difference });
      await context.undoable?.({});
      return answerOf(await layer.keep({ ...choice, mark: markOf(context.runId) }));
    },
    undo: async (change, context) => undo(await layerOf(context), change),
  });
}

/** Names the keep of a run on the disk. */
function markOf(runId: string): string {
  return hash("sha256", runId).slice(0, 16);
}

function answerOf(result: KeepResult): PartialResult {
  switch (result.status) {
    case "kept":
      return data({ kept: result.changes, withheld: [...result.withheld] });
    case "nothing":
      return failure("Nothing was kept: none of the chosen changes can be kept by itself", {
        code: "NOTHING_TO_KEEP",
        details: { withheld: [...result.withheld] },
      });
    case "changed":
      return failure("Nothing was kept: the changes are other ones than were shown; look again", {
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

/** A keep that changed nothing has nothing to undo. */
async function undo(layer: Layer, { runId }: UndoRequest): Promise<PartialResult> {
  const id = layer.keeps().find((each) => each.endsWith(`-${markOf(runId)}`));
  if (id === undefined) return data({ undone: 0 });
  const result = await layer.undo(id);
  if (result.status === "undone") return data({ undone: result.changes });
  const paths = result.status === "changed" ? result.paths : [];
  return failure(`Nothing was undone: changed since the keep: ${named(paths, mostNamed)}`, {
    code: "CHANGED_SINCE",
    details: { paths: [...paths] },
  });
}

/** Most paths that a failure names. */
const mostNamed = 20;
