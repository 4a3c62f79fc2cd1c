import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { createRoute, type z } from "@hono/zod-openapi";
import {
  isToolInterrupt,
  ownSession,
  ToolmountError,
  type CallContext,
  type Json,
  type Progress,
  type ToolOutcome,
} from "@toolmount/core";
import { smallBytes } from "@toolmount/core/json";
import { requireRole, userOfCall, type Principal } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import type { Context, TypedResponse } from "hono";
import type { KeyedWork } from "../work/first-answers.ts";
import { resumeWhenDecided } from "./until-decided.ts";
import { callSchema, outcomeSchema, resumeSchema } from "./schemas.ts";
import {
  createRoutes,
  failures,
  hostOf,
  hostParam,
  json,
  jsonBody,
  keyHeader,
  requireOpen,
  type LiveHost,
  type RouteEnv,
  type Service,
} from "./service.ts";
import { answerStream, wantsStream } from "./stream.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { JSONParsed } from "hono/utils/types";

const answers = {
  200: json(
    outcomeSchema,
    "The outcome; a call that failed is also an outcome. With Accept: text/event-stream, a stream of events `progress` and then `outcome`, which has it",
  ),
  ...failures,
};

const call = createRoute({
  method: "post",
  path: "/hosts/{host}/calls",
  operationId: "call",
  tags: ["Calls"],
  summary: "Call a tool",
  request: { params: hostParam, headers: keyHeader, body: jsonBody(callSchema) },
  responses: answers,
});

const resume = createRoute({
  method: "post",
  path: "/hosts/{host}/resume",
  operationId: "resume",
  tags: ["Calls"],
  summary: "Resume a call that waited",
  request: { params: hostParam, body: jsonBody(resumeSchema) },
  responses: answers,
});

/** The body of a request that makes or resumes a call. */
type Given = z.output<typeof callSchema> | z.output<typeof resumeSchema>;

/** A function that makes or resumes the call of a request. */
type Start = (live: LiveHost, context: CallContext) => Promise<ToolOutcome>;

/** Creates the routes that make and resume calls. */
export function callRoutes(service: Service) {
  const answer = async (c: Context<RouteEnv>, given: Given, start: Start) => {
    const { principal } = c.env;
    requireRole(principal, "call");
    requireOpen(service);
    // Parsing a large body took long, and the call will read all of it again. Between them, other requests can run.
    if (!(Number(c.req.header("content-length")) <= smallBytes)) await setImmediate();
    const live = hostOf(service, c.req.param("host") ?? "", principal);
    const context = contextOf(given, principal);
    const complete = completerOf(live, given);
    const key = c.req.header("idempotency-key");
    const run = async (abortSignal: AbortSignal, onProgress?: (progress: Progress) => void) => {
      const work = { live, given, start, context: { ...context, abortSignal, onProgress } };
      if (key === undefined || !("tool" in given)) return complete(await outcomeOf(work));
      const request = { key, owner: `${principal.name}\n${context.userId ?? ""}`, request: ["call", given] };
      const { answer: outcome, isFirst } = await live.answers.once(request, keyedCall(work, given.tool));
      if (!isFirst) c.env.outgoing.setHeader("idempotent-replayed", "true");
      return complete(outcome as unknown as ToolOutcome);
    };
    // A call with an idempotency key does not stop when its client goes, because the client can ask for the answer again.
    const signal = key === undefined ? c.env.signal : c.env.withdrawn;
    if (!wantsStream(c)) return answerJson(c, asJson(await run(signal)));
    // An event stream has no schema here. Its last event is the same outcome.
    return answerStream(c, async (send) => {
      const data = await run(signal, (progress) => send("progress", progress));
      return { event: "outcome", data };
    }) as unknown as ReturnType<typeof answerJson<z.output<typeof outcomeSchema>>>;
  };
  return createRoutes()
    .openapi(call, async (c) => {
      const given = c.req.valid("json");
      const request = { id: given.id, name: given.tool, arguments: given.arguments };
      return await answer(c, given, ({ host }, context) => host.call(request, context));
    })
    .openapi(resume, async (c) => {
      const given = c.req.valid("json");
      const { ticket, clientResult } = given;
      return await answer(c, given, ({ host }, context) => host.resume(ticket, context, clientResult));
    });
}

interface Work {
  readonly live: LiveHost;
  readonly given: Given;
  readonly start: Start;
  readonly context: CallContext;
}

async function outcomeOf({ live, given, start, context }: Work): Promise<ToolOutcome> {
  const outcome = await start(live, context).catch((thrown: unknown) => {
    throw isToolInterrupt(thrown) ? interrupted(given, thrown) : thrown;
  });
  const waitMs = given.waitMs ?? 0;
  // Without an approver, the ticket comes only with the outcome. Another server needs it before a person answers, so it is
  // reported now.
  if (waitMs > 0 && outcome.status === "pending" && outcome.ticket !== undefined)
    await context.onQuestion?.(outcome.ticket);
  const last = await resumeWhenDecided(live, outcome, context, waitMs);
  const { callId, ticket, status, result } = last;
  const isKept = "background" in given && given.background === true && status === "pending";
  if (isKept && result.code === "PENDING" && ticket !== undefined)
    await live.background.keep({ callId, ticket }, context);
  return last;
}

/**
 * Returns the work of a call with an idempotency key. If the server crashed during the call, a call that asked is resumed with
 * its ticket, and a tool that may run twice runs again. Any other call may have run. It is not run again, and its outcome is
 * `unknown`.
 */
function keyedCall(work: Work, tool: string): KeyedWork<Json> {
  const { live, context, given } = work;
  const withTicket = (keep: (note: Json) => Promise<void>) => ({
    ...work,
    context: { ...context, onQuestion: (ticket: string) => keep(ticket) },
  });
  return {
    run: async (keep) => plain(await outcomeOf(withTicket(keep))),
    async recover(ticket, keep) {
      const start: Start = (_, own) => live.host.resume(ticket as string, own);
      if (ticket !== null) return plain(requireOwn(await outcomeOf({ ...work, start })));
      const known = live.host.tools({ includeDeprecated: true }).find(({ name }) => name === tool);
      if (known === undefined || known.idempotent || known.category === "read")
        return plain(await outcomeOf(withTicket(keep)));
      return plain(unknownOutcome(tool, "id" in given ? given.id : undefined, context));
    },
  };
}

function unknownOutcome(
  tool: string,
  id: string | undefined,
  { sessionId, userId }: CallContext,
): ToolOutcome {
  const { code, message } = new ToolmountError("OUTCOME_UNKNOWN", { tool });
  const runId = randomUUID();
  const result = { tool, fetchedAt: "", error: message, code };
  const facts = { ...(sessionId !== undefined && { sessionId }), ...(userId !== undefined && { userId }) };
  return { callId: id ?? runId, runId, tool, status: "unknown", result, durationMs: 0, ...facts };
}

/** Throws `IDEMPOTENCY_KEY_BUSY` as long as the call still belongs to the server that was killed. */
function requireOwn(outcome: ToolOutcome): ToolOutcome {
  const { waitsFor } = (outcome.result.details ?? {}) as { readonly waitsFor?: string };
  if (outcome.status === "pending" && waitsFor === "run")
    throw new HttpError("IDEMPOTENCY_KEY_BUSY", { seconds: 1 });
  return outcome;
}

function plain(outcome: ToolOutcome): Json {
  return JSON.parse(JSON.stringify(outcome)) as Json;
}

/**
 * Returns the error for a call that its tool interrupted. An interrupt asks a program to stop, which has no meaning for a
 * request.
 */
function interrupted(given: Given, cause: unknown): ToolmountError {
  return new ToolmountError("INTERRUPTED", { tool: "tool" in given ? given.tool : "the call" }, { cause });
}

/**
 * Returns a function that adds the text for a model to an outcome, if the request wants that. Throws `NOT_SERVED` before the call
 * if the host cannot do it.
 */
function completerOf(
  { modelText, journal }: LiveHost,
  given: Given,
): (outcome: ToolOutcome) => ToolOutcome & { readonly modelText?: string } {
  if (given.modelText !== true) return (outcome) => outcome;
  if (modelText === undefined) throw new HttpError("NOT_SERVED", { what: "text for a model" });
  return (outcome) => {
    const denier = journal.get(outcome.runId)?.phase === "approve" ? "person" : "hook";
    return { ...outcome, modelText: modelText(outcome, denier) };
  };
}

function contextOf(given: Given, principal: Principal): CallContext {
  const { conversationId, turnId, mode, prompts, traceparent } = given;
  const userId = userOfCall(principal, given.userId);
  return {
    sessionId: ownSession(userId, given.sessionId),
    conversationId,
    turnId,
    mode,
    prompts,
    traceparent,
    userId,
  };
}

/** Returns the outcome with the type of its schema, which does not name all members. */
function asJson(outcome: ToolOutcome): z.output<typeof outcomeSchema> {
  return outcome as unknown as z.output<typeof outcomeSchema>;
}

/**
 * Answers 200 with JSON, which is written to the connection itself. `c.json` would create a `Response` with a stream as its body.
 * Reading this stream again would take a tenth of a call's processor time.
 */
function answerJson<Body extends object>(
  c: Context<RouteEnv>,
  body: Body,
): Response & TypedResponse<JSONParsed<Body>, 200, "json"> {
  const text = JSON.stringify(body);
  c.env.outgoing.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  c.env.outgoing.end(text);
  return RESPONSE_ALREADY_SENT as ReturnType<typeof answerJson<Body>>;
}
