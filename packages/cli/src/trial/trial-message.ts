import { enableCompileCache } from "node:module";
import { isToolmountError, messageOf } from "@toolmount/core/errors";
import { findForeignPlace } from "../process/foreign-place.ts";

/** A message from a trial's process to the command. */
export type TrialMessage<Report, Step> =
  /** Sent at intervals, which shows that the thread is not blocked. */
  | { readonly kind: "alive" }
  | { readonly kind: "step"; readonly step: Step }
  | { readonly kind: "report"; readonly report: Report }
  /** Sent when the process ends before the answer; `place` is where a module called `process.exit`. */
  | { readonly kind: "exit"; readonly place: string | undefined }
  | {
      readonly kind: "failed";
      readonly code: string | null;
      readonly details: object;
      readonly message: string;
    };

/** Milliseconds between two messages `alive`. */
const beatMs = 500;

/** Reads the command's request in a trial's process. */
export function readRequest(): unknown {
  return JSON.parse(process.argv[2] ?? "null");
}

/**
 * Does the work of a trial's process, sends its result, and ends the process. Meanwhile it reports that the thread is not
 * blocked.
 */
export async function answerTrial(work: () => Promise<object>): Promise<void> {
  // Compiled code is cached on disk, as in the command, so that imports need not be compiled again.
  enableCompileCache();
  setInterval(() => send({ kind: "alive" }), beatMs).unref();
  const sayExit = () => send({ kind: "exit", place: findForeignPlace() });
  process.once("exit", sayExit);
  const answer = await work().then((report) => ({ kind: "report", report }) as const, failureOf);
  process.off("exit", sayExit);
  process.send!(answer, () => process.exit());
}

/** Sends a message if the command still listens. */
export function send<Step>(message: TrialMessage<never, Step>): void {
  if (process.connected) process.send!(message);
}

function failureOf(error: unknown): TrialMessage<never, never> {
  const message = messageOf(error);
  return isToolmountError(error)
    ? { kind: "failed", code: error.code, details: error.details, message }
    : { kind: "failed", code: null, details: {}, message };
}
