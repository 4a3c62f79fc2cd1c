import { activeTools } from "./activation.ts";
import type { SessionState } from "./context.ts";
import type { ToolInfo } from "./definition.ts";
import { guidanceOf } from "./guidance.ts";
import type { HostState } from "./host-state.ts";
import { matchesGlob } from "./match-arguments.ts";
import { pickMode, type PickedMode } from "./modes.ts";
import type { ModeCatalog, ModeSummary } from "./ports.ts";
import { sessionMode } from "./session-mode.ts";
import type { Offer, OfferFilter } from "./session-types.ts";

/** Puts together what a model is offered: by mode, by what was activated, sorted by name. */
export async function makeOffer(host: HostState, filter: OfferFilter = {}): Promise<Offer> {
  const { registry } = host.home;
  const session = filter.sessionId === undefined ? null : host.sessionState(filter.sessionId);
  const mode = await modeOf(host, filter);
  const inMode = [...registry.tools.values()]
    .map(({ info }) => info)
    .filter((info) => isOffered(info, mode))
    .toSorted(byName);
  const isProgressive = registry.capabilities.get("tools.disclosure")?.at(-1) === "progressive";
  const isShown = isProgressive ? shownOf(session) : () => true;
  const tools = inMode.filter(isShown);
  const available = inMode.filter((info) => !isShown(info));
  return { mode: mode.key, tools, available, guidance: guidanceOf(tools, available) };
}

/** The mode of an offer or of a session's call. Rejects as {@link pickMode} does. */
export function modeOf(host: HostState, { mode, sessionId, turnId }: OfferFilter): Promise<PickedMode> {
  const catalog = (host.home.registry.points.get("mode-catalog")?.get("") as ModeCatalog | undefined) ?? null;
  const kept = sessionId === undefined ? null : sessionMode(host.sessionState(sessionId), turnId);
  return pickMode(catalog, mode, kept, host.cancellation.signal);
}

/** In code units, so that no locale changes the order. */
export function byName(a: ToolInfo, b: ToolInfo): number {
  return a.name < b.name ? -1 : 1;
}

/** Tools of every mode are offered even where the mode's own list lacks them. */
function isOffered(info: ToolInfo, { key, summary }: PickedMode): boolean {
  if (info.status !== "active") return false;
  return info.alwaysOffered || (isForMode(info, key) && isListed(info.name, summary));
}

/** Whether the tool itself is for a mode. */
export function isForMode({ modes }: ToolInfo, mode: string): boolean {
  return modes === undefined || modes.includes("*") || modes.includes(mode);
}

/** A mode's list has globs; one that begins with `!` takes out again. A mode without a list offers all. */
function isListed(name: string, summary: ModeSummary | null): boolean {
  const globs = summary?.tools ?? ["*"];
  const isOut = globs.some((glob) => glob.startsWith("!") && matchesGlob(glob.slice(1), name));
  return !isOut && globs.some((glob) => !glob.startsWith("!") && matchesGlob(glob, name));
}

function shownOf(session: SessionState | null): (info: ToolInfo) => boolean {
  const active = new Set(session === null ? [] : activeTools(session));
  return (info) => info.alwaysOffered || active.has(info.name);
}
