import type { CallContext, CallRequest } from "../contract/context.ts";
import { meter } from "../json/meter.ts";
import type { Call } from "./call.ts";
import { emptyContext } from "./tool-events.ts";

/** Reads a request and a context whose members may throw. What cannot be read is left out; the first such is the problem. */
export function readRequest(request: unknown, context: unknown) {
  const given = readMembers(request, "the request");
  const { name, id } = given.members;
  const around = readMembers(context, "the context");
  const problem =
    given.problem ??
    (id === undefined || typeof id === "string" ? null : "the id of the call is not a text") ??
    around.problem ??
    idProblem(around.members);
  const readable: CallRequest = {
    ...given.members,
    name: textOf(name),
    id: typeof id === "string" ? id : undefined,
  };
  const readableContext: CallContext = problem === null ? around.members : emptyContext;
  return { request: readable, context: readableContext, problem };
}

/** Takes the arguments that are not read out of the request. */
export function dropArguments(call: Call): void {
  const { arguments: _, ...rest } = call.request;
  call.request = rest;
}

/** Replaces the request and the context of a call that has failed by readable ones. Returns their problem. */
export function makeReadable(call: Call): string | null {
  const { request, context, problem } = readRequest(call.request, call.given);
  call.request = request;
  if (typeof call.callId !== "string") call.callId = call.runId;
  if (problem === null) return null;
  call.given = context;
  return problem;
}

/** Longest text of a member, and most members, that need no measuring; together they are below this size. */
const smallText = 1_024;
const fewMembers = 32;
const smallBytes = 65_536;

/** Whether arguments are few short scalars, as those of most calls are. To measure these, too, takes 5 % of a call. */
export function areSmall(given: unknown, maxBytes: number): boolean {
  if (typeof given === "string") return given.length * 3 <= maxBytes;
  if (typeof given !== "object" || given === null) return true;
  if (maxBytes < smallBytes) return false;
  let members = 0;
  try {
    for (const key in given) {
      const member = (given as Record<string, unknown>)[key];
      if (typeof member === "string" ? member.length > smallText : typeof member === "object") return false;
      if (++members > fewMembers) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Says why arguments are not read at all: they are too large, nested too deep, or cannot be read. Null for all others.
 * A call without this check would hand them to its observers, its journal and its traces, which walk them.
 */
export function argumentsProblem(given: unknown, maxBytes: number): string | null {
  try {
    const problem = typeof given === "string" ? textProblem(given, maxBytes) : meter(given, maxBytes);
    return problem === null ? null : `the arguments are ${problem}`;
  } catch {
    return "the arguments cannot be read";
  }
}

function textProblem(text: string, maxBytes: number): string | null {
  const isLonger =
    text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);
  return isLonger ? `larger than ${maxBytes} bytes` : null;
}

/** A name that is not a text, as a text: no tool has it. */
function textOf(name: unknown): string {
  try {
    return String(name).slice(0, 200);
  } catch {
    return "";
  }
}

/** Says which id of a context is not a text; null when all are. Every call runs this, so it has no loop over the names. */
export function idProblem(context: Readonly<Record<string, unknown>> | CallContext): string | null {
  if (context === emptyContext) return null;
  const { sessionId, conversationId, turnId, userId } = context;
  if (!isIdOrAbsent(sessionId)) return notText("sessionId");
  if (!isIdOrAbsent(conversationId)) return notText("conversationId");
  if (!isIdOrAbsent(turnId)) return notText("turnId");
  return isIdOrAbsent(userId) ? null : notText("userId");
}

function isIdOrAbsent(id: unknown): boolean {
  return id === undefined || typeof id === "string";
}

const notText = (key: string) => `the ${key} of the context is not a text`;

function readMembers(
  value: unknown,
  what: string,
): { members: Record<string, unknown>; problem: string | null } {
  try {
    if (typeof value === "object" && value !== null) return { members: { ...value }, problem: null };
    return { members: {}, problem: `${what} is not an object` };
  } catch {
    return { members: {}, problem: `${what} cannot be read` };
  }
}
