import { setImmediate } from "node:timers/promises";
import { createRoute, z } from "@hono/zod-openapi";
import type { PastCall, PastCallFilter } from "@toolmount/core";
import { searchProblem } from "@toolmount/core/record";
import { sessionNamed } from "./sessions/own-session.ts";
import { visibleUser, type Principal } from "../access/principal.ts";
import { HttpError } from "../fault/http-error.ts";
import type { CallHistory } from "../journal/call-history.ts";
import type { CallDetails } from "../journal/call-record.ts";
import { callRecordSchema, callSummarySchema, nullableText } from "./schemas.ts";
import { createRoutes, failures, hostOf, hostParam, json, type LiveHost, type Service } from "./service.ts";

const time = z.coerce.number().int().min(0).optional();

/** The filter with which a client asks for calls. */
export const callQuery = z.object({
  session: z.string().optional(),
  user: z.string().optional(),
  tool: z.string().optional(),
  status: z.string().optional(),
  code: z.string().optional(),
  callId: z.string().optional(),
  from: time.describe("Only calls that started then or later; milliseconds since the epoch"),
  to: time.describe("Only calls that started before"),
  text: z
    .string()
    .max(1_000)
    .superRefine((text, context) => {
      const problem = searchProblem(text);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    })
    .optional()
    .describe(
      "Words of arguments, result or error, all of them, at most 64; `order*` is each word with that beginning, at most 2 of them; `invoices/` is a folder in a path of the arguments",
    ),
});

const list = createRoute({
  method: "get",
  path: "/hosts/{host}/calls",
  operationId: "listCalls",
  tags: ["Calls"],
  summary: "List the newest calls",
  request: {
    params: hostParam,
    query: callQuery.extend({
      since: z.coerce
        .number()
        .int()
        .min(0)
        .optional()
        .describe("Only calls of this process that changed after this `change`"),
      after: z.string().max(1_024).optional().describe("`next` of the page before"),
      limit: z.coerce.number().int().min(1).max(10_000).default(200),
    }),
  },
  responses: {
    200: json(
      z.object({
        calls: z.array(callSummarySchema),
        next: nullableText.describe("Reads the next page with `after`; null for the last one"),
      }),
      "Newest first",
    ),
    ...failures,
  },
});

const formats = { csv: "text/csv", jsonl: "application/jsonl", ocsf: "application/jsonl" } as const;

const exported = createRoute({
  method: "get",
  path: "/hosts/{host}/calls/export",
  operationId: "exportCalls",
  tags: ["Calls"],
  summary: "Read all calls of the audit as lines, oldest first",
  request: {
    params: hostParam,
    query: callQuery.extend({ format: z.enum(["csv", "jsonl", "ocsf"]).default("jsonl") }),
  },
  responses: {
    200: {
      description: "A stream of lines: CSV, records of the audit, or events of OCSF",
      content: { "text/csv": { schema: z.string() }, "application/jsonl": { schema: z.string() } },
    },
    ...failures,
  },
});

const show = createRoute({
  method: "get",
  path: "/hosts/{host}/calls/{runId}",
  operationId: "showCall",
  tags: ["Calls"],
  summary: "Show one call with its steps",
  request: { params: hostParam.extend({ runId: z.string() }) },
  responses: { 200: json(callRecordSchema, "The call; secrets are masked"), ...failures },
});

/** A program that a call ran, line by line, with the calls that each line made. */
export const programSchema = z
  .object({
    lines: z.array(
      z.object({
        line: z.number().nullable().describe("From 1; null for calls of which no line is known"),
        code: z.string(),
        isNow: z.boolean().describe("The program has come here, and waits for the end of a call"),
        calls: z.array(callSummarySchema).describe("In the order in which they began"),
      }),
    ),
    isCut: z
      .boolean()
      .describe("Only the beginning of the source is known; of later lines there are those that made calls"),
    hasMore: z.boolean().describe("It made more than 1,000 calls; the newest are here"),
    omitsReads: z.boolean().describe("The audit leaves out the calls of tools that only read"),
  })
  .openapi("Program");

const program = createRoute({
  method: "get",
  path: "/hosts/{host}/calls/{runId}/program",
  operationId: "showProgram",
  tags: ["Calls"],
  summary: "Show the program that a call ran, with its calls",
  request: { params: hostParam.extend({ runId: z.string() }) },
  responses: { 200: json(programSchema, "The source, line by line; secrets are masked"), ...failures },
});

/** Creates the routes of a host's calls: a page of calls, one call with its steps, its program, and an export of all calls. */
export function historyRoutes(service: Service) {
  return createRoutes()
    .openapi(list, async (c) => {
      const live = hostOf(service, c.req.valid("param").host, c.env.principal);
      const { journal, history } = live;
      const { since, after, limit, ...query } = c.req.valid("query");
      const filter = { ...(await filterOf(query, live, c.env.principal)), limit };
      if (since !== undefined)
        return c.json({ calls: [...journal.list({ ...filter, changedAfter: since })], next: null }, 200);
      const { calls, hasMore } = await history.list({ ...filter, after: readCursor(after) });
      return c.json({ calls: [...calls], next: hasMore ? cursorOf(calls.at(-1)) : null }, 200);
    })
    .openapi(exported, async (c) => {
      const live = hostOf(service, c.req.valid("param").host, c.env.principal);
      const { exportCalls } = live;
      const { format, ...query } = c.req.valid("query");
      const filter = await filterOf(query, live, c.env.principal);
      if (exportCalls === undefined) throw new HttpError("NOT_SERVED", { what: "exports of calls" });
      const lines = exportCalls(format, filter);
      return c.body(streamOf(lines, c.env.signal), 200, {
        "content-type": `${formats[format]}; charset=utf-8`,
      });
    })
    .openapi(show, async (c) => {
      const { host, runId } = c.req.valid("param");
      const { history } = hostOf(service, host, c.env.principal);
      const found = await findVisible(history, runId, c.env.principal);
      return c.json(found as unknown as z.output<typeof callRecordSchema>, 200);
    })
    .openapi(program, async (c) => {
      const { host, runId } = c.req.valid("param");
      const { history } = hostOf(service, host, c.env.principal);
      await findVisible(history, runId, c.env.principal);
      const found = await history.program(runId);
      if (found === null)
        throw new HttpError("NOT_FOUND", { what: `program of call ${JSON.stringify(runId)}` });
      return c.json(found as unknown as z.output<typeof programSchema>, 200);
    });
}

/** Returns the details of a call that the token may see. Throws `NOT_FOUND` for any other call. */
async function findVisible(history: CallHistory, runId: string, principal: Principal): Promise<CallDetails> {
  const user = visibleUser(principal);
  const found = await history.get(runId);
  if (found === null || (user !== null && found.userId !== user))
    throw new HttpError("NOT_FOUND", { what: `call ${JSON.stringify(runId)}` });
  return found;
}

/**
 * After how many lines other work can run. Lines of a page are already in memory, so reading them does not let other work run.
 */
const linesAtOnce = 50;

/** Converts lines to the body of a response. A line is read only when the client takes it, and none after the client has gone. */
function streamOf(lines: AsyncIterable<string>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = lines[Symbol.asyncIterator]();
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      if (++sent % linesAtOnce === 0) await setImmediate();
      const { value, done } = signal.aborted ? { value: "", done: true } : await iterator.next();
      if (done === true) return controller.close();
      controller.enqueue(encoder.encode(`${value}\n`));
    },
    cancel: async () => void (await iterator.return?.()),
  });
}

/**
 * Returns a filter for those calls that a client asks for and that its token may see. Throws `FORBIDDEN` if it asks for another
 * user's calls.
 */
export async function filterOf(
  { session, user, from, to, ...same }: z.output<typeof callQuery>,
  live: LiveHost,
  principal: Principal,
): Promise<Omit<PastCallFilter, "limit">> {
  const own = visibleUser(principal);
  if (own !== null && user !== undefined && user !== own)
    throw new HttpError("FORBIDDEN", { problem: "the calls of other users are not shown to this token" });
  const sessionId = session && (await sessionNamed(live, { name: session, principal, userId: user }));
  return { ...same, sessionId, userId: own ?? user, since: from, until: to };
}

/**
 * Returns a text for the place after the last call of a page, which the client sends to get the next page. Null for an empty
 * page.
 */
function cursorOf(last: Pick<PastCall, "startedAt" | "runId"> | undefined): string | null {
  return last === undefined ? null : `${last.startedAt}.${last.runId}`;
}

/** Reads a cursor; undefined without one. Throws `REQUEST_INVALID` for a text that is no cursor. */
function readCursor(text: string | undefined): PastCallFilter["after"] {
  if (text === undefined) return undefined;
  const [, startedAt, runId = ""] = /^(\d{1,15})\.(.+)$/s.exec(text) ?? [];
  if (startedAt === undefined)
    throw new HttpError("REQUEST_INVALID", { problem: "after: it is no `next` of a page" });
  return { startedAt: Number(startedAt), runId };
}
