import type { CallContext, CallRequest } from "../contract/context.ts";
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

/** Replaces the request and the context of a call that has failed by readable ones. Returns their problem. */
export function makeReadable(call: Call): string | null {
  const { request, context, problem } = readRequest(call.request, call.given);
  call.request = request;
  if (problem === null) return null;
  call.given = context;
  return problem;
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
