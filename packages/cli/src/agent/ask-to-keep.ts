import type { ToolOutcome } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { Choice, Layer, LayerChange, Section } from "@toolmount/sandbox";
import type { TurnResult } from "@toolmount/reasoner";
import type { SessionLayers } from "@toolmount/workers";
import { askLine } from "../process/ask-line.ts";
import { askWhether, choose } from "../process/choose.ts";
import type { AskingShell, Shell } from "../process/shell.ts";
import { interruption } from "../process/signals.ts";
import { conflictLines, leftLines, waitingLines, type Waiting } from "../render/waiting.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { lookInto } from "./look-into.ts";
import { readPaths, type Named } from "./read-paths.ts";

/** Returns the object that manages the layers of a host's sessions; null if its plan has no layers. */
export function layersOf({ coordinator }: Pick<OpenedHost, "coordinator">): SessionLayers | null {
  return coordinator.getCapability("host.layers");
}

/** The session whose waiting changes are shown to a person, and the host that runs it. */
export interface KeepingSession {
  readonly host: OpenedHost;
  readonly layers: SessionLayers;
  readonly sessionId: string;
  readonly userId?: string | undefined;
  /** The turn to which keeping the changes belongs, so that an undo of the turn also undoes the keeping. */
  readonly turnId?: string | undefined;
}

/** Reads the changes that wait in the layer of a session. */
export async function waitingIn({
  layers,
  sessionId,
}: KeepingSession): Promise<Waiting & { readonly layer: Layer }> {
  const layer = await layers.of(sessionId);
  const difference = await layer.difference();
  const made = await layers.look(sessionId, async (_, calls) => calls.made());
  return { layer, difference, calls: made, texts: (change) => layer.texts(change) };
}

/** Writes lines about the changes that wait for a person. */
export async function listWaiting(
  screen: Screen,
  waiting: Waiting & { readonly layer: Layer },
): Promise<readonly string[]> {
  const { layer, difference } = waiting;
  const ignored = new Set(await layer.ignored(difference.changes));
  return waitingLines(screen, { ...waiting, ignored, otherNames: layer.moves(difference.changes) });
}

/** What happened to the waiting changes; `waits` means that the person decides later. */
type Kept = "nothing waits" | "kept" | "dropped" | "waits";

/**
 * Shows the changes that wait in the layer of a session, and asks the person at the terminal: keep them, drop them, or let them
 * wait. Deletions, and changes of files that the next command runs or obeys, each need a separate yes. An answer is valid only
 * for exactly the changes that were shown.
 */
export async function askToKeep(
  session: KeepingSession,
  shell: AskingShell,
  controller: AbortController,
): Promise<Kept> {
  for (;;) {
    const waiting = await waitingIn(session);
    const { changes, digest } = waiting.difference;
    if (changes.length === 0) {
      for (const line of leftLines(shell.err, waiting)) shell.err.line(line);
      return "nothing waits";
    }
    const choice = await askOnce(waiting, shell, controller);
    if (choice === undefined) return "waits";
    if (choice === "look") {
      await session.layers.look(session.sessionId, (layer) => lookInto(session.host, layer, shell));
      continue;
    }
    if (choice === "drop") {
      const isDropped = await dropAll(session, digest, shell.err);
      if (isDropped === "again") continue;
      return isDropped ? "dropped" : "waits";
    }
    const isKept = await keepChosen(session, { digest, ...choice }, shell.err);
    if (isKept !== "again") return isKept ? "kept" : "waits";
  }
}

/**
 * Asks at the end of a turn what to keep, if the session has an open layer and the turn is not paused. Without a terminal, it
 * writes how to answer later. Returns a note for the model if changes were dropped, or if keeping them ended commands in the
 * background.
 */
export async function keepAfterTurn(
  host: OpenedHost,
  { sessionId, turnId, status }: Pick<TurnResult, "sessionId" | "turnId" | "status">,
  { userId, plan }: { readonly userId?: string | undefined; readonly plan?: string | undefined },
  { err, terminal }: Pick<Shell, "err" | "terminal">,
  controller: AbortController,
): Promise<string | undefined> {
  const layers = layersOf(host);
  if (layers === null || status === "paused" || !layers.isOpen(sessionId)) return undefined;
  const session = { host, layers, sessionId, userId, turnId };
  if (terminal === undefined) {
    const waiting = await waitingIn(session);
    const { changes } = waiting.difference;
    const words = ["toolmount keep", plan, "--session", sessionId].filter(Boolean).join(" ");
    if (changes.length > 0)
      err.line(`${countOf(changes, "change")} waiting in the layer: ${printable(words)}`);
    for (const line of leftLines(err, waiting)) err.line(line);
    return undefined;
  }
  const isBusy = await (await layers.of(sessionId)).isBusy();
  const became = await askToKeep(session, { err, terminal }, controller);
  if (became === "dropped") return droppedNote;
  return became === "kept" && isBusy ? endedNote : undefined;
}

const endedNote = "(The user kept changes of yours. Commands that ran in the background have ended.)";

const droppedNote =
  "(The user dropped all that you changed in files since the last time they kept something: the files are as they were.)";

async function askOnce(
  waiting: Waiting & { readonly layer: Layer },
  { err, terminal }: AskingShell,
  controller: AbortController,
): Promise<Omit<Choice, "digest"> | "drop" | "look" | undefined> {
  const { changes } = waiting.difference;
  for (const line of await listWaiting(err, waiting)) err.line(line);
  if (await waiting.layer.isBusy()) err.line("commands that run in the background end when you keep or drop");
  const { signal } = controller;
  const answer = await choose(err, terminal, {
    signal,
    message: `Keep ${countOf(changes, "change")}?`,
    choices: [
      { value: "wait", key: "g", label: "Go on: they wait" },
      { value: "keep", key: "k", label: "Keep them" },
      { value: "some", key: "s", label: "Keep some of them" },
      { value: "look", key: "l", label: "Look: a shell that sees them" },
      { value: "drop", key: "d", label: "Drop them all", needsEnter: true },
    ] as const,
  });
  if (answer === undefined) controller.abort(interruption("SIGINT"));
  if (answer === undefined || answer === "wait") return undefined;
  if (answer === "drop" || answer === "look") return answer;
  const named = answer === "some" ? await askPaths(changes, { err, terminal }, signal) : undefined;
  const chosen = changes.filter(({ path }) => named?.paths.includes(path) !== false);
  const sections: Section[] = ["files", "repository"];
  for (const [section, message] of graveQuestions(chosen)) {
    const isMeant = await askWhether(err, terminal, { signal, message });
    if (isMeant === undefined) return undefined;
    if (isMeant) sections.push(section);
  }
  return chosen.some(({ section }) => sections.includes(section)) ? { sections, ...named } : undefined;
}

/** Asks which changes to keep. For a typed name that is not in the list, it writes a note. */
async function askPaths(
  changes: readonly LayerChange[],
  { err, terminal }: AskingShell,
  signal: AbortSignal,
): Promise<Named> {
  err.line("a.ts:1,3 is the first and the third part of a file");
  const line = await askLine(terminal, "Which, with blanks between › ", [], signal);
  const { unknown, ...named } = readPaths(changes, line?.split(/\s+/).filter(Boolean) ?? []);
  for (const path of unknown) err.line(`${printable(path)} does not wait; nothing of it is kept`);
  return named;
}

/** Returns those questions that need a separate yes: about deletions, and about files that the next command runs or obeys. */
function graveQuestions(changes: readonly LayerChange[]): readonly (readonly [Section, string])[] {
  const of = (section: Section) => changes.filter((change) => change.section === section);
  const questions = [
    ["deletions", `Keep ${countOf(of("deletions"), "deletion")}, too?`],
    ["obeyed", `Keep ${countOf(of("obeyed"), "change")} of what your next command runs or obeys, too?`],
  ] as const;
  return questions.filter(([section]) => of(section).length > 0);
}

/**
 * Keeps the chosen changes by a call of the session, which is audited and can be undone. Shows conflicts. Returns `"again"` if
 * the changes are no longer those that were shown; false if the call failed otherwise.
 */
export async function keepChosen(
  { host, sessionId, userId, turnId }: KeepingSession,
  choice: Choice,
  screen: Shell["err"],
): Promise<boolean | "again"> {
  const { layersOf: hostLayersOf } = await import("@toolmount/workers");
  const layers = hostLayersOf(host)!;
  const { result } = await layers.keep(sessionId, choice, { userId, turnId });
  const failed = failureOf(result, screen);
  const { conflicts = [] } = (result.details ?? {}) as { readonly conflicts?: readonly string[] };
  for (const path of conflicts.slice(0, mostConflicts))
    for (const line of conflictLines(screen, path, await layers.difference(sessionId, path)))
      screen.line(line);
  if (failed !== undefined) return failed;
  const { kept, withheld } = result.data as { readonly kept: number; readonly withheld: readonly string[] };
  screen.line(`${screen.paint("green", "✔")} ${countOf(kept, "change")} kept`);
  if (withheld.length > 0)
    screen.line(`  these need another change, and wait: ${withheld.map(printable).join(", ")}`);
  return true;
}

/** Maximum number of conflicts for which both versions of a file are shown. */
const mostConflicts = 5;

/**
 * Drops all waiting changes by a call of the session. Returns `"again"` if the changes are no longer those that were shown;
 * false if the call failed otherwise.
 */
export async function dropAll(
  { host, sessionId, userId, turnId }: KeepingSession,
  digest: string,
  screen: Shell["err"],
): Promise<boolean | "again"> {
  const { layersOf: hostLayersOf } = await import("@toolmount/workers");
  const { result } = await hostLayersOf(host)!.drop(sessionId, digest, { userId, turnId });
  const failed = failureOf(result, screen);
  if (failed !== undefined) return failed;
  screen.line(`${countOf((result.data as { readonly dropped: number }).dropped, "change")} dropped`);
  return true;
}

function failureOf(
  { error, code }: ToolOutcome["result"],
  screen: Shell["err"],
): false | "again" | undefined {
  if (error === undefined) return undefined;
  screen.line(`${screen.paint("red", "✖")} ${printable(error)}`);
  return code === "DIFFERENCE_CHANGED" ? "again" : false;
}
