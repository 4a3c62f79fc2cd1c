// A program that uses the generated client. The test copies it beside that client, and checks its types there.
import { call, decide, listApprovals, listTools, resume, watch } from "./api/sdk.gen.ts";
import { client } from "./api/client.gen.ts";

/** What the program saw. */
interface Report {
  readonly tools: readonly string[];
  readonly pending: string;
  readonly secondDecision: string;
  readonly resumed: unknown;
  readonly firstEvent: unknown;
}

export async function run(baseUrl: string, token: string): Promise<Report> {
  client.setConfig({ baseUrl, auth: token });
  const path = { host: "default" };
  const tools = await listTools({ path, throwOnError: true });
  const body = { tool: "wipe", arguments: { path: "build" }, sessionId: "s1" };
  const pending = await call({ path, body, throwOnError: true });
  const { waiting } = (await listApprovals({ path, throwOnError: true })).data;
  const question = { host: "default", id: waiting[0]!.id };
  await decide({ path: question, body: { decision: "approve" }, throwOnError: true });
  const again = await decide({ path: question, body: { decision: "deny" } });
  const ticket = pending.data.ticket!;
  const resumed = await resume({ path, body: { ticket, sessionId: "s1" }, throwOnError: true });
  return {
    tools: tools.data.tools.map(({ name }) => name),
    pending: pending.data.status,
    secondDecision: again.error!.code,
    resumed: resumed.data.result["data"],
    firstEvent: await firstEvent(),
  };
}

async function firstEvent(): Promise<unknown> {
  const controller = new AbortController();
  const { stream } = await watch({ path: { host: "default" }, signal: controller.signal });
  for await (const event of stream) {
    controller.abort();
    return event;
  }
  return undefined;
}

/** Never called: it must not compile. */
export function wrong(): unknown {
  const path = { host: "default", id: "1" };
  // @ts-expect-error a decision is `approve` or `deny`
  return decide({ path, body: { decision: "perhaps" } });
}
