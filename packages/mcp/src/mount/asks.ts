import { AsyncLocalStorage } from "node:async_hooks";
import {
  CLIENT_CAPABILITIES_META_KEY,
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type Client,
  type ClientCapabilities,
  type ClientContext,
  type InputRequiredResult,
  type RequestOptions,
  type Tool,
} from "@modelcontextprotocol/client";
import { withShownTexts } from "../wire/foreign-texts.ts";
import type { AskKind } from "../wire/exposed-source.ts";
import { canAnswer, type Answers, type Front, type ServerAsk, type ServerAsks } from "../wire/front.ts";
import type { ServerSettings } from "./config.ts";
import { uiCapabilities } from "./ui.ts";
import { followTask, startTask, taskOf } from "../tasks/follow.ts";
import { tasksExtension, type Task } from "../tasks/task.ts";
import { raceSignal } from "../wire/race-signal.ts";
import { callResultOf } from "../reading/reader.ts";

type Asks = ServerSettings["ask"];

type AskSettings = Pick<ServerSettings, "ask" | "expose" | "prefix" | "hiddenText">;

/** Returns the name under which the internal tool for a question is mounted. */
export type AskTool = (kind: AskKind) => string;

/** Maximum number of times that a server may ask something during one request. */
const maxRounds = 16;

/**
 * Returns the capabilities to state to a server: those that the plan allows. If `front` is given, only those that the client in
 * front (the one for whose call the server works) has, too.
 */
export function capabilitiesFor(ask: Asks, front?: ClientCapabilities): ClientCapabilities {
  const can = (what: "elicitation" | "sampling" | "roots") =>
    ask.includes(what) && (front === undefined || front[what] !== undefined);
  return {
    ...(can("elicitation") && { elicitation: front?.elicitation ?? { form: {}, url: {} } }),
    ...(can("sampling") && { sampling: front?.sampling ?? {} }),
    ...(can("roots") && { roots: {} }),
  };
}

/** Returns the protocol extensions to state to a server: tasks and, if the plan exposes them, user interfaces. */
export function extensionsFor(settings: Pick<ServerSettings, "expose" | "prefix">): ClientCapabilities {
  return { extensions: { ...uiCapabilities(settings).extensions, [tasksExtension]: {} } };
}

/** Answers the requests that a server of a protocol revision before 2026 makes while it works for a client. */
export function answerAsks(
  client: Client,
  settings: AskSettings,
  { frontOf, toolFor }: { readonly frontOf: () => Front | undefined; readonly toolFor: AskTool },
): void {
  const pass = async (request: ServerAsk, { mcpReq: { signal } }: ClientContext) => {
    const front = frontOf();
    if (front === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        "requests of several clients, or of none, run on this connection, so it is not known whom to ask",
      );
    const ask = () => askInFront({ asked: request }, { settings, front, toolFor }, signal);
    const { asked } = await front.questions.during(ask);
    return asked as never;
  };
  for (const [method, kind] of Object.entries(kinds))
    if (settings.ask.includes(kind)) client.setRequestHandler(method as "elicitation/create", pass);
  client.setNotificationHandler("notifications/message", ({ params: { level, data, logger } }) =>
    frontOf()?.from.log(level, withShownTexts(data, settings), logger),
  );
}

/**
 * A question whose internal tool runs now. The call of that tool ends with the client's answer; `reach` reports that the host
 * has allowed the call.
 */
interface AllowedAsk {
  readonly reach: () => void;
  readonly answer: Promise<unknown>;
}

const currentAsk = new AsyncLocalStorage<AllowedAsk>();

/** Does the work of the internal tool for a question: waits for the client's answer. */
export async function answerOfClient(): Promise<unknown> {
  const ask = currentAsk.getStore();
  if (ask === undefined) throw new Error("no server asks a client now");
  ask.reach();
  return ask.answer;
}

/**
 * Passes questions of a server to the client in front, each as a call of its internal tool. The client gets all allowed
 * questions at once. If a question for a form or a page is refused, the server gets `decline`; for other kinds, this rejects.
 */
async function askInFront(
  requests: ServerAsks,
  { settings, front, toolFor }: RequestAsks,
  withdrawn?: AbortSignal,
): Promise<Answers> {
  if (front === undefined) return {};
  requireAnswerable(requests, front);
  const shown = withShownTexts(requests, settings);
  const { promise: answered, resolve, reject } = Promise.withResolvers<Answers>();
  answered.catch(() => {}); // where no question is allowed, nothing else waits for it
  const asks = Object.entries(shown).map(([key, request]) => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<true>();
    const answer = answered.then((answers) => answers[key]);
    answer.catch(() => {}); // a call that was refused does not wait for it
    const kind = kinds[request.method];
    const tool = kind === undefined ? "" : toolFor(kind);
    // The number of the server's message is left out, so that a repeated question has the same arguments, and so is the same
    // call.
    const { _meta: _, ...args } = request.params ?? {};
    const run = () => front.callInternal(tool, args);
    const call = currentAsk.run({ reach: () => reach(true), answer }, run);
    return { key, request, call, reached };
  });
  const isAllowed = await Promise.all(
    asks.map(({ reached, call }) => Promise.race([reached, call.then(() => false)])),
  );
  const allowed = asks.filter((_, at) => isAllowed[at]).map(({ key, request }) => [key, request] as const);
  const given: Promise<Answers> =
    allowed.length === 0 ? Promise.resolve({}) : front.ask(Object.fromEntries(allowed), withdrawn);
  given.then(resolve, reject);
  const answers = await given;
  const results = asks.map(async ({ key, request, call }) => {
    const { status, result } = await call;
    if (status === "ok" && result.truncated === undefined) return [key, answers[key]] as const;
    if (request.method === "elicitation/create") return [key, { action: "decline" }] as const;
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, result.error ?? "the question was refused");
  });
  return Object.fromEntries(await Promise.all(results));
}

/** Throws for a request that the client in front cannot answer; its server may work without the answer. */
function requireAnswerable(requests: ServerAsks, { from: { capabilities } }: Front): void {
  const unable = Object.values(requests).find((request) => !canAnswer(request, capabilities));
  if (unable === undefined) return;
  const problem = `the client in front does not support ${unable.method}`;
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, problem);
}

const kinds: Readonly<Record<string, AskKind>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** The client for which a request is made, and what the plan lets the server ask. */
export interface RequestAsks {
  readonly settings: AskSettings;
  readonly front: Front | undefined;
  readonly toolFor: AskTool;
}

/** Calls a tool and passes on the questions that its server asks meanwhile. */
export async function callWithAsks(
  client: Client,
  params: CallToolRequest["params"],
  options: RequestOptions,
  { definition, ...asks }: RequestAsks & { readonly definition: Tool },
): Promise<CallToolResult> {
  // The host itself checks results. The SDK needs the rest of the definition, also for arguments that are sent as headers.
  const { outputSchema: _, ...toolDefinition } = definition;
  const how = { ...options, toolDefinition };
  if (isTaskCall(client, definition, asks.front))
    return followInFront(client, await startTask(client, params, options), options, asks);
  const result = await withAnswers(client, params, asks, how, (next, own) => client.callTool(next, own));
  const task = taskOf(result);
  return task === undefined ? callResultOf(result) : followInFront(client, task, options, asks);
}

/** Waits for a task of a server, and passes what the server asks meanwhile to the client in front. */
function followInFront(
  client: Client,
  task: Task,
  options: RequestOptions,
  asks: RequestAsks,
): Promise<CallToolResult> {
  void asks.front?.becomeTask?.();
  let states = 0;
  return followTask(client, task, options, {
    onState: ({ statusMessage: message }) => options.onprogress?.({ progress: states++, message }),
    answer: (requests) => askInFront(requests as ServerAsks, asks),
  });
}

/** Whether to ask for a task. Servers from before 2026 have to be asked; those of 2026 decide by themselves. */
function isTaskCall(client: Client, { execution }: Tool, front: Front | undefined): boolean {
  const support = execution?.taskSupport;
  const can = client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
  if (!can || client.getProtocolEra() !== "legacy") return false;
  return support === "required" || (support === "optional" && front?.becomeTask !== undefined);
}

/**
 * Makes a request. If a server of 2026 wants input for it, the client in front gives it, round after round; an older server
 * asks by requests of its own, which {@link answerAsks} answers.
 */
export async function withAnswers<
  Params extends object,
  Result extends object,
  Options extends RequestOptions,
>(
  client: Client,
  params: Params,
  asks: RequestAsks,
  options: Options,
  send: (params: Params, options: Options) => Promise<Result | InputRequiredResult>,
): Promise<Result> {
  const { settings, front } = asks;
  if (
    client.getProtocolEra() === "legacy" ||
    (settings.ask.length === 0 && front?.from.logLevel === undefined)
  )
    return (await send(params, options)) as Result;
  const { _meta: given, ...rest } = params as Params & { readonly _meta?: object };
  const stated = { ...rest, _meta: { ...given, ...metaFor(settings, front) } };
  let next: Readonly<Record<string, unknown>> =
    front?.given === undefined ? {} : { inputResponses: front.given };
  for (let round = 0; round < maxRounds; round++) {
    const all = { ...stated, ...next } as unknown as Params;
    const result = await send(all, { ...options, allowInputRequired: true });
    if (!isInputRequiredResult(result)) return result;
    const { inputRequests = {}, requestState } = result;
    const answers = askInFront(inputRequests, asks);
    const { signal } = options;
    const inputResponses = await (signal === undefined ? answers : raceSignal(answers, signal));
    next = { inputResponses, ...(requestState !== undefined && { requestState }) };
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `the server asked more than ${maxRounds} times`);
}

/** Returns the `_meta` that says to a server of 2026 what the client in front can do. */
function metaFor(settings: AskSettings, front: Front | undefined) {
  const asked = capabilitiesFor(settings.ask, front?.from.capabilities ?? {});
  return {
    [CLIENT_CAPABILITIES_META_KEY]: { ...asked, ...extensionsFor(settings) },
    ...(front?.from.logLevel !== undefined && { [LOG_LEVEL_META_KEY]: front.from.logLevel }),
  };
}
