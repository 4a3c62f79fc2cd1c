import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ToolmountError } from "@toolmount/core";
import type { TrialMessage } from "./trial-message.ts";

/** The file of a process in which modules are tried, without its extension, beside this one. */
type TrialFile = "validate-process" | "mount-process";

/** How a trial ended when the process gave no answer: its modules block the thread, or ended the process. */
interface TrialIncident<Step> {
  readonly step: Step;
  readonly kind: "stuck" | "ended";
  readonly problem: string;
}

export type TrialResult<Report, Step> =
  | { readonly kind: "report"; readonly report: Report }
  | { readonly kind: "incident"; readonly incident: TrialIncident<Step> };

/** Longest that a module may block the thread, in milliseconds; importing it may take longer. */
const silentMs = { import: 30_000, other: 10_000 };

/**
 * Tries modules in their own process, and returns its report. A module that blocks the thread, or ends the process,
 * is an incident. Throws the error that the process reports.
 */
export async function runTrial<Report, Step extends { readonly during: string }>(
  file: TrialFile,
  request: object,
  first: Step,
  signal: AbortSignal,
): Promise<TrialResult<Report, Step>> {
  const child = fork(programFile(file), [JSON.stringify(request)], {
    // What a module prints is not the answer of this command.
    stdio: ["ignore", 2, 2, "ipc"],
    signal,
    killSignal: "SIGKILL",
  });
  const answer = await new Promise<TrialMessage<Report, Step> | TrialResult<Report, Step>>(
    (resolve, reject) => {
      let step = first;
      let by = "";
      const end = (kind: "stuck" | "ended", problem: string) =>
        resolve({ kind: "incident", incident: { step, kind, problem } });
      const watch = createWatch((ms) => {
        end("stuck", `it blocked the thread for more than ${ms} ms`);
        child.kill("SIGKILL");
      });
      watch.expect(silentMs.import);
      child.on("message", (message: TrialMessage<Report, Step>) => {
        if (message.kind === "step") step = message.step;
        if (message.kind === "exit" && message.place !== undefined)
          by = `, by process.exit at ${message.place}`;
        if (message.kind === "report" || message.kind === "failed") resolve(message);
        watch.expect(step.during === "import" ? silentMs.import : silentMs.other);
      });
      child.on("error", reject);
      child.on("close", (code, ending) => {
        watch.rest();
        end("ended", `it ended the process before the work was done (${ending ?? `exit ${code}`}${by})`);
      });
    },
  );
  if (answer.kind === "report" || answer.kind === "incident") return answer;
  if (answer.kind !== "failed" || answer.code === null)
    throw new Error(answer.kind === "failed" ? answer.message : "a trial ended without an answer");
  throw new ToolmountError(answer.code as never, answer.details as never);
}

/** The program of a trial: a source, or built. */
function programFile(name: TrialFile): string {
  return fileURLToPath(import.meta.resolve(`#${name}`));
}

/** Calls `give` when no message came for the expected time. */
function createWatch(give: (ms: number) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rest = () => clearTimeout(timer);
  return {
    expect(ms: number) {
      rest();
      timer = setTimeout(() => give(ms), ms);
    },
    rest,
  };
}
