import { join } from "node:path";
import { createMemoryStore, type ApprovalQuestion } from "@toolmount/core";
import { openHost, type OpenHostOptions } from "@toolmount/loader";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import { openWorkers } from "@toolmount/workers";
import { expect, onTestFinished, test } from "vitest";
import { call, response, say, serve } from "../../packages/reasoner/test/support/world.ts";
import { sharedPostgres } from "../../packages/workers/test/fleet/servers.ts";
import { silent } from "../support/world-hosts.ts";

const plan = join(import.meta.dirname, "bill/mount-plan.yaml");
const given = { recipient: "GB33BUKB20201555555555", amount: 90 };
const paid = { recipient: "DE89370400440532013000", amount: 90, subject: "what the mail says" };
const context = { sessionId: "s", prompts: ["Please pay the power bill that I got by mail."] };
const found =
  "recipient GB33BUKB20201555555555 · from read_mail (call 1), 0.body, line 2 · you never wrote it";

async function open(options: OpenHostOptions = {}) {
  const questions: ApprovalQuestion[] = [];
  const host = await openHost(plan, {
    logger: silent,
    approver: (question) => (questions.push(question), { decision: "deny" }),
    ...options,
  });
  onTestFinished(async () => void (await host.close({ graceMs: 0 })));
  return { host, reasons: () => questions.flatMap((one) => one.reasons.map(({ reason }) => reason)) };
}

test("the calls of a program are judged with what its own calls read, in whichever process it runs", async () => {
  const { host, reasons } = await open({ overlays: ["program"] });
  const outcome = await host.call({ name: "pay_bills" }, context);
  expect(outcome.result.data).toEqual({ paid: "denied" });
  expect(reasons()).toEqual([found]);
});

test("a call that runs in a process of its own is judged with what another has read", async () => {
  const { host, reasons } = await open({ overlays: ["process"] });
  await host.call({ name: "read_mail" }, context);
  expect(await host.call({ name: "send_money", arguments: given }, context)).toMatchObject({
    status: "denied",
  });
  expect(reasons()).toEqual([found]);
});

test("a call that runs in a fleet is judged with what a worker has read", async () => {
  const postgres = await sharedPostgres();
  onTestFinished(() => postgres.stop());
  const fleet = { overlays: ["fleet"], env: { FLOWS_STATE: await postgres.database("flows") } };
  const worker = await open(fleet);
  const workers = await openWorkers(worker.host, { logger: silent });
  onTestFinished(() => workers.close({ graceMs: 0 }));
  const { host, reasons } = await open(fleet);
  expect(await host.call({ name: "read_mail" }, context)).toMatchObject({ status: "ok" });
  await host.call({ name: "send_money", arguments: given }, context);
  expect(reasons()).toEqual([found]);
});

test("what the user writes while a turn runs is the user's", async () => {
  const store = createMemoryStore();
  const { host, reasons } = await open({ store });
  host.coordinator.mount("session-store", store.sessions);
  const answers = [[call("c1", "read_mail")], [call("c2", "send_money", given)], [say("paid")]];
  const { baseUrl, requests } = await serve(async (_, at) => {
    if (at === 0) await reasoner.addMessage("s", "Yes, pay 90 to GB33 BUKB 2020 1555 5555 55.");
    return response(answers[at]!);
  });
  const settings = settingsSchema.parse({ model: "m", stream: false, baseUrl, apiKey: "k" });
  const reasoner = createReasoner(host.coordinator, { settings });
  const turn = await reasoner.run(host, { sessionId: "s", prompt: "Is there a bill?" });
  expect(turn).toMatchObject({ status: "done", text: "paid" });
  expect(JSON.stringify(requests[2])).toContain('\\"sent\\":90');
  expect(reasons()).toEqual([]);
});

test("a fork whose original was deleted asks about content that it cannot compare", async () => {
  const store = createMemoryStore();
  const answers = [
    [call("c1", "read_mail")],
    [say("a bill")],
    [call("c2", "send_money", paid)],
    [say("done")],
  ];
  const { baseUrl } = await serve(answers.map((items) => response(items)));
  const settings = settingsSchema.parse({ model: "m", stream: false, baseUrl, apiKey: "k" });
  const begun = async () => {
    const { host, reasons } = await open({ store });
    host.coordinator.mount("session-store", store.sessions);
    return { host, reasons, reasoner: createReasoner(host.coordinator, { settings }) };
  };
  const first = await begun();
  await first.reasoner.run(first.host, { sessionId: "s", prompt: "What is in my mail?" });
  await first.reasoner.fork(first.host, "s", "copy");
  await store.sessions.delete("s");

  const second = await begun();
  await second.reasoner.run(second.host, { sessionId: "copy", prompt: "Pay 90 to DE89370400440532013000." });
  expect(second.reasons()).toEqual([
    "subject was not compared with the oldest results of the session, which the host dropped",
  ]);
});

test("after a compaction, a value is still known from a result that the model no longer sees", async () => {
  const store = createMemoryStore();
  const { host, reasons } = await open({ store });
  host.coordinator.mount("session-store", store.sessions);
  const usage = { input_tokens: 100, output_tokens: 1 };
  const { baseUrl, requests } = await serve([
    response([call("c1", "read_mail")], { usage }),
    response([say("a bill")], { usage }),
    response([call("c2", "send_money", given)], { usage }),
    response([say("denied")], { usage }),
  ]);
  const compaction = { compaction: 50, keepTurns: 1, summary: false };
  const settings = settingsSchema.parse({ model: "m", stream: false, baseUrl, apiKey: "k", ...compaction });
  const reasoner = createReasoner(host.coordinator, { settings });
  await reasoner.run(host, { sessionId: "s", prompt: "What is in my mail?" });
  await reasoner.run(host, { sessionId: "s", prompt: "Pay the bill." });
  expect(JSON.stringify(requests[2])).not.toContain("GB33");
  expect(reasons()).toEqual([found]);
});
