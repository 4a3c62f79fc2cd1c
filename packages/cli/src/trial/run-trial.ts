import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ToolmountError } from "@toolmount/core";
import type { TrialMessage } from "./trial-message.ts";

/** The name of the program in which modules are tried. */
type TrialFile = "validate-process" | "mount-process";

/** How a trial ended if the process gave no answer: a module blocked the thread, or ended the process. */
interface TrialIncident<Step> {
  readonly step: Step;
  readonly kind: "stuck" | "ended";
  readonly problem: string;
}

export type TrialResult<Report, Step> =
  | { readonly kind: "report"; readonly report: Report }
  | { readonly kind: "incident"; readonly incident: TrialIncident<Step> };

/** Milliseconds that a module may block the thread. Importing a module may take longer than other steps. */
const silentMs = { import: 30_000, other: 10_000 };

/**
 * Tries modules in a separate process, and returns its report. If a module blocks the thread or ends the process, the
 * result is an incident. Throws the error that the process reports.
 */
export async function runTrial<Report, Step extends { readonly during: string }>(
  file: TrialFile,
  request: object,
  first: Step,
  signal: AbortSignal,
): Promise<TrialResult<Report, Step>> {
  const child = fork(programFile(file), [JSON.stringify(request)], {
    // Output of a module must not mix with the answer of this command.
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

/** Returns the file of a trial's program: the source, or the built file. */
function programFile(name: TrialFile): string {
  return fileURLToPath(import.meta.resolve(`#${name}`));
}

/** Creates a timer that calls `give` if no message arrives within the expected time. */
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
