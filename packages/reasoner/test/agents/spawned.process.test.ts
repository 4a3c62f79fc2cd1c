import { createMemoryStore, type SpawnRequest, type SpawnResult } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { call, response, say, tool, world, type WorldOptions } from "../support/world.ts";

/** A turn whose one call asks for a sub-agent, and what that was answered with. */
async function spawned(
  answers: Parameters<typeof world>[0],
  request: Partial<SpawnRequest> = {},
  options: WorldOptions = {},
) {
  const answered: unknown[] = [];
  const hand = tool("hand", async (_, { sessionId, turnId, abortSignal, traceparent, callId }) => {
    const { reasoner } = await made;
    const ids = {
      parentSessionId: sessionId!,
      parentTurnId: turnId!,
      parentCallId: callId,
      abortSignal,
      traceparent,
    };
    try {
      answered.push(await reasoner.spawn({ instruction: "do it", ...ids, ...request }));
    } catch (error) {
      const { code, details } = error as { code: string; details: object };
      answered.push({ code, ...details });
    }
    return "ok";
  });
  const made: ReturnType<typeof world> = world(answers, {
    ...options,
    tools: [...((options.tools ?? []) as object[]), hand],
  });
  const all = await made;
  await all.run("go");
  return { ...all, answered };
}
const agents = { helper: { description: "Helps.", tools: ["*"] } };
const oneChild = [response([call("c1", "hand")]), response([say("did it")]), response([say("end")])];

describe("a sub-agent", () => {
  test("answers with its session, its agent, its turns and how its turn ended", async () => {
    const { answered, reasoner, store } = await spawned(oneChild, { agent: "helper" }, { agents });
    const [result] = answered as SpawnResult[];

    expect(result).toMatchObject({
      sessionId: expect.stringMatching(/^s-[0-9a-f]{16}_helper$/) as string,
      agent: "helper",
      turns: 1,
      turn: { status: "done", text: "did it", iterations: 1, calls: 0 },
    });
    const { id, parentId } = (await store.sessions.load(result!.sessionId))!;
    expect([id, parentId]).toEqual([result!.sessionId, "s"]);
    expect(await reasoner.list()).toMatchObject([
      { id: "s", usage: { requests: 3, inputTokens: 30, outputTokens: 15 } },
      { agent: "helper", usage: { requests: 1 } },
    ]);
  });

  test("begins and ends with events that name its parent, and is in its parent's log before it does anything", async () => {
    const { answered, heard, store } = await spawned(oneChild, { agent: "helper" }, { agents });
    const { sessionId } = (answered as SpawnResult[])[0]!;
    const ids = { session_id: sessionId, parent_id: "s" };
    const ofChild = heard.flatMap(({ event, data: { timestamp: _, ...given } }) =>
      event.startsWith("session:") && given["session_id"] === sessionId ? [[event, given]] : [],
    );
    const children = (await store.sessions.entries("s"))
      .map(({ entry }) => entry as Record<string, unknown>)
      .filter(({ kind }) => kind === "child");
    const nothing = { requests: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };
    const used = { requests: 1, inputTokens: 10, cachedTokens: 4, outputTokens: 5, reasoningTokens: 0 };

    expect(ofChild).toEqual([
      ["session:start", ids],
      ["session:end", ids],
    ]);
    expect(children).toEqual([
      {
        kind: "child",
        sessionId,
        agent: "helper",
        callId: "c1",
        usage: nothing,
        calls: 0,
        before: { turns: 0, calls: 0, usage: nothing },
      },
      { kind: "child", sessionId, agent: "helper", callId: "c1", usage: used, calls: 0 },
    ]);
  });

  test("is no longer cancelled with its parent once it has ended", async () => {
    const { answered, host } = await spawned(oneChild, { agent: "helper" }, { agents });
    const child = host.session((answered as SpawnResult[])[0]!.sessionId).cancellation;
    host.session("s").cancellation.requestImmediate();

    expect(child.state).toBe("none");
  });

  test("is one like its parent without an agent, and has its parent's words where the request asks for them", async () => {
    const { answered, requests } = await spawned(oneChild, { inherit: "all" });
    const [result] = answered as SpawnResult[];

    expect(result).toMatchObject({ agent: "self", turns: 1 });
    expect(requests[1]!.input.map(({ role, content }) => [role, content])).toEqual([
      ["developer", expect.stringContaining("user: go") as string],
      ["user", "do it"],
    ]);
    const alone = await spawned(oneChild);
    expect(alone.requests[1]!.input.map(({ content }) => content)).toEqual(["do it"]);
  });
});

describe("a sub-agent is refused", () => {
  test.each<[string, Partial<SpawnRequest>, object, object]>([
    [
      "of an agent that the plan lacks",
      { agent: "gone" },
      {},
      { code: "AGENT_NOT_FOUND", agent: "gone", known: ["helper"] },
    ],
    [
      "named like a member of every object",
      { agent: "toString" },
      {},
      { code: "AGENT_NOT_FOUND", agent: "toString", known: ["helper"] },
    ],
    [
      "deeper than the plan allows",
      { agent: "helper" },
      { maxDepth: 0 },
      { code: "AGENT_BUDGET_EXHAUSTED", budget: "levels of delegation", limit: 0 },
    ],
    [
      "that is like itself more often than it may",
      { maxSelfDepth: 0 },
      {},
      { code: "AGENT_BUDGET_EXHAUSTED", budget: "levels of self-delegation", limit: 0 },
    ],
    [
      "for a session that is not there",
      { sessionId: "gone" },
      {},
      { code: "SESSION_NOT_FOUND", session: "gone" },
    ],
    [
      "for a turn that does not run",
      { parentTurnId: "gone" },
      {},
      { code: "SESSION_CONFLICT", session: "s", problem: "no turn of it runs that could begin another" },
    ],
    [
      "for a session that does not run",
      { parentSessionId: "other" },
      {},
      { code: "SESSION_CONFLICT", session: "other", problem: "no turn of it runs that could begin another" },
    ],
  ])("%s", async (_, request, settings, error) => {
    const { answered } = await spawned([response([call("c1", "hand")]), response([say("end")])], request, {
      agents,
      settings,
    });

    expect(answered).toEqual([error]);
  });

  test("for a session of another parent, or as another agent", async () => {
    const store = createMemoryStore();
    const save = (id: string, parentId: string, agent: string | null) =>
      store.sessions.save({ id, parentId, version: 1, createdAt: 0, updatedAt: 0, data: { agent } });
    await save("own", "s", "helper");
    await save("foreign", "t", "helper");
    const ask = async (request: Partial<SpawnRequest>) =>
      (await spawned([response([call("c1", "hand")]), response([say("end")])], request, { agents, store }))
        .answered;

    expect(await ask({ sessionId: "foreign" })).toEqual([{ code: "SESSION_NOT_FOUND", session: "foreign" }]);
    await store.sessions.delete("s");
    expect(await ask({ sessionId: "own", agent: "self" })).toEqual([
      { code: "SESSION_CONFLICT", session: "own", problem: 'its agent is "helper"' },
    ]);
  });
});
