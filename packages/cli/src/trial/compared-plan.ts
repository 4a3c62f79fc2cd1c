import { isDeepStrictEqual } from "node:util";
import {
  ToolmountError,
  type Json,
  type JsonObject,
  type PolicyAnswer,
  type ToolInfo,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import type { LockChange } from "@toolmount/loader/commands";
import type { PlanOptions } from "../options/plan-options.ts";
import { loaderOptions, type LoaderShell } from "../host/loader-options.ts";
import { verdictOf, verdictsOfHost, type CallVerdict } from "../host/call-verdicts.ts";

/** What a plan offers, or a server that runs one. */
interface ComparedPlan {
  readonly name: string;
  readonly tools: readonly ToolInfo[];
  /** What becomes of a call of each tool, before its arguments are known. */
  readonly calls: ReadonlyMap<string, CallVerdict | undefined>;
  /** The plan of all its layers. Values under names of secrets are masked. */
  readonly plan: JsonObject;
}

/** What differs between two plans. */
export interface PlanDifference {
  readonly before: string;
  readonly now: string;
  readonly tools: readonly LockChange[];
  /** Tools of both whose calls end otherwise: a person is asked, or no longer. */
  readonly calls: readonly {
    readonly tool: string;
    readonly before?: CallVerdict;
    readonly now?: CallVerdict;
  }[];
  /** Values of the plans, by their path; an entry of a list is named by its module. */
  readonly values: readonly { readonly path: string; readonly before?: Json; readonly now?: Json }[];
}

/** Mounts a plan, and reads what it offers. No tool is called. */
export async function readPlanSide(
  plan: string | undefined,
  { env }: PlanOptions,
  shell: LoaderShell,
): Promise<ComparedPlan> {
  const [{ openHost }, { readEffectivePlan }] = await Promise.all([
    import("@toolmount/loader"),
    import("@toolmount/loader/commands"),
  ]);
  const options = { ...loaderOptions({ ...(env && { env }) }, shell), ignoreLock: true };
  const { value } = await readEffectivePlan(plan, options);
  const host = await openHost(plan, options);
  try {
    const tools = host.tools();
    const calls = await verdictsOfHost(host, tools, undefined);
    return { name: host.plan.file ?? "the plan", tools, calls, plan: value };
  } finally {
    await host.close();
  }
}

/** The server whose plan is compared. */
interface RunningServer {
  readonly url: string;
  readonly host: string;
  readonly token: string | undefined;
}

/** Milliseconds in which a server has to answer one request. */
const answerMs = 30_000;

/** Asks a server for what it offers now. Throws `USAGE_INVALID` when it does not answer as a server of toolmount. */
export async function readRunningSide(server: RunningServer): Promise<ComparedPlan> {
  const ask = (path: string, body?: object) => askServer(server, path, body);
  const [offered, shown] = await Promise.all([ask("tools"), ask("plan")]);
  const { tools, available } = offered as { tools: readonly ToolInfo[]; available: readonly ToolInfo[] };
  const calls = new Map<string, CallVerdict | undefined>();
  const all = [...tools, ...available];
  for (const { name } of all) calls.set(name, verdictIn(await ask("why", { tool: name }), name));
  return { name: server.url, tools: all, calls, plan: (shown as { value: JsonObject }).value };
}

function verdictIn(explained: unknown, name: string): CallVerdict | undefined {
  const { tools } = explained as {
    tools: readonly {
      name: string | null;
      declared: Pick<ToolInfo, "requiresConfirmation">;
      answers: readonly { readonly answer: NonNullable<PolicyAnswer> }[];
    }[];
  };
  const found = tools.find((tool) => tool.name === name);
  return found === undefined ? undefined : verdictOf(found.declared, found.answers);
}

async function askServer({ url, host, token }: RunningServer, path: string, body?: object): Promise<unknown> {
  try {
    const address = new URL(`/api/v1/hosts/${encodeURIComponent(host)}/${path}`, url);
    const response = await fetch(address, {
      redirect: "error",
      signal: AbortSignal.timeout(answerMs),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    if (response.ok) return await response.json();
    throw new Error(
      `it answers ${response.status}${response.status === 401 ? "; set TOOLMOUNT_TOKEN to a token of a person who runs the server" : ""}`,
    );
  } catch (cause) {
    const problem = `the server at ${url} cannot be compared: ${messageOf(cause)}`;
    throw new ToolmountError("USAGE_INVALID", { problem }, { cause });
  }
}

/** Compares tools, who is asked, and the values of the plans. */
export async function comparePlans(before: ComparedPlan, now: ComparedPlan): Promise<PlanDifference> {
  const { compareLocks, makeLock } = await import("@toolmount/loader/commands");
  const lockOf = ({ tools }: ComparedPlan) => makeLock(tools, new Map());
  const calls = [...now.calls].flatMap(([tool, is]) => {
    const was = before.calls.get(tool);
    if (!before.calls.has(tool) || was === is) return [];
    return [{ tool, ...(was !== undefined && { before: was }), ...(is !== undefined && { now: is }) }];
  });
  return {
    before: before.name,
    now: now.name,
    tools: compareLocks(lockOf(before), lockOf(now)),
    calls,
    values: [...valuesOf(before.plan, now.plan, "")],
  };
}

function* valuesOf(
  before: Json | undefined,
  now: Json | undefined,
  path: string,
): Iterable<PlanDifference["values"][number]> {
  if (isDeepStrictEqual(before, now)) return;
  const [were, are] = [membersOf(before), membersOf(now)];
  if (were === null || are === null) {
    yield { path, ...(before !== undefined && { before }), ...(now !== undefined && { now }) };
    return;
  }
  for (const key of new Set([...were.keys(), ...are.keys()]))
    yield* valuesOf(were.get(key), are.get(key), path === "" ? key : `${path}.${key}`);
}

/** Members by their keys. Entries of a list are named by their modules, so that one more does not rename those behind it. */
function membersOf(value: Json | undefined): ReadonlyMap<string, Json> | null {
  if (typeof value !== "object" || value === null) return null;
  if (!Array.isArray(value)) return new Map(Object.entries(value as JsonObject));
  const names = value.map((item) => (item as { module?: Json } | null)?.module);
  if (value.length === 0 || !names.every((name) => typeof name === "string")) return null;
  const seen = new Map<string, number>();
  return new Map(
    value.map((item, at) => {
      const name = String(names[at]);
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return [count === 1 ? name : `${name}#${count}`, item];
    }),
  );
}
