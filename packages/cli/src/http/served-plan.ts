import { isToolmountError, type Json, type ServerSignIn } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import type { OpenedHost, OpenHostOptions } from "@toolmount/loader";
import type {
  ServedLayers,
  ServedPlan,
  ServedProtocol,
  ServedServer,
  ServedStories,
  ServedTurns,
} from "@toolmount/http";
import type { Reasoner, Settings } from "@toolmount/reasoner";
import { readStory, recentSessions } from "@toolmount/record";
import { auditSinkOf } from "@toolmount/record/internal";
import { loaderOptions, type LoaderShell } from "../host/loader-options.ts";
import type { Judge } from "@toolmount/record/internal";
import type { RecordedCall } from "@toolmount/record/internal";
import type { PlanOptions } from "../options/plan-options.ts";
import { approvalsOf, type ApprovalOptions } from "../options/served-approvals.ts";

/** Returns what the server shows and does for a host's plan. */
export function servePlan(
  host: OpenedHost,
  plan: string | undefined,
  options: PlanOptions,
  shell: LoaderShell,
): ServedPlan {
  const given = loaderOptions(options, shell);
  return {
    status: () => host.status(),
    digest: createDigest(host),
    reload: () => host.reload(),
    async effective() {
      const { readEffectivePlan } = await import("@toolmount/loader/commands");
      const { files, value, values, problems } = await readEffectivePlan(plan, given);
      return { files, value, values, problems, policy: await policyText(value) };
    },
    compare: (policy, newest) => comparePolicy(host, policy, given, newest),
    suggest: (newest) => suggestPolicy(host, given, newest),
    async why(tool, question) {
      const { explainTool } = await import("@toolmount/loader/commands");
      const tools = host.tools({ includeDeprecated: true });
      return explainTool(tool, plan, { ...given, ...question, tools });
    },
  };
}

/**
 * Returns a function for the digest of the mounted plan, which every answer of the server contains. It is computed once after
 * each reload.
 */
function createDigest(host: OpenedHost): () => string {
  let known: { readonly written: object; readonly digest: string } | undefined;
  return () => {
    const { written } = host.plan;
    if (known?.written !== written) known = { written, digest: digestOfPlan(host) };
    return known.digest;
  };
}

/** Returns the name under which the plan is known in a store that several plans share: its own name, or its file, or `name`. */
export function scopeOf({ plan }: OpenedHost, name: string): string {
  return plan.name ?? plan.file ?? name;
}

/** Returns the first 12 digits of a digest of the mounted plan, with its included parts and before variables are filled in. */
export function digestOfPlan({ plan: { written } }: OpenedHost): string {
  return digestOf(written).slice(0, 12);
}

/**
 * Returns the section `policy` of a plan as YAML, so that a person can edit it. Secrets stay masked, because judging calls does
 * not need them.
 */
async function policyText(plan: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify((plan as { readonly policy?: unknown } | null)?.policy ?? {});
}

/** Which calls of the audit are judged: the `last` newest ones. `signal` stops reading them. */
interface NewestCalls {
  readonly last: number;
  readonly signal: AbortSignal;
}

/**
 * Mounts the plan once more, with another policy if one is given, and passes it to `read` with the newest calls of the audit. No
 * tool runs.
 */
async function withJudge<Result>(
  host: OpenedHost,
  policy: Json | undefined,
  options: OpenHostOptions,
  { last, signal }: NewestCalls,
  read: (calls: AsyncIterable<RecordedCall>, judge: Judge) => Promise<Result>,
): Promise<Result> {
  const [{ openJudge }, { readNewestCallsOf }] = await Promise.all([
    import("@toolmount/record/internal"),
    import("@toolmount/record/internal"),
  ]);
  const sink = auditSinkOf(host);
  const { written, folder } = host.plan;
  const plan = policy === undefined ? written : { ...written, policy };
  const judge = await openJudge(plan, { ...options, cwd: folder, overlays: [] });
  const until = async function* () {
    for await (const call of readNewestCallsOf(sink, last)) {
      signal.throwIfAborted();
      yield call;
    }
  };
  try {
    return await read(until(), judge);
  } finally {
    await judge.close();
  }
}

async function comparePolicy(
  host: OpenedHost,
  text: string,
  options: OpenHostOptions,
  newest: NewestCalls,
): Promise<object> {
  const { diffPolicy } = await import("@toolmount/record/internal");
  return withJudge(host, await readPolicy(text), options, newest, diffPolicy);
}

/** Suggests lines for the policy that answer as people answered before. Also returns the whole policy with these lines. */
async function suggestPolicy(
  host: OpenedHost,
  options: OpenHostOptions,
  newest: NewestCalls,
): Promise<object> {
  const { suggestRules } = await import("@toolmount/record/internal");
  const found = await withJudge(host, undefined, options, newest, suggestRules);
  const { readEffectivePlan } = await import("@toolmount/loader/commands");
  const { value } = await readEffectivePlan(host.plan.file, { ...options, cwd: host.plan.folder });
  const { policy = {} } = (value ?? {}) as { readonly policy?: Readonly<Record<string, unknown>> };
  const linesOf = (name: string) => found.lines.filter(({ list }) => list === name).map(({ line }) => line);
  const listed = Object.fromEntries(
    ["allow", "ask"].flatMap((name) => {
      const lines = [...((policy[name] as readonly unknown[] | undefined) ?? []), ...linesOf(name)];
      return lines.length === 0 ? [] : [[name, lines]];
    }),
  );
  return { ...found, policy: await policyText({ policy: { ...policy, ...listed } }) };
}

/**
 * Reads a policy that a person wrote, by the rules of plans. An empty text is an empty policy. Throws `PLAN_INVALID` with line
 * and column.
 */
async function readPolicy(text: string): Promise<Json> {
  const isEmpty = text.split("\n").every((line) => /^\s*(#|$)/.test(line));
  const { parsePlanText } = await import("@toolmount/loader/commands");
  return isEmpty ? {} : parsePlanText("policy", text);
}

/** Returns the functions with which the server runs turns of a host's model. */
export function serveTurns(host: OpenedHost, reasoner: Reasoner, settings: Partial<Settings>): ServedTurns {
  return {
    list: (filter) => reasoner.list(filter),
    show: (id) => reasoner.show(id),
    lastTurn: (id) => reasoner.lastTurn(id),
    owner: (id) => reasoner.owner(id),
    run: (request) => reasoner.run(host, { ...request, settings }),
    resume: (request) => reasoner.resume(host, { ...request, settings }),
    addMessage: (id, text, messageId) => reasoner.addMessage(id, text, messageId),
    release: (id) => reasoner.release(id),
    fork: (id, newId, userId) => reasoner.fork(host, id, newId, userId),
  };
}

/** Returns the state of each MCP server that the plan mounts. */
export async function serveServers(host: OpenedHost): Promise<readonly ServedServer[]> {
  const { statusChannel } = await import("@toolmount/mcp");
  return (await host.coordinator.collectContributions(statusChannel)) as ServedServer[];
}

/** Returns those mounted MCP servers to which each user signs in. */
export async function serveSignIns(host: OpenedHost): Promise<readonly ServerSignIn[]> {
  const { signInChannel } = await import("@toolmount/mcp");
  const offered = await host.coordinator.collectContributions(signInChannel);
  return (offered as (ServerSignIn | undefined)[]).filter((signIn) => signIn !== undefined);
}

type Verified = Parameters<ServedProtocol["fetch"]>[1];

/** Serves the host over MCP. With a token of a user, calls run for that user. Each token has its own session. */
export async function serveProtocol(
  host: OpenedHost,
  options: ApprovalOptions,
  onError: (error: Error) => void,
): Promise<ServedProtocol> {
  const { serveHttp } = await import("@toolmount/mcp");
  return serveHttp(host, {
    name: host.plan.name === undefined ? "toolmount" : `toolmount: ${host.plan.name}`,
    caller: ({ authInfo }) => {
      const { user, signInPage } = (authInfo?.extra ?? {}) as Partial<Verified["authInfo"]["extra"]>;
      const sessionId = `mcp-${authInfo?.clientId ?? "unknown"}`;
      const mayApprove = authInfo?.scopes.includes("approve") === true;
      return { sessionId, userId: user ?? undefined, signInPage, mayApprove };
    },
    approvals: approvalsOf(options),
    onError,
  });
}

/**
 * Returns a host's layers for the HTTP server; undefined if the plan has none. Also gives the host's agents a tool that asks the
 * user to keep their changes.
 */
export async function serveLayers(host: OpenedHost): Promise<ServedLayers | undefined> {
  if (host.coordinator.getCapability("host.layers") === null) return undefined;
  const { layersOf, offerToKeep } = await import("@toolmount/workers");
  offerToKeep(host);
  return layersOf(host) ?? undefined;
}

/** Returns the functions with which the server reads sessions and their calls, including sessions of clients without a model. */
export function serveStories(host: OpenedHost, reasoner: Reasoner | undefined): ServedStories {
  const ofModel = async (sessionId: string, userId: string | undefined) => {
    try {
      const owner = await reasoner?.owner(sessionId);
      if (reasoner === undefined || (userId !== undefined && owner !== userId)) return {};
      return { said: await reasoner.said(sessionId), spent: await reasoner.show(sessionId) };
    } catch (error) {
      if (isToolmountError(error) && error.code === "SESSION_NOT_FOUND") return {};
      throw error;
    }
  };
  return {
    recent: async (filter) => recentSessions(auditSinkOf(host), filter),
    read: async (sessionId, userId) =>
      readStory(host, sessionId, { userId, ...(await ofModel(sessionId, userId)) }),
  };
}
