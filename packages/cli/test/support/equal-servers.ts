import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { rename, writeFile } from "node:fs/promises";
import { onTestFinished } from "vitest";
import { startBalancer } from "./balancer.ts";
import { call, say } from "./exchange.ts";
import { startModel } from "./scripted-model.ts";
import { startServer, writeTokens } from "./served.ts";
import { endServer, nextVersion } from "./server-group.ts";
import { oneTool, workspace } from "./workspace.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** What the model does with the only prompt of the world: it looks, ships after a person's yes, and says so. */
const script = {
  "Look, and ship it.": [
    [say("I look first."), call("t1", "look", { at: "the door" })],
    [call("t2", "ship")],
    [say("It is shipped.")],
  ],
};

const reads = (module: string) => module.replace('category: "side_effect"', 'category: "read"');

/** Tools: one reads, one asks and leaves a mark, and one asks in a turn of the model. */
const tools = {
  "look.ts": reads(
    oneTool({ name: "look", schema: "at: z.string()", body: "return data({ seen: params.at });" }),
  ),
  "pay.ts": oneTool({
    name: "pay",
    schema: "mark: z.string()",
    confirm: "true",
    body: `const { appendFileSync } = await import("node:fs"); appendFileSync("paid.txt", params.mark + "\\n"); return data({ paid: params.mark });`,
  }),
  "ship.ts": oneTool({ name: "ship", confirm: "true", body: 'return data("shipped");' }),
};

function planOf(state: string, model: string, change: number): string {
  return `version: 1
name: desk
state: ${state}
agent: { model: scripted, baseUrl: "${model}", apiKey: none, stream: true }
tools:
  - module: ./look.ts
  - module: ./pay.ts
  - module: ./ship.ts
  - module: filesystem
    config: { allowed_read_paths: [.], allowed_write_paths: [.] }
    tools: { include: [write_file, read_file] }
policy:
  level: autonomous
  rules:
    - { match: { tool: nothing-${change} }, answer: ask, reason: the plan was changed ${change} times }
`;
}

/** Takes reports of questions, and answers each. */
async function startReceiver() {
  const reports: { readonly type: string; readonly mark: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null) return; // its server was killed
    const { type, data } = JSON.parse(body) as {
      type: string;
      data: { question: { arguments: { mark?: unknown } } };
    };
    reports.push({ type, mark: data.question.arguments.mark });
    response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, reports };
}

/** Servers of one plan and one store behind a balancer, and what is outside of them: a model, and a receiver of reports. */
export async function equalServers(state: string, size: number) {
  const model = await startModel(script);
  const receiver = await startReceiver();
  const place = await workspace({ "plan.yaml": planOf(state, model, 0), ...tools, "paid.txt": "" });
  const tokens = await writeTokens();
  const secretFile = join(tokens.file, "../webhook");
  await writeFile(secretFile, secret, { mode: 0o600 });
  const balancer = await startBalancer();
  const words = [
    "plan.yaml",
    "--webhook",
    `url=${receiver.url}`,
    `secret=${secretFile}`,
    "--grace",
    "5000",
    "--public-url",
    "https://desk.example",
  ];
  const next = await nextVersion("99.0.0");
  const living = new Set<Awaited<ReturnType<typeof startServer>>>();
  const crashed: string[] = [];
  const crash = Promise.withResolvers<never>();
  crash.promise.catch(() => {});
  /** Who takes the place of a server has the next version. */
  const start = async (program?: readonly string[]) => {
    const server = await startServer(place, tokens, words, { program });
    living.add(server);
    void server.ended.then(({ code, stdout, stderr }) => {
      if (!living.delete(server)) return;
      // With --json its last words are on standard output.
      crashed.push(`${code}: ${stdout}${stderr}`);
      // Without servers, the clients would wait for ever.
      if (living.size === 0) crash.reject(new Error(`all servers ended: ${crashed.join("")}`));
    });
    balancer.add(server.url);
    return server;
  };
  /** Ends a server: killed at once, or with SIGTERM as a rolling update does, which first takes it out of the balancer. */
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    const [server] = living;
    living.delete(server!);
    if (signal === "SIGTERM") balancer.remove(server!.url);
    await endServer(server!, signal);
    balancer.remove(server!.url);
  };
  await Promise.all(Array.from({ length: size }, () => start()));
  let changes = 0;
  return {
    url: balancer.url,
    tokens,
    place,
    startNext: () => start(next),
    end,
    living,
    /** What servers said that ended by themselves. */
    crashed,
    /** Rejects when the last of them has. */
    crash: crash.promise,
    reports: receiver.reports,
    paid: async () => (await place.read("paid.txt")).split("\n").filter(Boolean),
    /** Changes the plan, and asks one server that all of them mount it, one after the other. */
    async changePlan() {
      await place.write("next.yaml", planOf(state, model, ++changes));
      await rename(join(place.folder, "next.yaml"), join(place.folder, "plan.yaml"));
      const headers = { authorization: `Bearer ${tokens.ops}` };
      const init = { method: "POST", headers };
      // A server that is killed meanwhile answers nothing: the next change is mounted with this one.
      const answer = await fetch(`${balancer.url}/api/v1/hosts/default/reload`, init).catch(() => null);
      await answer?.body?.cancel();
    },
  };
}

export type EqualServers = Awaited<ReturnType<typeof equalServers>>;

/** Ends one server after the other, one every three seconds, and starts another for each, until it is stopped. */
export function endOneAfterTheOther(servers: EqualServers, size: number) {
  const stop = new AbortController();
  let ended = 0;
  const working = (async () => {
    while (!stop.signal.aborted) {
      await delay(3_000, undefined, { signal: stop.signal }).catch(() => {});
      // On a busy machine a server takes longer than that to start: two stay.
      if (stop.signal.aborted) break;
      if (servers.living.size < Math.max(2, size - 1)) continue;
      ended += 1;
      if (ended % 3 === 0) await servers.changePlan();
      await Promise.all([servers.end(ended % 4 === 0 ? "SIGTERM" : "SIGKILL"), servers.startNext()]);
    }
  })();
  return {
    /** Rejects when a server does not start. */
    failed: working.then(() => new Promise<never>(() => {})),
    /** Resolves to how many ended. */
    stop: async () => {
      stop.abort();
      await working;
      return ended;
    },
  };
}
