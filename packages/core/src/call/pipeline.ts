import { approve } from "./approve.ts";
import { decide } from "./decide.ts";
import { execute } from "./execute.ts";
import { find } from "./find.ts";
import { parse } from "./parse.ts";
import { shape } from "./shape.ts";
import { finish, tell } from "./notify.ts";
import type { Run } from "./call.ts";
import { end, endStopped, executeHop, hopNames, parseHop, tellHop, type HopName } from "./transitions.ts";
import { runFields } from "./log-fields.ts";

/**
 * One step of a call. Returns true when the run waits for something and will be walked on from there;
 * then whoever it waits for calls `goOn`.
 */
type Hop = (run: Run) => boolean;

const byName: Readonly<Record<HopName, Hop>> = { find, parse, decide, approve, execute, shape, tell };
const hops: readonly Hop[] = hopNames.map((name) => byName[name]);

/** Takes a run through its hops until it waits or is over. The only function that does. */
export function walk(run: Run): void {
  while (run.hop < hops.length) {
    if (run.stopReason !== null && run.hop > parseHop && run.hop <= executeHop) endStopped(run);
    const hop = hops[run.hop++]!;
    try {
      if (hop(run)) return void (run.waiting = true);
    } catch (thrown) {
      breakDown(run, thrown);
    }
  }
}

/** A fault of the host itself: logged whole, told to the caller without its text. */
export function breakDown(run: Run, thrown: unknown): void {
  const told = run.hop > tellHop;
  run.host.logger.error({ err: thrown, ...runFields(run) }, "the host failed in a call");
  run.executing = false;
  run.endedAt = Math.max(run.startedAt, run.endedAt);
  end(run, "failed", "INTERNAL", {});
  if (told) finish(run); // `tell` itself failed: nobody else will answer the caller
}
