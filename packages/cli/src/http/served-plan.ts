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

/** Returns the plan of a host, as the server shows it. */
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

/** Returns a function for the digest of the mounted plan, which each answer of the server contains. */
function createDigest(host: OpenedHost): () => string {
  let known: { readonly written: object; readonly digest: string } | undefined;
  return () => {
    const { written } = host.plan;
    if (known?.written !== written) known = { written, digest: digestOfPlan(host) };
    return known.digest;
  };
}

/** Returns the name of the plan in a store that several plans share; `name` is that of its host. */
export function scopeOf({ plan }: OpenedHost, name: string): string {
  return plan.name ?? plan.file ?? name;
}

/** Returns 12 digits of the digest of the mounted plan, as written, with its parts merged. */
export function digestOfPlan({ plan: { written } }: OpenedHost): string {
  return digestOf(written).slice(0, 12);
}

/** Returns the section `policy` of a plan as YAML for editing. Its secrets stay masked, because a comparison does not need them. */
async function policyText(plan: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify((plan as { readonly policy?: unknown } | null)?.policy ?? {});
}

/** Which calls of the audit are read: the `last` newest ones, until `signal` is aborted. */
interface NewestCalls {
  readonly last: number;
  readonly signal: AbortSignal;
}

/** Mounts the plan once more, perhaps with another policy, to judge the newest calls of the audit. No tool runs. */
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

/** Returns people's answers as lines for the policy's lists, and the policy with these lines. */
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

/** Reads a policy that a person wrote, in the way that a plan is read. Throws `PLAN_INVALID` with line and column. */
async function readPolicy(text: string): Promise<Json> {
  const isEmpty = text.split("\n").every((line) => /^\s*(#|$)/.test(line));
  const { parsePlanText } = await import("@toolmount/loader/commands");
  return isEmpty ? {} : parsePlanText("policy", text);
}

/** Returns the turns of a host's model, bound to the host. */
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

/** Returns the state of the mounted servers. */
export async function serveServers(host: OpenedHost): Promise<readonly ServedServer[]> {
  const { statusChannel } = await import("@toolmount/mcp");
  return (await host.coordinator.collectContributions(statusChannel)) as ServedServer[];
}

/** Returns the mounted servers to which users sign in. */
export async function serveSignIns(host: OpenedHost): Promise<readonly ServerSignIn[]> {
  const { signInChannel } = await import("@toolmount/mcp");
  const offered = await host.coordinator.collectContributions(signInChannel);
  return (offered as (ServerSignIn | undefined)[]).filter((signIn) => signIn !== undefined);
}

type Verified = Parameters<ServedProtocol["fetch"]>[1];

/** Serves the host over MCP. A token of a user calls for that user; each token has its own session. */
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

/** Serves the layers of a host; undefined if its plan has none. Its agents also get a tool with which they ask for a keep. */
export async function serveLayers(host: OpenedHost): Promise<ServedLayers | undefined> {
  if (host.coordinator.getCapability("host.layers") === null) return undefined;
  const { layersOf, offerToKeep } = await import("@toolmount/workers");
  offerToKeep(host);
  return layersOf(host) ?? undefined;
}

/** Serves the stories of a host's sessions, including those of clients without a model. */
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
