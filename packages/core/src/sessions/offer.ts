import { activeTools } from "./activation.ts";
import type { Capabilities } from "../contract/coordinator.ts";
import type { SessionState } from "../contract/context.ts";
import type { ToolInfo } from "../contract/tool.ts";
import { guidanceBesideDefinitions, modeTextOf } from "./guidance.ts";
import { matchesGlobs } from "../text/match.ts";
import type { ModeCatalog, Policy } from "../contract/ports.ts";
import { lastChange, modeOf, pickMode, readModes, type ModeHost, type PickedMode } from "./mode.ts";
import type { ModuleSet } from "../registry/module.ts";
import type { SessionId } from "../contract/own-session.ts";
import type { Offer, OfferFilter } from "../contract/session.ts";

interface OfferHost extends ModeHost {
  readonly moduleSet: ModuleSet;
  readonly states: ModeHost["states"] & { load(sessionId: SessionId): Promise<void> | null };
}

export async function makeOffer(host: OfferHost, filter: OfferFilter = {}): Promise<Offer> {
  const { registry } = host.moduleSet;
  const id = filter.sessionId as SessionId | undefined;
  const session = id === undefined ? null : host.states.of(id);
  if (id !== undefined) await host.states.load(id);
  const mode = await modeOf(host, filter);
  const isHidden = hiddenBy(registry);
  const inMode = offeredIn(
    // The texts of a tool that differs from the lock file must not reach a model.
    [...registry.tools.values()]
      .filter((tool) => tool.drifted?.() !== true)
      .map(({ info }) => info)
      .filter((info) => !isHidden(info)),
    mode,
  );
  const capability = (name: string) => registry.capabilities.get(name)?.at(-1);
  const isShown =
    capability("tools.disclosure") === "progressive"
      ? shownOf(session, capability("tools.active"))
      : () => true;
  const beside = inMode.filter(besidePrograms(inMode, capability));
  const tools = beside.filter(isShown);
  const available = beside.filter((info) => !isShown(info));
  const modeText = modeTextOf(mode.key, mode.summary?.systemPromptSummary ?? "");
  const guidance = [modeText, guidanceBesideDefinitions(tools, available)].filter(Boolean).join("\n\n");
  return { mode: mode.key, tools, available, guidance, modeText };
}

/**
 * Returns a test for tools that are offered next to programs. If their definitions are too long together, it accepts only tools
 * that are always offered or that programs cannot call. A model finds the others with `describe_tools`.
 */
function besidePrograms(
  tools: readonly ToolInfo[],
  capability: (name: string) => unknown,
): (tool: ToolInfo) => boolean {
  const most = capability("tools.beside_programs") as Capabilities["tools.beside_programs"] | undefined;
  const isInPrograms = capability("tools.in_programs") as Capabilities["tools.in_programs"] | undefined;
  if (most === undefined || isInPrograms === undefined) return () => true;
  if (tools.reduce((sum, tool) => sum + aboutTokens(tool), 0) <= most) return () => true;
  return (tool) => tool.alwaysOffered || !isInPrograms(tool);
}

/** Average number of characters of a token. Source: OpenAI's "What are tokens". */
const charsPerToken = 4;

const known = new WeakMap<ToolInfo, number>();

function aboutTokens(tool: ToolInfo): number {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const tokens = (tool.description.length + JSON.stringify(tool.inputSchema).length) / charsPerToken;
  known.set(tool, tokens);
  return tokens;
}

/** Returns a test for tools that a policy hides from models and clients. */
export function hiddenBy({ points }: ModuleSet["registry"]): (tool: ToolInfo) => boolean {
  const policies = [...(points.get("policies")?.values() ?? [])] as Policy[];
  return (tool) => policies.some((policy) => policy.hides?.(tool) === true);
}

/**
 * Returns small values on which the offer of a session depends: while two marks are deeply equal, so are the offers.
 * It reads neither a store nor the catalog, because a call of the session has read both.
 */
export function offerMark({ moduleSet, modes, states }: OfferHost, sessionId: string): readonly unknown[] {
  const state = states.of(sessionId as SessionId);
  return [moduleSet.offerMark, modes, lastChange(state), activeTools(state)];
}

/**
 * Returns the tools that a session's mode offers, sorted by name, for tools with which a model finds tools. If the catalog lacks
 * the mode, its default mode is used. Rejects with `MODES_UNAVAILABLE`.
 */
export async function toolsOfMode(
  tools: Iterable<ToolInfo>,
  { catalog, mode, signal }: { catalog: ModeCatalog | null; mode: string | null; signal: AbortSignal },
): Promise<readonly ToolInfo[]> {
  return offeredIn([...tools], pickMode(await readModes(catalog, signal), undefined, mode));
}

function offeredIn(tools: readonly ToolInfo[], mode: PickedMode): readonly ToolInfo[] {
  return tools.filter((info) => isOffered(info, mode)).toSorted(byName);
}

/** Compares names by code units, so that the order does not depend on the locale. */
export function byName(a: ToolInfo, b: ToolInfo): number {
  return a.name < b.name ? -1 : 1;
}

/** Whether a mode offers an active tool: it is always offered, or it is made for this mode and the mode's list (default all) has it. */
function isOffered(info: ToolInfo, { key, summary }: PickedMode): boolean {
  if (info.status !== "active") return false;
  return info.alwaysOffered || (isForMode(info, key) && matchesGlobs(summary?.tools ?? ["*"], info.name));
}

export function isForMode({ modes }: ToolInfo, mode: string): boolean {
  return modes === undefined || modes.includes("*") || modes.includes(mode);
}

/** Returns a test for tools that are offered in full: always, in every session, or because this session activated them. */
function shownOf(session: SessionState | null, inEverySession: unknown): (info: ToolInfo) => boolean {
  const globs = Array.isArray(inEverySession)
    ? inEverySession.filter((glob) => typeof glob === "string")
    : [];
  const active = new Set(session === null ? [] : activeTools(session));
  return (info) => info.alwaysOffered || active.has(info.name) || matchesGlobs(globs, info.name);
}
