import { createMemoryStore } from "@toolmount/core";
import { expect, test } from "vitest";
import {
  call,
  outputs,
  response,
  say,
  tool,
  world,
  type Answer,
  type WorldOptions,
} from "../support/world.ts";

const later = () => ({ decision: "later" as const });
const denied = "Error: the call was not approved: the user wrote a message instead [DENIED]";

/** A session whose calls wait: two for a person, one for the client. */
async function waiting(answers: readonly Answer[], more: Partial<WorldOptions> = {}) {
  const ran: string[] = [];
  const gated = { requiresConfirmation: true };
  const tools = [
    tool("write", () => ran.push("write"), gated),
    tool("send", () => ran.push("send"), gated),
    tool("pick", () => ran.push("pick"), { execution: "client" }),
  ];
  const calls = [call("c1", "write"), call("c2", "send"), call("c3", "pick")];
  const made = await world([response(calls), ...answers], { tools, host: { approver: later }, ...more });
  expect((await made.run("write and send")).status).toBe("paused");
  return { ...made, ran, tools };
}

test("a new message denies the calls that wait, and the model reads both", async () => {
  const { resume, host, ran, requests } = await waiting([response([say("as you say")])]);

  expect(await resume({ message: "only read, please" })).toMatchObject({
    status: "done",
    text: "as you say",
  });

  expect(ran).toEqual([]);
  expect(outputs(requests[1])).toMatchObject({ c1: denied, c2: denied });
  expect(String(outputs(requests[1])["c3"])).toContain("the user wrote a message instead");
  expect(JSON.stringify(requests[1]!.input.at(-1))).toContain("only read, please");
  expect(await host.approvals.list()).toEqual([]);
});

test("what a person approved before the message runs, and no later yes runs what it denied", async () => {
  const { resume, host, ran } = await waiting([response([say("done")])]);
  const [first, second] = await host.approvals.list();
  await host.approvals.decide(first!.id, "approve", "bob");

  expect((await resume({ message: "no more" })).status).toBe("done");

  expect(ran).toEqual([first!.tool]);
  await expect(host.approvals.decide(second!.id, "approve", "bob")).rejects.toMatchObject({
    code: expect.any(String) as string,
  });
  expect(ran).toEqual([first!.tool]);
});

test("a message in another process, by the session's user alone, denies the calls", async () => {
  const store = createMemoryStore();
  const { host, ran, tools } = await waiting([], { store });
  await host.close();
  const next = await world([response([say("well")])], { tools, store });

  expect((await next.resume({ message: "leave it" })).status).toBe("done");
  expect(ran).toEqual([]);
});

test("a message that a gate denies changes nothing", async () => {
  const { resume, host, ran } = await waiting([]);
  host.coordinator.hooks.gate("prompt:submit", () => ({ action: "deny", reason: "not now" }));

  await expect(resume({ message: "leave it" })).rejects.toMatchObject({ code: "DENIED" });
  expect(await host.approvals.list()).toHaveLength(2);
  expect(ran).toEqual([]);
});

test("the calls of a sub-agent that wait are denied, too", async () => {
  const ran: string[] = [];
  const made = await world(
    [
      response([call("c1", "ask")]),
      response([call("d1", "write")]),
      response([say("I did not write")]),
      response([say("nothing was written")]),
    ],
    {
      tools: [tool("write", () => ran.push("write"), { requiresConfirmation: true })],
      agents: { writer: { description: "Writes.", tools: ["*"] } },
      host: { approver: later },
    },
  );
  const spawn = made.host.coordinator.getCapability("session.spawn")!;
  made.host.coordinator.mount(
    "tools",
    tool("ask", async (_, { sessionId, turnId, callId }) => {
      const parent = { parentSessionId: sessionId!, parentTurnId: turnId!, parentCallId: callId };
      const { turn } = await spawn({ agent: "writer", instruction: "write", ...parent });
      return turn.text;
    }),
  );
  expect((await made.run("write")).waiting).toMatchObject([{ waitsFor: "agent" }]);

  expect(await made.resume({ message: "leave it" })).toMatchObject({
    status: "done",
    text: "nothing was written",
  });

  expect(ran).toEqual([]);
  expect(outputs(made.requests[2])["d1"]).toBe(denied);
});
