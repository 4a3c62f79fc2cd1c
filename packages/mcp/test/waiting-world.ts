import type { ClientCapabilities, ServerContext } from "@modelcontextprotocol/server";
import { createMemoryStore, type Host } from "@toolmount/core";
import type { Waiting } from "../src/serve/approvals.ts";
import type { ServedApprovals } from "../src/serve/options.ts";
import { createStateSeal, type WaitingState } from "../src/serve/seal.ts";
import { requestDigest, ServedSession } from "../src/serve/served-session.ts";
import { currentFront, type Front } from "../src/wire/front.ts";
import { hostOf, remove } from "./support.ts";

const call = { name: "remove", arguments: { path: "a.txt" } };

/** A call that waits for a person, in a session that MCP serves. */
export async function waitingCall(host: Host = hostOf([remove], { store: createMemoryStore() })) {
  const served = new ServedSession(host, "session");
  const seal = createStateSeal(host);
  const controller = new AbortController();
  const progress: unknown[] = [];
  const context = {
    abortSignal: controller.signal,
    onProgress: (report: unknown) => void progress.push(report),
  };
  const outcome = await served.call(call, context);
  const waitingFor = (
    approvals: ServedApprovals,
    capabilities?: ClientCapabilities,
    answers?: Record<string, unknown>,
  ): Waiting => ({
    served,
    approvals,
    capabilities,
    seal,
    ctx: { mcpReq: { inputResponses: answers } } as unknown as ServerContext,
    call,
    context,
  });
  const state: WaitingState = {
    asked: "form",
    ticket: outcome.ticket!,
    callId: outcome.callId,
    sessionId: "session",
    request: requestDigest(call),
  };
  const asked = async () => (await host.approvals.list()).length;
  const decide = async (decision: "approve" | "deny") => {
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, decision, "ada");
  };
  return { host, seal, served, controller, progress, outcome, waitingFor, state, asked, decide };
}

/** As a client that follows the call as a task; what it reads is noted. */
export function followed<Value>(work: () => Promise<Value>) {
  const notes: unknown[][] = [];
  const becomeTask = async (...note: unknown[]) => void notes.push(note);
  return { notes, done: currentFront.run({ becomeTask } as unknown as Front, work) };
}
