import { join } from "node:path";
import { createMemoryStore, type ApprovalQuestion, type CallContext } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import { describe, expect, onTestFinished, test } from "vitest";
import { silent } from "../support/world-hosts.ts";

const plan = join(import.meta.dirname, "bill/mount-plan.yaml");
const account = "GB33BUKB20201555555555";
const pay = { name: "send_money", arguments: { recipient: account, amount: 90 } };
const asked = ["Please pay the power bill that I got by mail."];
const named = ["Pay 90 to GB33 BUKB 2020 1555 5555 55, please."];

async function open(store = createMemoryStore(), answer: "approve" | "deny" | "later" = "deny") {
  const questions: ApprovalQuestion[] = [];
  const host = await openHost(plan, {
    logger: silent,
    store,
    approver: (question) => (questions.push(question), { decision: answer }),
  });
  onTestFinished(async () => void (await host.close()));
  return { host, questions };
}

const originsOf = (question: ApprovalQuestion | undefined) =>
  question?.reasons.flatMap(({ origins = [] }) => origins.map(({ origin, from }) => [origin, from?.tool]));

describe("an origin survives", () => {
  test("a restart: another host reads the results of the session from the store", async () => {
    const store = createMemoryStore();
    const first = await open(store);
    await first.host.call({ name: "read_mail" }, { sessionId: "s", prompts: asked });
    await first.host.close();

    const { host, questions } = await open(store);
    await host.call(pay, { sessionId: "s", prompts: asked });
    expect(originsOf(questions[0])).toEqual([["untrusted", "read_mail"]]);
  });

  test("a reload of the plan", async () => {
    const { host, questions } = await open();
    await host.call({ name: "read_mail" }, { sessionId: "s", prompts: asked });
    await host.reload();
    await host.call(pay, { sessionId: "s", prompts: asked });
    expect(originsOf(questions[0])).toEqual([["untrusted", "read_mail"]]);
  });

  test("a sub-agent, which has seen what its parent has seen", async () => {
    const { host, questions } = await open();
    await host.call({ name: "read_mail" }, { sessionId: "parent", prompts: asked });
    const child: CallContext = { sessionId: "child", parentSessionIds: ["parent"], prompts: asked };
    await host.call(pay, child);
    await host.call(pay, { sessionId: "stranger", prompts: asked });
    expect(questions.map(originsOf)).toEqual([[["untrusted", "read_mail"]], [["composed", undefined]]]);
  });

  test("a wait: the resumed call is judged by the words with which it was made", async () => {
    const { host } = await open(undefined, "later");
    const context = { sessionId: "s", prompts: asked };
    await host.call({ name: "read_mail" }, context);
    const waiting = await host.call(pay, context);
    const [view] = await host.approvals.list();
    expect(view!.reasons[0]).toMatchObject({
      reason: expect.stringContaining("from read_mail (call 1), 0.body, line 2") as string,
      origins: [{ argument: "recipient", origin: "untrusted" }],
    });
    await host.approvals.decide(view!.id, "approve", "ada");
    expect(await host.resume(waiting.ticket!, { sessionId: "s" })).toMatchObject({ status: "ok" });
  });
});

test("a person who saw an origin and approved is not asked about the same value again", async () => {
  const { host, questions } = await open(undefined, "approve");
  const context = { sessionId: "s", prompts: asked };
  await host.call({ name: "read_mail" }, context);
  await host.call(pay, context);
  await host.call(pay, context);
  await host.call(pay, { ...context, sessionId: "other" });
  expect(questions).toHaveLength(2);
});

test("the context's words must be a list of texts", async () => {
  const { host } = await open();
  const outcome = await host.call(pay, { prompts: [1] as never });
  expect(outcome).toMatchObject({
    status: "invalid",
    result: {
      error: expect.stringContaining("the prompts of the context are not a list of texts") as string,
    },
  });
});

test("the user's words count as the user wrote them", async () => {
  const { host, questions } = await open();
  expect((await host.call(pay, { sessionId: "s", prompts: named })).status).toBe("ok");
  expect(questions).toEqual([]);
});
