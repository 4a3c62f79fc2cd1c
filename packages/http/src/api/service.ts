import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { HttpBindings } from "@hono/node-server";
import type { Clock, Logger } from "@toolmount/core";
import type { Principal } from "../access/principal.ts";
import { truncateText } from "@toolmount/core/text";
import { HttpError } from "../fault/http-error.ts";
import type { ApprovalWatch } from "../journal/approval-watch.ts";
import type { CallHistory } from "../journal/call-history.ts";
import type { CallsElsewhere } from "../work/calls-elsewhere.ts";
import type { CallJournal } from "../journal/call-journal.ts";
import type { Metrics } from "../journal/metrics.ts";
import type { ServedHost } from "../served-host.ts";
import type { BackgroundCalls } from "../work/background-calls.ts";
import type { EventLog } from "../work/event-log.ts";
import type { Replicas } from "../work/replicas.ts";
import type { FirstAnswers } from "../work/first-answers.ts";
import type { QuestionReports } from "../work/question-reports.ts";
import type { ServerTurns } from "../work/server-turns.ts";
import { errorSchema } from "./schemas.ts";

/** A served host, with the parts that the HTTP server adds to it. */
export interface LiveHost extends ServedHost {
  readonly name: string;
  readonly journal: CallJournal;
  readonly history: CallHistory;
  /** Calls that run at other servers of the same plan. */
  readonly elsewhere: CallsElsewhere;
  readonly watch: ApprovalWatch;
  /** The events that clients of the host get in a stream. */
  readonly events: EventLog;
  /** The turns that this server runs; absent for a plan without a model. */
  readonly work: ServerTurns | undefined;
  /** Keeps the first answer to each idempotency key. */
  readonly answers: FirstAnswers;
  /** Calls that this server resumes when they are approved, even if their clients have gone. */
  readonly background: BackgroundCalls;
  /** The servers that share the plan and its store. */
  readonly replicas: Replicas;
  /** Reports the host's questions to a webhook; absent if none is set. */
  readonly reports: QuestionReports | undefined;
}

/** The parts that all routes share. */
export interface Service {
  readonly hosts: ReadonlyMap<string, LiveHost>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  /**
   * Returns the address of this server for people and clients, without a slash at its end. It is the public address or, without
   * one, that in the Host header.
   */
  readonly baseOf: (host: string | undefined) => string;
  /** Aborted when the server ends: streams close, and no new work starts. */
  readonly ending: AbortSignal;
  /** Counts a decision of the principal. Throws `RATE_LIMITED` if there are too many. */
  countDecision(principal: Principal): void;
}

/** Who sent a request whose token was checked. The token itself is not passed on to routes. */
export interface Admitted {
  readonly principal: Principal;
  /** Aborts when the token is no longer valid, or when the time for running work is over after the server began to end. */
  readonly withdrawn: AbortSignal;
  /** Aborts with `withdrawn`, and also when the client closes the connection before the answer. */
  readonly signal: AbortSignal;
}

/** What a route gets besides the request: the connection and the sender. */
export interface RouteEnv {
  Bindings: HttpBindings & Admitted;
}

/** Creates an app for routes. A request that does not match its schema gets the error `REQUEST_INVALID`. */
export function createRoutes(): OpenAPIHono<RouteEnv> {
  return new OpenAPIHono<RouteEnv>({
    defaultHook: (result) => {
      if (!result.success)
        throw new HttpError("REQUEST_INVALID", {
          problem: truncateText(z.prettifyError(result.error), 2_000),
        });
    },
  });
}

/** The path parameter of a host. */
export const hostParam = z.object({
  host: z
    .string()
    .max(128)
    .openapi({ param: { name: "host", in: "path" }, example: "default" }),
});

/**
 * Returns the host that a request names. Throws `NOT_FOUND` if the server has no host of this name. It throws the same if the
 * token may not use the host, so that its caller does not learn that the host exists.
 */
export function hostOf({ hosts }: Service, name: string, principal: Principal): LiveHost {
  const host = principal.hosts === null || principal.hosts.has(name) ? hosts.get(name) : undefined;
  if (host === undefined) throw new HttpError("NOT_FOUND", { what: `host ${JSON.stringify(name)}` });
  return host;
}

/** Throws `DRAINING` if the server is ending. */
export function requireOpen({ ending }: Service): void {
  if (ending.aborted) throw new HttpError("DRAINING", {});
}

const problem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: errorSchema } },
});

const problemLater = (description: string) => ({
  ...problem(description),
  headers: z.object({ "retry-after": z.string().optional().describe("Seconds") }),
});

/** Responses that every route can have in addition to its own. */
export const failures = {
  400: problem("The request is not valid"),
  401: problem("There is no valid token"),
  403: problem("The token may not do that"),
  404: problem("There is no such thing"),
  409: problemLater("Something else has it, or was first"),
  413: problem("The body is too large"),
  415: problem("The body is not JSON"),
  422: problem("The host refuses the request"),
  429: problemLater("Too many requests"),
  500: problem("The server failed"),
  501: problem("This host has no such part"),
  503: problem("The server is ending, or its store cannot be reached"),
} as const;

/** The header that makes a request repeatable: its first answer is kept for 24 hours. */
export const keyHeader = z.object({
  "idempotency-key": z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      "A new text for each piece of work. Sent again, it returns the first answer, and nothing happens twice",
    ),
});

/** Describes a response with a JSON body. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** Describes a JSON body of a request, which is required. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema } } };
}
