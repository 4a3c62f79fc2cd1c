import { createMemoryStore } from "@toolmount/core";
import { expect } from "vitest";
import { clockOfLooks } from "./clock.ts";
import { scriptedTurns } from "./turns.ts";
import { createWorld, serve, type Tokens } from "./world.ts";

/** Where the turns of the served host are. */
export const path = "/api/v1/hosts/default";
/** The time of the server, until a test sets another. */
export const now = 1_800_000_000_000;

/** A served reasoner: work that is asked for begins at once, and ends when the test says so. */
export async function servedTurns() {
  let count = 0;
  let time = now;
  const looks = clockOfLooks(15_000);
  const { host } = createWorld({ store: createMemoryStore() });
  const { turns, begun, messages } = scriptedTurns(({ kind, begins }) =>
    begins(kind === "run" ? `t${(count += 1)}` : "t1"),
  );
  const clock = { ...looks, now: () => time };
  const { server, tokens, ask } = await serve({ default: { host, turns }, bare: { host } }, { clock });
  const start = (body: object = {}, as: keyof Tokens = "caller") =>
    ask("POST", `${path}/turns`, { as, body: { prompt: "Go.", ...body } });
  const send = (method: string, route: string, headers: object = {}, body?: object) =>
    fetch(`${server.url}${path}${route}`, {
      method,
      headers: { authorization: `Bearer ${tokens.caller}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const at = (ms: number) => void (time = now + ms);
  return { turns, begun, messages, server, ask, start, send, at, look: () => looks.look() };
}

/** A turn as the API shows it when it has just begun. */
export const shown = (more: object = {}) => ({
  id: "t1",
  sessionId: "s1",
  userId: null,
  by: "caller",
  prompt: "Go.",
  status: "running",
  startedAt: now,
  updatedAt: now,
  endedAt: null,
  waiting: [],
  result: null,
  problem: null,
  ...more,
});

/** A refusal with this sentence. */
export const refused = (status: number, code: string, detail: string) => ({
  status,
  body: expect.objectContaining({ code, detail }),
});
