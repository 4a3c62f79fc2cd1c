import type { ClientCapabilities } from "@modelcontextprotocol/server";
import type { ApprovalView, ToolOutcome } from "@toolmount/core";
import { expect, test } from "vitest";
import { answerRetry, answerWaiting } from "../src/serve/approvals.ts";
import type { ServedApprovals } from "../src/serve/options.ts";
import type { ServedSession } from "../src/serve/served-session.ts";
import { waitingCall } from "./waiting-world.ts";

const page = "https://approvals.test/";
const url = () => page;

const form = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: ['Run "remove"? "remove" asks for confirmation', "", 'Arguments: {"path":"a.txt"}'].join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        decision: { type: "string", title: "Decision", enum: ["approve", "deny"] },
        reason: { type: "string", title: "Reason" },
      },
      required: ["decision"],
    },
  },
};
const address = {
  method: "elicitation/create",
  params: { mode: "url", message: form.params.message, url: page },
};

test.each<[string, ServedApprovals, ClientCapabilities | undefined, object | null]>([
  ["draws forms", { elicitation: true }, { elicitation: { form: {} } }, form],
  ["is from before there were kinds", { elicitation: true }, { elicitation: {} }, form],
  ["opens addresses", { url }, { elicitation: { url: {} } }, address],
  ["can do both", { url, elicitation: true }, { elicitation: { form: {}, url: {} } }, address],
  ["draws forms where an address is there", { url, elicitation: true }, { elicitation: { form: {} } }, form],
  ["opens addresses only", { elicitation: true }, { elicitation: { url: {} } }, null],
  ["draws forms for a user who may not approve", { url }, { elicitation: { form: {} } }, null],
  ["draws forms where nothing is said of approvals", {}, { elicitation: { form: {} } }, null],
  ["asks nothing", { url, elicitation: true }, {}, null],
  ["says nothing of itself", { url, elicitation: true }, undefined, null],
])("a client that %s is asked so", async (_, approvals, capabilities, expected) => {
  const { outcome, waitingFor, state, seal } = await waitingCall();

  const answer = await answerWaiting(outcome, waitingFor(approvals, capabilities));

  if (expected === null) return expect(answer).toBe(outcome);
  const { requestState, inputRequests, ...more } = answer as { requestState: string; inputRequests: object };
  expect(more).toEqual({ resultType: "input_required" });
  expect(inputRequests).toEqual({ approval: expected });
  expect(await seal.open(requestState)).toEqual({ ...state, asked: expected === form ? "form" : "url" });
});

test("the question says what would change, why it is asked and where the program stands", async () => {
  const { outcome, waitingFor, host, served } = await waitingCall();
  const [question] = await host.approvals.list();
  const place = { tool: "run_program", line: 3, code: "await tools.remove({})", after: 2 };
  const reasons = [
    { by: "a", reason: "it removes" },
    { by: "b", reason: "it is late" },
  ];
  const views = [
    { ...question!, prompt: "not this one" },
    { ...question!, place, reasons },
  ];
  const list = async () => views as unknown as readonly ApprovalView[];
  const effects = [{ change: "delete", target: "a.txt", difference: "-one\n-two" }];
  const preview = async () => ({ effects, problem: null });
  const shown = { id: served.id, host: { approvals: { list, preview } } } as unknown as ServedSession;
  const waiting = waitingFor({ elicitation: true }, { elicitation: {} });

  const answer = await answerWaiting(outcome, { ...waiting, served: shown });

  expect(answer).toMatchObject({
    inputRequests: {
      approval: {
        params: {
          message: [
            'Run "remove"? "remove" asks for confirmation',
            "",
            "delete a.txt",
            "  -one",
            "  -two",
            'Arguments: {"path":"a.txt"}',
            "Asked because: it removes; it is late",
            "Program: line 3 of run_program, after 2 calls: await tools.remove({})",
          ].join("\n"),
        },
      },
    },
  });
});

test("an outcome that waits for no person, or whose question is gone, is the answer", async () => {
  const { outcome, waitingFor, host } = await waitingCall();
  const waiting = waitingFor({ elicitation: true, wait: true }, { elicitation: {} });
  const { ticket: _, ...unresumable } = outcome;
  const interrupted = { ...outcome, result: { ...outcome.result, code: "INTERRUPTED" } } as ToolOutcome;
  expect(await answerWaiting(unresumable, waiting)).toBe(unresumable);
  expect(await answerWaiting(interrupted, waiting)).toBe(interrupted);

  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "ada");
  expect(await answerWaiting(outcome, waiting)).toBe(outcome);
});

const answered = (answer: object) => ({ approval: answer });

test.each<[string, object, string, object | null]>([
  [
    "approves",
    { action: "accept", content: { decision: "approve" } },
    "ok",
    { decision: "approve", by: "the user of the MCP client" },
  ],
  [
    "approves with a reason",
    { action: "accept", content: { decision: "approve", reason: "fine" } },
    "ok",
    { decision: "approve", by: "the user of the MCP client", reason: "fine" },
  ],
  [
    "denies with a reason",
    { action: "accept", content: { decision: "deny", reason: "not today" } },
    "denied",
    { decision: "deny", by: "the user of the MCP client", reason: "not today" },
  ],
  [
    "denies with an empty reason",
    { action: "accept", content: { decision: "deny", reason: "" } },
    "denied",
    { decision: "deny", by: "the user of the MCP client" },
  ],
  [
    "writes a reason that is no text",
    { action: "accept", content: { decision: "approve", reason: 1 } },
    "ok",
    { decision: "approve", by: "the user of the MCP client" },
  ],
  [
    "declines, whatever the form says",
    { action: "decline", content: { decision: "approve", reason: "no" } },
    "denied",
    { decision: "deny", by: "the user of the MCP client" },
  ],
  ["closes the form", { action: "cancel" }, "pending", null],
])("a user who %s decides so", async (_, answer, status, decision) => {
  const { host, waitingFor, state } = await waitingCall();

  const outcome = await answerRetry(state, waitingFor({ elicitation: true }, undefined, answered(answer)));

  expect(outcome.status).toBe(status);
  const [question] = await host.approvals.list({ states: ["pending", "approved", "denied", "ended"] });
  expect(question?.decision).toEqual(decision === null ? null : { ...decision, at: expect.any(Number) });
});

const approve = { action: "accept", content: { decision: "approve" } };

test.each<[string, ServedApprovals, Record<string, unknown> | undefined]>([
  ["of a user who is not the approver", {}, answered(approve)],
  ["that is missing", { elicitation: true }, undefined],
  ["to another question", { elicitation: true }, { other: approve }],
  ["of another form", { elicitation: true }, answered({ roots: [] })],
])("an answer %s decides nothing", async (_, approvals, answers) => {
  const { waitingFor, state, asked } = await waitingCall();
  expect((await answerRetry(state, waitingFor(approvals, undefined, answers))).status).toBe("pending");
  expect(await asked()).toBe(1);
});

test("an answer after another approver changes nothing, and the call has its result", async () => {
  const { host, waitingFor, state } = await waitingCall();
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "deny", "ada");
  const waiting = waitingFor({ elicitation: true }, undefined, answered(approve));
  expect((await answerRetry(state, waiting)).status).toBe("denied");
});
