import { setTimeout as delay } from "node:timers/promises";
import type { EqualServers } from "./equal-servers.ts";
import { askEarlier, askModern, connectEarlier } from "./mcp-wire.ts";
import { readEvents } from "./served.ts";

/** A server that was killed answers nothing: the client sends again, as one does whose only server restarts. */
const again = new Set([409, 429, 502, 503]);

/** Sends one request until it is answered. */
async function send(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(url, init).catch(() => null);
    if (response !== null && !again.has(response.status)) return response;
    await response?.body?.cancel();
    await delay(200);
  }
}

/** The members of answers that the operations read. */
interface Answered {
  readonly id?: string;
  readonly ticket?: string;
  readonly status?: string;
  readonly result?: { readonly data?: unknown; readonly text?: unknown; readonly calls?: unknown };
  readonly stopped?: object | null;
  readonly changes?: readonly { readonly isUndone: boolean }[];
  readonly calls?: readonly { readonly status: string }[];
  readonly waiting?: readonly {
    readonly id: string;
    readonly arguments: { readonly mark?: string };
    readonly info: { readonly sessionId?: string };
  }[];
}

/** A client of the servers: what it does is named, so that nothing happens twice when it is sent again. */
function clientOf({ url, tokens }: EqualServers, mark: string) {
  let count = 0;
  const ask = async (method: string, path: string, body?: object, token = tokens.ana) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(/\/(calls|turns)$/.test(path) && { "idempotency-key": `${mark}-${(count += 1)}` }),
    };
    for (;;) {
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await send(`${url}/api/v1/hosts/default${path}`, init);
      const answer = await response.json().catch(() => null);
      if (answer !== null) return answer as Answered;
    }
  };
  /** Answers the questions that wait now and have this mark, or are of this session. Resolves to how many. */
  const decideNow = async (decision: "approve" | "deny") => {
    const { waiting = [] } = await ask("GET", "/approvals", undefined, tokens.ops);
    const own = waiting.filter((one) => one.arguments.mark === mark || one.info.sessionId === `ana:${mark}`);
    const headers = { authorization: `Bearer ${tokens.ops}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ decision }) };
    for (const { id } of own) {
      // One that is lost, or comes too late, is made again where the question still waits.
      const answer = await fetch(`${url}/api/v1/hosts/default/approvals/${id}/decision`, init).catch(
        () => null,
      );
      await answer?.body?.cancel();
    }
    return own.length;
  };
  /** Answers until one question was seen, and none waits any more. */
  const decide = async (decision: "approve" | "deny") => {
    for (let seen = 0, now = -1; seen === 0 || now > 0; seen += now) {
      now = await decideNow(decision);
      await delay(100);
    }
  };
  return { ask, decide, decideNow };
}

/** One request over MCP until it is answered; one that a killed server had is sent again. */
async function until<Answer extends { readonly status: number }>(
  act: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await act().catch(() => null);
    const isAnswered =
      answer !== null && !again.has(answer.status) && ("result" in answer || "error" in answer);
    if (isAnswered) return answer;
    await delay(200);
  }
}

type Operation = (servers: EqualServers, mark: string) => Promise<unknown>;

const context = (mark: string) => ({ sessionId: mark });

/** What clients do, each with what one server gives them. */
const operations: Readonly<
  Record<string, { readonly act: Operation; readonly gives: (mark: string) => unknown }>
> = {
  call: {
    async act(servers, mark) {
      const { ask } = clientOf(servers, mark);
      const { status, result } = await ask("POST", "/calls", { tool: "look", arguments: { at: mark } });
      return [status, result?.data];
    },
    gives: (mark) => ["ok", { seen: mark }],
  },
  approved: {
    async act(servers, mark) {
      const { ask, decide } = clientOf(servers, mark);
      const given = { tool: "pay", arguments: { mark }, ...context(mark) };
      const asked = await ask("POST", "/calls", given);
      if (asked.status !== "pending") return [asked.status];
      await decide("approve");
      const { status, result } = await resume(ask, asked.ticket, mark);
      return [asked.status, status, result?.data];
    },
    gives: (mark) => ["pending", "ok", { paid: mark }],
  },
  denied: {
    async act(servers, mark) {
      const { ask, decide } = clientOf(servers, mark);
      const asked = await ask("POST", "/calls", { tool: "pay", arguments: { mark }, ...context(mark) });
      if (asked.status !== "pending") return [asked.status];
      await decide("deny");
      return [asked.status, (await resume(ask, asked.ticket, mark)).status];
    },
    gives: () => ["pending", "denied"],
  },
  background: {
    async act(servers, mark) {
      const { ask, decide } = clientOf(servers, mark);
      const given = { id: mark, tool: "pay", arguments: { mark }, background: true, ...context(mark) };
      const asked = await ask("POST", "/calls", given);
      if (asked.status !== "pending") return [asked.status];
      await decide("approve");
      for (;;) {
        const { calls = [] } = await ask("GET", `/calls?callId=${mark}`);
        const [{ status } = { status: "pending" }] = calls;
        if (!["pending", "waiting", "running", "decided"].includes(status)) return [asked.status, status];
        await delay(200);
      }
    },
    gives: () => ["pending", "ok"],
  },
  undo: {
    async act(servers, mark) {
      const { ask } = clientOf(servers, mark);
      const write = { file_path: `${mark}.txt`, content: mark };
      const written = await ask("POST", "/calls", { tool: "write_file", arguments: write, ...context(mark) });
      // Whose answer is lost sends it again: what is undone already is not undone twice.
      const { stopped } = await ask("POST", `/sessions/${mark}/undo`, {});
      const { changes } = await ask("GET", `/sessions/${mark}/changes`);
      const read = await ask("POST", "/calls", {
        tool: "read_file",
        arguments: { file_path: `${mark}.txt` },
      });
      // A call that a kill cut is made again, since its tool allows that, and leaves a change for each time.
      const isUndone = changes!.length > 0 && changes!.every((change) => change.isUndone);
      return [written.status, stopped, isUndone, read.status];
    },
    gives: () => ["ok", null, true, "failed"],
  },
  turn: {
    async act(servers, mark) {
      const { ask, decideNow } = clientOf(servers, mark);
      const turn = await ask("POST", "/turns", { prompt: "Look, and ship it.", ...context(mark) });
      const events = followTurn(servers, String(turn.id));
      const isOver = events.then(() => true);
      // A turn whose server was killed while it asked takes the question back, and asks again: a person answers again.
      while (!(await Promise.race([isOver, delay(100, false)]))) await decideNow("approve");
      const { status, result } = await events;
      return [status, result?.text, result?.calls];
    },
    gives: () => ["done", "It is shipped.", 2],
  },
  modern: {
    async act({ url, tokens, ...same }, mark) {
      const { decide } = clientOf({ url, tokens, ...same }, mark);
      const pay = { name: "pay", arguments: { mark } };
      const asked = await until(() => askModern(url, tokens.ana, "tools/call", pay));
      await decide("approve");
      let { result } = asked;
      while (result?.["requestState"] !== undefined) {
        const { requestState } = result;
        const retry = { ...pay, requestState, inputResponses: { approval: { action: "accept" } } };
        ({ result } = await until(() => askModern(url, tokens.ana, "tools/call", retry)));
      }
      return shownOf(result);
    },
    gives: (mark) => ({ paid: mark }),
  },
  /** A client that cannot ask its user: its model makes the same call again until it has its result. */
  repeated: {
    async act(servers, mark) {
      const { url, tokens } = servers;
      const { decide } = clientOf(servers, mark);
      const session = await connect(url, tokens.ana);
      const pay = { name: "pay", arguments: { mark } };
      const ask = () => until(() => askEarlier(url, { token: tokens.ana, session }, "tools/call", pay));
      const { status: asked, runId } = outcomeOf((await ask()).result);
      await decide("approve");
      for (;;) {
        const { result } = await ask();
        const outcome = outcomeOf(result);
        // The answer of the approved call was lost with its server: to ask again is a new call, as at one server that restarts.
        if (outcome.status === "pending" && outcome.runId !== runId) return ["unknown"];
        if (outcome.status !== "pending") return [asked, shownOf(result)];
        await delay(100);
      }
    },
    gives: (mark) => ["pending", { paid: mark }],
  },
  earlier: {
    async act({ url, tokens }, mark) {
      const session = await connect(url, tokens.ana);
      const look = { name: "look", arguments: { at: mark } };
      const seen = [];
      for (let n = 0; n < 3; n++) {
        const answer = await until(() => askEarlier(url, { token: tokens.ana, session }, "tools/call", look));
        seen.push(answer.result?.["structuredContent"] ?? answer);
      }
      return seen;
    },
    gives: (mark) => [1, 2, 3].map(() => ({ seen: mark })),
  },
  task: {
    async act({ url, tokens }, mark) {
      const session = await connect(url, tokens.ana);
      const of = { token: tokens.ana, session };
      const call = { name: "look", arguments: { at: mark }, task: { ttl: 600_000 } };
      const made = await until(() => askEarlier(url, of, "tools/call", call));
      const { taskId } = (made.result as { task: { taskId: string } }).task;
      const { result } = await until(() => askEarlier(url, of, "tasks/result", { taskId }));
      return result?.["structuredContent"] ?? result;
    },
    gives: (mark) => ({ seen: mark }),
  },
  page: {
    async act({ url, tokens }) {
      const page = await send(`${url}/`, {});
      const authorization = `Bearer ${tokens.ops}`;
      const plan = await send(`${url}/api/v1/hosts/default/status`, { headers: { authorization } });
      const { plan: { name } = { name: "" } } = (await plan.json()) as { plan?: { name: string } };
      return [page.status, (await page.text()).includes("<html"), plan.status, name];
    },
    gives: () => [200, true, 200, "desk"],
  },
};

type McpResult = Readonly<Record<string, unknown>> | undefined;

/** The facts of a call that its result over MCP has. */
function outcomeOf(result: McpResult): { readonly status?: string; readonly runId?: string } {
  const meta = (result?.["_meta"] ?? {}) as Readonly<Record<string, unknown>>;
  return meta["dev.toolmount/outcome"] ?? {};
}

/** What a result over MCP gives: its data, or what its status is. */
function shownOf(result: McpResult): unknown {
  return outcomeOf(result).status === "unknown" ? "unknown" : (result?.["structuredContent"] ?? result);
}

async function resume(ask: ReturnType<typeof clientOf>["ask"], ticket: unknown, mark: string) {
  for (;;) {
    const outcome = await ask("POST", "/resume", { ticket, ...context(mark) });
    // A server that was killed had it: its lease ends.
    if (outcome.status !== "pending") return outcome;
    await delay(200);
  }
}

async function connect(url: string, token: string): Promise<string> {
  for (;;) {
    const session = await connectEarlier(url, token).catch(() => null);
    if (session !== null) return session;
    await delay(200);
  }
}

/** Follows a turn until it has ended, over connections that break: each event comes once, in its order, and none is missed. */
async function followTurn({ url, tokens }: EqualServers, id: string): Promise<Answered> {
  const seen: string[] = [];
  for (;;) {
    const headers = {
      authorization: `Bearer ${tokens.ana}`,
      ...(seen.length > 0 && { "last-event-id": seen.at(-1)! }),
    };
    try {
      const response = await send(`${url}/api/v1/hosts/default/turns/${id}/events`, { headers });
      for await (const event of readEvents(response)) {
        if (event.event === "reset" || seen.includes(event.id)) throw new WrongEvents(JSON.stringify(event));
        if (event.id !== "") seen.push(event.id);
        if (event.event === "turn" && event.data["endedAt"] !== null) return event.data;
      }
    } catch (error) {
      if (error instanceof WrongEvents) throw error;
      // Otherwise its server was killed.
    }
    await delay(100);
  }
}

/** A stream began again, or sent an event twice. */
class WrongEvents extends Error {}

/** How many clients work at the same time. */
const clients = 16;

/** What an operation gave that one server would not have given. */
interface Difference {
  readonly name: string;
  readonly gave: unknown;
}

/** Lets clients do so many operations. Resolves to those that differ, to the marks that are paid, and to those that may be. */
export async function playOperations(servers: EqualServers, count: number) {
  const names = Object.keys(operations);
  const differ: Difference[] = [];
  const paid: string[] = [];
  const unknown: string[] = [];
  const paying = new Set(["approved", "background", "modern", "repeated"]);
  let next = 0;
  let done = 0;
  const work = async () => {
    while (next < count) {
      const number = next++;
      const name = names[number % names.length]!;
      const mark = `m${number}`;
      const { act, gives } = operations[name]!;
      const gave = await act(servers, mark).catch((error: unknown) => String(error));
      // Its server was killed while it had the call: one server that restarts gives the same.
      if ([gave].flat().includes("unknown")) unknown.push(mark);
      else if (JSON.stringify(gave) !== JSON.stringify(gives(mark)))
        differ.push({ name: `${name} ${mark}`, gave });
      else if (paying.has(name)) paid.push(mark);
      if ((done += 1) % 500 === 0) process.stdout.write(`${done} of ${count}: ${differ.length} differ\n`);
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return { differ, paid, unknown };
}
