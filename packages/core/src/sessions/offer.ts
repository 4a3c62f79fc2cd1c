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

/** Tests whether a tool is offered beside programs, as the plan says. A model finds the others with `describe_tools`. */
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

/** Characters of one token, on average. Source: OpenAI's "What are tokens". */
const charsPerToken = 4;

const known = new WeakMap<ToolInfo, number>();

function aboutTokens(tool: ToolInfo): number {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const tokens = (tool.description.length + JSON.stringify(tool.inputSchema).length) / charsPerToken;
  known.set(tool, tokens);
  return tokens;
}

/** Tests whether a policy hides a tool from models and clients. */
export function hiddenBy({ points }: ModuleSet["registry"]): (tool: ToolInfo) => boolean {
  const policies = [...(points.get("policies")?.values() ?? [])] as Policy[];
  return (tool) => policies.some((policy) => policy.hides?.(tool) === true);
}

/**
 * Everything that the offer of a session depends on, as small values: while two marks are deeply equal, so are the offers.
 * It reads neither a store nor the catalog: a call of the session has read both.
 */
export function offerMark({ moduleSet, modes, states }: OfferHost, sessionId: string): readonly unknown[] {
  const state = states.of(sessionId as SessionId);
  return [moduleSet.offerMark, modes, lastChange(state), activeTools(state)];
}

/**
 * The tools that a session's mode offers, sorted by name: for tools that choose among tools. When the catalog lacks the
 * mode, its default counts. Rejects with `MODES_UNAVAILABLE`.
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

/** Compares code units, so that no locale changes the order. */
export function byName(a: ToolInfo, b: ToolInfo): number {
  return a.name < b.name ? -1 : 1;
}

/** Tools that are always offered need not be in the mode's own list. A mode without a list offers all. */
function isOffered(info: ToolInfo, { key, summary }: PickedMode): boolean {
  if (info.status !== "active") return false;
  return info.alwaysOffered || (isForMode(info, key) && matchesGlobs(summary?.tools ?? ["*"], info.name));
}

export function isForMode({ modes }: ToolInfo, mode: string): boolean {
  return modes === undefined || modes.includes("*") || modes.includes(mode);
}

/** Tools offered in full: those always offered, those active in every session, and those activated in this one. */
function shownOf(session: SessionState | null, inEverySession: unknown): (info: ToolInfo) => boolean {
  const globs = Array.isArray(inEverySession)
    ? inEverySession.filter((glob) => typeof glob === "string")
    : [];
  const active = new Set(session === null ? [] : activeTools(session));
  return (info) => info.alwaysOffered || active.has(info.name) || matchesGlobs(globs, info.name);
}
