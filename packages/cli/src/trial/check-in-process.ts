import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ToolmountError } from "@toolmount/core";
import {
  addExternalFindings,
  type CheckReport,
  type CheckStep,
  type ExternalFinding,
} from "@toolmount/testing";
import type { TrialMessage, TrialRequest } from "./trial-process.ts";

/** Longest that a module may hold the thread, in milliseconds; importing may take longer. */
const silentMs = { import: 30_000, other: 10_000 };

/** Checks a module in a process of its own: one that never gives the thread back, or ends the process, is told of. */
export async function checkInProcess(request: TrialRequest, signal: AbortSignal): Promise<CheckReport> {
  const answer = await runTrial(request, signal);
  if (answer.kind === "report") return answer.report;
  if (answer.kind === "external") return addExternalFindings(null, [answer.finding]);
  const { code, details, message } = answer;
  throw code === null ? new Error(message) : new ToolmountError(code as never, details as never);
}

type Answer =
  | Extract<TrialMessage, { kind: "report" | "failed" }>
  | { readonly kind: "external"; readonly finding: ExternalFinding };

function runTrial(request: TrialRequest, signal: AbortSignal): Promise<Answer> {
  const child = fork(programFile(), [JSON.stringify(request)], {
    // What a module prints is not the answer of this command.
    stdio: ["ignore", 2, 2, "ipc"],
    signal,
    killSignal: "SIGKILL",
  });
  return new Promise<Answer>((resolve, reject) => {
    let step: CheckStep = { during: "import" };
    const end = (kind: ExternalFinding["kind"], problem: string) =>
      resolve({ kind: "external", finding: { step, kind, problem } });
    const watch = createWatch((ms) => {
      end("stuck", `it did not give the thread back within ${ms} ms`);
      child.kill("SIGKILL");
    });
    watch.expect(silentMs.import);
    child.on("message", (message: TrialMessage) => {
      if (message.kind === "step") step = message.step;
      if (message.kind === "report" || message.kind === "failed") resolve(message);
      watch.expect(step.during === "import" ? silentMs.import : silentMs.other);
    });
    child.on("error", reject);
    child.on("close", (code, ending) => {
      watch.rest();
      end("ended", `it ended the process before the work was done (${ending ?? `exit ${code}`})`);
    });
  });
}

/** The file beside this one: a source, or built. */
function programFile(): string {
  return fileURLToPath(import.meta.url.replace(/check-in-process(\.[jt]s)$/, "trial-process$1"));
}

/** Calls `give` when nothing was heard for as long as is expected. */
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
