// Two servers of one store, each request to a random one, while one after the other is killed and started again: a client
// gets what one server would have given it.
import { expect, test } from "vitest";
import { askEarlier, askModern, connectEarlier, type McpAnswer } from "../support/mcp-wire.ts";
import { approveAll, endServer, serverGroup } from "../support/server-group.ts";

type Group = Awaited<ReturnType<typeof serverGroup>>;
type Server = Awaited<ReturnType<Group["start"]>>;

/** Sends each request to a random server that lives; one whose connection is refused goes to another, as a balancer does. */
function balance(servers: readonly Server[]) {
  const living = new Set(servers);
  const send = async <Answer>(ask: (url: string) => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const some = [...living];
      const { url } = some[Math.floor(Math.random() * some.length)]!;
      try {
        return await ask(url);
      } catch (error) {
        const { cause } = error as { cause?: { code?: string } };
        if (cause?.code !== "ECONNREFUSED") throw error;
      }
    }
  };
  return { living, send };
}

const rounds = process.env["TOOLMOUNT_LOAD"] === "full" ? 40 : 6;

test("what clients of both revisions get does not depend on the server that a request reaches", async () => {
  const { start, tokens, paid } = await serverGroup(
    "sqlite:./state.db",
    "policy: { budgets: { calls: 200 } }\n",
  );
  const { living, send } = balance(await Promise.all([start(), start()]));
  const session = await send((url) => connectEarlier(url, tokens.ana));
  const call = (name: string, args: object) => ({ name, arguments: args });
  const modern = (params: object) => send((url) => askModern(url, tokens.ana, "tools/call", params));
  const earlier = (params: object) =>
    send((url) => askEarlier(url, { token: tokens.ana, session }, "tools/call", params));
  const answers: McpAnswer[] = [];

  for (let round = 0; round < rounds; round++) {
    const pay = call("pay", { cents: round });
    const { result } = await modern(pay);
    const { requestState } = result as { requestState: string };
    const [leaver] = living;
    living.delete(leaver!);
    const started = start();
    await endServer(leaver!, round % 2 === 0 ? "SIGKILL" : "SIGTERM");
    expect(await approveAll([...living][0]!)).toBe(1);
    living.add(await started);
    const inputResponses = { approval: { action: "accept" } };
    expect(await modern({ ...pay, requestState, inputResponses })).toMatchObject({
      result: { structuredContent: { paid: round } },
    });
    for (let n = 0; n < 3; n++) answers.push(await modern(call("look", {})), await earlier(call("look", {})));
  }
  expect(await paid()).toEqual(Array.from({ length: rounds }, (_, round) => String(round)));
  for (const { result } of answers) expect(result).toMatchObject({ structuredContent: { seen: 1 } });

  const context = { tool: "look", arguments: {}, sessionId: "counted" };
  const ask = () => send((url) => askCall(url, tokens.ana, context));
  const statuses = await Promise.all(Array.from({ length: 210 }, ask));
  expect(statuses.filter((status) => status === "ok")).toHaveLength(200);
}, 1_500_000);

async function askCall(url: string, token: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}/api/v1/hosts/default/calls`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { status: unknown }).status;
}
