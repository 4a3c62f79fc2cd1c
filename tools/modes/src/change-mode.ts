import {
  changedSince,
  data,
  defineTool,
  failure,
  type ModeSummary,
  type PartialResult,
  type Preview,
  type ToolContext,
  type UndoRequest,
} from "@toolmount/core";
import { changeSessionMode, defaultMode, sessionMode } from "@toolmount/core/sessions";
import { z } from "zod";
import { changeModeUsage as usage } from "./change-mode-usage.ts";
import type { ChangeModeServices, ModeChanged } from "./services.ts";

const modeMissing = "ModeChangeTool requires a non-empty 'mode' string.";
const branchMissing = "ModeChangeTool requires a 'branch' boolean flag.";
const reasonMissing =
  "ModeChangeTool requires a non-empty 'reason' string explaining why the mode change is needed.";

const schema = z.strictObject({
  mode: z
    .string({ error: modeMissing })
    .regex(/\S/, modeMissing)
    .describe("Key of the mode to change to, as agent_list_modes gives it"),
  branch: z
    .boolean({ error: branchMissing })
    .describe("true: the user wants the mode in a new session; false: in this one"),
  reason: z
    .string({ error: reasonMissing })
    .regex(/\S/, reasonMissing)
    .describe("Why the mode is to be changed, in a sentence that the user agreed to"),
});

const outputSchema = z.strictObject({
  success: z.literal(true),
  mode: z.string(),
  branch: z.boolean(),
  reason: z.string(),
  previousMode: z.string(),
  changed: z.boolean(),
});

/**
 * Makes the tool `agent_change_mode`, which changes the mode of the calling session from its next turn on, after a person
 * agreed. With `branch`, the session keeps its mode, and the application is informed about the wish.
 */
export function createChangeMode(_settings: object, services: ChangeModeServices) {
  return defineTool({
    name: "agent_change_mode",
    description:
      "Changes the mode of this session from the next turn on, after the user agreed. Use only when the user chose to switch; to see which modes there are, use agent_list_modes.",
    summary: "Changes the mode of this session.",
    usage,
    schema,
    outputSchema,
    category: "write",
    control: ["mode"],
    consequenceLevel: "medium",
    requiresConfirmation: true,
    alwaysOffered: true,
    idempotent: true,
    tags: ["modes"],
    version: "1.0.0",
    idempotentUndo: true,
    undo: (change, context) => undoChange(change, context, services),
    execute: (params, context) => work(params, context, services),
    preview: async (params, context): Promise<Preview> => {
      const result = await work(params, context, { catalog: services.catalog });
      const { changed, previousMode, mode } = result.data ?? { changed: false };
      const difference = `-${previousMode}\n+${mode}`;
      return {
        result,
        effects: changed ? [{ target: "the mode of the session", change: "change", difference }] : [],
      };
    },
  });
}

/** Changes the mode of the session or, in a rehearsal, the staged mode. */
async function work(
  { mode, branch, reason }: z.output<typeof schema>,
  context: ToolContext,
  services: ChangeModeServices,
): Promise<PartialResult<z.output<typeof outputSchema>>> {
  const { sessionId, abortSignal: signal } = context;
  if (sessionId === undefined || sessionId.trim() === "") return sessionMissing();
  const modes = await readModes(services, context, signal);
  if (modes === null) return unreadable();
  const wanted = mode.trim();
  if (!modes.some(({ key }) => key === wanted)) return unknown(wanted, modes);
  const previousMode = sessionMode(context.session) ?? defaultOf(modes);
  const changed = !branch && previousMode !== wanted;
  if (changed) {
    await context.undoable?.({ before: previousMode, after: wanted });
    changeSessionMode(context.session, wanted, context.turnId);
  }
  if (changed || branch) tell(services, context, { previousMode, mode: wanted, branch, reason });
  return data({ success: true as const, mode: wanted, branch, reason, previousMode, changed });
}

/** The modes of the session before and after a call. */
const kept = z.strictObject({ before: z.string(), after: z.string() });

/** Gives the session the mode from before a call, from its next turn on. */
function undoChange(given: UndoRequest, context: ToolContext, services: ChangeModeServices) {
  const { before: mode, after } = kept.parse(given.data);
  const previousMode = sessionMode(context.session);
  if (previousMode === mode) return data({ changed: false });
  if (previousMode !== after)
    return changedSince(`the session has the mode ${previousMode ?? "of its catalog"} now`);
  changeSessionMode(context.session, mode, context.turnId);
  tell(services, context, { previousMode, mode, branch: false, reason: "an undo" });
  return data({ changed: true });
}

function sessionMissing() {
  return failure("ModeChangeTool cannot change mode because the session id is missing.", {
    code: "SESSION_MISSING",
  });
}

function unreadable() {
  return failure("ModeChangeTool failed to change the session mode.", { code: "MODE_NOT_CHANGED" });
}

function unknown(mode: string, modes: readonly ModeSummary[]) {
  const known = modes.map(({ key }) => key);
  return failure(`There is no mode '${mode.slice(0, 100)}'; there are: ${known.join(", ")}.`, {
    code: "UNKNOWN_MODE",
    details: { known },
  });
}

async function readModes(
  { catalog }: ChangeModeServices,
  { logger }: ToolContext,
  signal: AbortSignal,
): Promise<readonly ModeSummary[] | null> {
  try {
    return (await catalog!.listModes({ signal })).filter((mode) => mode !== null);
  } catch (err) {
    logger.error({ err }, "[agent_change_mode_ExecuteAsync__Exception] the mode catalog could not be read");
    return null;
  }
}

function defaultOf(modes: readonly ModeSummary[]): string {
  return modes.find(({ isDefault }) => isDefault)?.key ?? defaultMode;
}

/** Logs and emits session, modes, reason, user and organisation. The ids come from the context, never from the model. */
function tell(
  { tell: announce }: ChangeModeServices,
  context: ToolContext,
  {
    previousMode,
    mode,
    branch,
    reason,
  }: { previousMode: string; mode: string; branch: boolean; reason: string },
): void {
  const change: ModeChanged = {
    session_id: context.sessionId!,
    previous_mode: previousMode,
    mode,
    branch,
    reason,
    user_id: context.userId ?? null,
    org_id: organisationOf(context),
  };
  const attributes = Object.entries(change).map(([name, value]) => [name, String(value ?? "")]);
  context.logger.info(
    { event: "mode:changed", attributes },
    branch ? "a new session in a mode is wanted" : "the mode of a session was changed",
  );
  announce?.(change);
}

/** Returns the organisation of a call. Hosts with organisations provide `orgId` in every context. */
function organisationOf(context: ToolContext): string | null {
  const { orgId } = context as { readonly orgId?: unknown };
  return typeof orgId === "string" ? orgId : null;
}
