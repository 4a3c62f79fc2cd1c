import { ToolmountError, type JsonObject, type PolicyAnswer, type ToolInfo } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { meter, readBounded } from "@toolmount/core/json";
import { z } from "zod";
import { verdictOf, type CallVerdict } from "../host/call-verdicts.ts";
import type { ComparedPlan } from "./compared-plan.ts";

/** A running server, and the host on it whose plan is compared. */
interface RunningServer {
  readonly url: string;
  readonly host: string;
  readonly token: string | undefined;
}

/** Milliseconds until a server must have answered a request, and maximum number of bytes of an answer. */
const [answerMs, answerBytes] = [30_000, 16_777_216];

const tool = z.looseObject({
  name: z.string(),
  requiresConfirmation: z.union([z.boolean(), z.literal("dynamic")]),
  inputSchema: z.record(z.string(), z.unknown()),
});
const offered = z.looseObject({ tools: z.array(tool), available: z.array(tool) });
const shown = z.looseObject({ value: z.record(z.string(), z.unknown()) });
const explained = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string().nullable(),
      declared: z.looseObject({ requiresConfirmation: tool.shape.requiresConfirmation }),
      answers: z.array(
        z.looseObject({ answer: z.looseObject({ answer: z.enum(["allow", "ask", "deny"]) }) }),
      ),
    }),
  ),
});

/** Asks a server what it offers now. Throws `USAGE_INVALID` if it does not answer like a toolmount server. */
export async function readRunningPlan(server: RunningServer): Promise<ComparedPlan> {
  const [offer, plan] = await Promise.all([ask(server, "tools", offered), ask(server, "plan", shown)]);
  const all = [...offer.tools, ...offer.available];
  const calls = new Map<string, CallVerdict | undefined>();
  for (const { name } of all) {
    const { tools } = await ask(server, "why", explained, { tool: name });
    calls.set(name, verdictIn(tools, name));
  }
  const tools = all as unknown as readonly ToolInfo[];
  return { name: server.url, tools, calls, plan: plan.value as JsonObject };
}

function verdictIn(tools: z.output<typeof explained>["tools"], name: string): CallVerdict | undefined {
  const found = tools.find((one) => one.name === name);
  const answers = (found?.answers ?? []) as readonly { readonly answer: NonNullable<PolicyAnswer> }[];
  return found === undefined ? undefined : verdictOf(found.declared, answers);
}

async function ask<Answer>(
  server: RunningServer,
  path: string,
  schema: z.ZodType<Answer>,
  body?: object,
): Promise<Answer> {
  try {
    const parsed = schema.safeParse(await readAnswer(await request(server, path, body)));
    if (parsed.success) return parsed.data;
    throw new Error(`it answers to ${path} otherwise than a server of toolmount: ${problemOf(parsed.error)}`);
  } catch (cause) {
    const problem = `the server at ${server.url} cannot be compared: ${messageOf(cause)}`;
    throw new ToolmountError("USAGE_INVALID", { problem }, { cause });
  }
}

function problemOf({ issues }: z.ZodError): string {
  const [first] = issues;
  return `${first!.path.map(String).join(".")}: ${first!.message}`;
}

async function request({ url, host, token }: RunningServer, path: string, body?: object): Promise<Response> {
  const response = await fetch(new URL(`/api/v1/hosts/${encodeURIComponent(host)}/${path}`, url), {
    redirect: "error",
    signal: AbortSignal.timeout(answerMs),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  const fix =
    response.status === 401 ? "; set TOOLMOUNT_TOKEN to a token of a person who runs the server" : "";
  throw new Error(`it answers ${response.status}${fix}`);
}

/** Reads the JSON of an answer, with limits on its size and depth, because the address can be that of any server. */
async function readAnswer({ body }: Response): Promise<unknown> {
  const bytes = body === null ? Buffer.alloc(0) : await readBounded(body, answerBytes);
  if (bytes === null) throw new Error(`its answer is larger than ${answerBytes} bytes`);
  const value = parseJson(bytes.toString("utf8"));
  const problem = meter(value, Number.POSITIVE_INFINITY);
  if (problem !== null) throw new Error(`its answer is ${problem}`);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("its answer is not JSON");
  }
}
