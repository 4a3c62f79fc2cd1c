import { data, defineTool, systemClock, type Clock } from "@toolmount/core";
import { z } from "zod";
import { callIds, callIdShape } from "./call-ids.ts";
import { delayUsage as usage } from "./usage.ts";

/** Longest wait in milliseconds. */
const maxDelayMs = 60_000;

const schema = z.strictObject({
  milliseconds: z.int().default(1000).describe("How long to wait; below 0 counts as 0, above 60000 as 60000"),
  note: z.string().optional().describe("Any text; it comes back as it is"),
});

const outputSchema = z.strictObject({
  RequestedMilliseconds: z.int(),
  ElapsedMilliseconds: z.int(),
  WasCancelled: z.boolean(),
  Note: z.string().nullable(),
  ...callIdShape,
});

/** Services of `testing_delay`, which tests replace. */
export interface DelayServices {
  /** The clock by which to wait. Default: the machine's. */
  readonly clock?: Clock | undefined;
}

/** Makes the tool `testing_delay`, which waits. If it is cancelled, it immediately returns a successful result that says so. */
export function createDelay(_settings: object = {}, { clock = systemClock }: DelayServices = {}) {
  return defineTool({
    name: "testing_delay",
    description:
      "Waits for some milliseconds and returns how long it took. Use to try deadlines and cancellation out; not to wait for anything in the world.",
    summary: "Waits, and can be cancelled.",
    usage,
    schema,
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    // Longer than the longest wait, so that only a limit in a plan can end a wait early.
    timeout: maxDelayMs + 5000,
    tags: ["testing"],
    version: "1.0.0",
    async execute({ milliseconds, note }, context) {
      const requested = Math.min(Math.max(milliseconds, 0), maxDelayMs);
      const startedAt = clock.now();
      const wasCancelled = await wait(clock, requested, context.abortSignal);
      return data({
        RequestedMilliseconds: requested,
        ElapsedMilliseconds: Math.max(0, Math.round(clock.now() - startedAt)),
        WasCancelled: wasCancelled,
        Note: note ?? null,
        ...callIds(context),
      });
    },
  });
}

/** Resolves to false after `ms`, or to true as soon as the signal is aborted. */
function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(true);
    const stop = () => finish(true);
    const timer = clock.setTimer(() => finish(false), ms);
    const finish = (wasCancelled: boolean) => {
      timer.cancel();
      signal.removeEventListener("abort", stop);
      resolve(wasCancelled);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
