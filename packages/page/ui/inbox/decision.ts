import { ApiError, ask } from "../api.ts";
import { answeredHere, hostPath, notify, readApprovals, textOf } from "../state.ts";

/** A decision, as the API accepts it. */
export interface Decision {
  readonly decision: "approve" | "deny";
  readonly reason?: string;
  readonly remember?: object;
  readonly arguments?: object;
}

/** Sends a decision, and then loads the questions again. If another person answered first, the question shows who it was. */
export async function sendDecision(id: string, decision: Decision): Promise<void> {
  await sendDecisions([id], decision);
}

/** Sends the same decision for several questions, one after another. Returns how many of them it decided. */
export async function sendDecisions(ids: readonly string[], decision: Decision): Promise<number> {
  let count = 0;
  for (const id of ids) if (await send(id, decision)) count += 1;
  await readApprovals().catch((error: unknown) => notify(textOf(error)));
  return count;
}

/** Runs an approved call in place of its caller, and then loads the questions again. */
export async function runApproved(id: string): Promise<void> {
  await ask("POST", `${hostPath.value}/approvals/${id}/run`, {}).catch((error: unknown) =>
    notify(textOf(error)),
  );
  await readApprovals().catch((error: unknown) => notify(textOf(error)));
}

async function send(id: string, decision: Decision): Promise<boolean> {
  // The question is marked before the request, because the stream of events may report the answer before the response arrives.
  answeredHere.value = new Set([...answeredHere.value, id]);
  try {
    await ask("POST", `${hostPath.value}/approvals/${id}/decision`, decision);
    return true;
  } catch (error) {
    answeredHere.value = new Set([...answeredHere.value].filter((one) => one !== id));
    if (!(error instanceof ApiError && error.code === "APPROVAL_DECIDED")) notify(textOf(error));
    return false;
  }
}
