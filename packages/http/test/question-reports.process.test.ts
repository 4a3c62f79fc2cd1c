import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createMemoryStore, type ApprovalView } from "@toolmount/core";
import { workStoreOf } from "@toolmount/core/internal";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

interface Report {
  readonly type: string;
  readonly data: { readonly question: ApprovalView; readonly link?: string; readonly host: string };
}

/** A service that verifies each report with the library of the specification, and answers as the test says. */
async function startService(statusOf: (count: number) => number = () => 204) {
  const reports: Report[] = [];
  const ids: string[] = [];
  const bodies: string[] = [];
  const hook = new Webhook(secret);
  const server = createServer(async (request, response) => {
    const body = await text(request);
    ids.push(String(request.headers["webhook-id"]));
    bodies.push(body);
    const status = statusOf(ids.length);
    const report = hook.verify(body, request.headers as Record<string, string>) as Report;
    if (status < 300) reports.push(report);
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const types = () => reports.map(({ type, data }) => `${type} ${data.question.id}`);
  const has = (count: number) =>
    vi.waitFor(() => expect(reports.length).toBeGreaterThanOrEqual(count), { timeout: 240_000 });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    reports,
    ids,
    bodies,
    types,
    has,
  };
}

const wipe = { name: "wipe", arguments: { text: "all" } };

async function world(url: string, store = createMemoryStore()) {
  const { host } = createWorld({ store });
  const served = await serve(host, { webhook: { url, secret }, publicUrl: "https://tools.example.com/" });
  return { host, ...served };
}

test("a question is reported with its link, then its decision with the person behind the program that gave it, then its end", async () => {
  const service = await startService();
  const { host, ask } = await world(service.url);
  const pending = await host.call(wipe, { sessionId: "s", userId: "ada" });
  await service.has(1);
  const [question] = await host.approvals.list();
  const { id } = question!;
  expect(service.reports[0]!.data).toMatchObject({
    host: "default",
    link: `https://tools.example.com/#/inbox/${id}`,
    question: { id, tool: "wipe", arguments: { text: "all" }, expiresAt: expect.any(Number) },
  });

  await ask("POST", `/api/v1/hosts/default/approvals/${id}/decision`, {
    body: { decision: "approve", person: "ann" },
  });
  await service.has(2);
  expect(service.reports[1]).toMatchObject({
    type: "question.decided",
    data: { question: { decision: { decision: "approve", by: "ann (operator)" } } },
  });
  await host.resume(pending.ticket!, { sessionId: "s", userId: "ada" });
  await service.has(3);
  expect(service.reports[2]!.data.question.end).toMatchObject({ status: "ok" });
  expect(service.types()).toEqual(["asked", "decided", "ended"].map((type) => `question.${type} ${id}`));
});

test("a service that fails gets the same text again with the same id, and nothing is reported before it arrived", async () => {
  const service = await startService((count) => (count <= 1 ? 500 : 204));
  const { host } = await world(service.url);
  await host.call(wipe, { sessionId: "s" });
  await vi.waitFor(() => expect(service.ids.length).toBe(1), { timeout: 240_000 });
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "deny", "bob");
  await service.has(2);
  const asked = `${question!.id}.question.asked`;
  expect(service.ids).toEqual([asked, asked, `${question!.id}.question.decided`]);
  expect(service.bodies[1]).toBe(service.bodies[0]);
  expect(service.reports.map(({ data }) => data.question.state)).toEqual(["pending", "denied"]);
});

test("a decision that is made while no server runs is reported by the next one; two servers on one store report it once", async () => {
  const service = await startService();
  const store = createMemoryStore();
  const first = await world(service.url, store);
  await first.host.call(wipe, { sessionId: "s" });
  await service.has(1);
  const [question] = await first.host.approvals.list();
  // A server that closes before it has read the answer leaves the report to the next one.
  const isKept = async () =>
    expect(await workStoreOf(first.host).get("report", question!.id)).toMatchObject({
      body: { sent: ["question.asked"] },
    });
  await vi.waitFor(isKept, { timeout: 240_000 });
  await first.server.close({ graceMs: 0 });
  await first.host.approvals.decide(question!.id, "deny", "bob");

  await world(service.url, store);
  await world(service.url, store);
  await service.has(2);
  await first.host.call({ name: "wipe", arguments: { text: "more" } }, { sessionId: "s" });
  await service.has(3);
  expect(service.types()).toEqual([
    `question.asked ${question!.id}`,
    `question.decided ${question!.id}`,
    expect.stringMatching(/^question\.asked /),
  ]);
  expect(service.reports[1]!.data.question.decision).toMatchObject({ by: "bob" });
});

test.each([
  ["ftp://example.com/hook", secret, "begins with http"],
  ["https://example.com/hook", "whsec_c2hvcnQ=", "at least 24 bytes"],
  ["https://example.com/hook", "a long secret without its prefix", "whsec_"],
])("the webhook %s with the secret %s is refused", async (url, given, problem) => {
  const { host } = createWorld();
  await expect(serve(host, { webhook: { url, secret: given } })).rejects.toThrow(problem);
});
