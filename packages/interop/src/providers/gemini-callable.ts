import { randomUUID } from "node:crypto";
import type { ToolInfo } from "@toolmount/core";
import { isRecord, readText } from "../schema/guards.ts";
import { AgentCalls, type AgentContext, type AgentHost } from "./agent-calls.ts";
import { toGemini, type GeminiData, type GeminiFunction, type GeminiResponse } from "./gemini.ts";

/** A call by Gemini, in the form in which its client passes it to a callable tool. */
export interface GeminiCall {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** A callable tool for Gemini's client, for `config.tools` of `generateContent`. */
export interface GeminiCallable {
  tool(): Promise<{ functionDeclarations: GeminiFunction[] }>;
  callTool(calls: readonly GeminiCall[]): Promise<(GeminiResponse | GeminiData)[]>;
  /**
   * Runs the calls that waited for a person. `contents` is the response's history (`automaticFunctionCallingHistory`). Resolves
   * to the contents up to the results of these calls, with the results filled in. Resolves to null if a call still waits, or if
   * none waited.
   */
  resume<Content extends object>(contents: readonly Content[]): Promise<Content[] | null>;
}

/**
 * Returns tools of a host for Gemini's automatic function calling. A failed call is an error for the model. Gemini's client has
 * no approvals: the model reads that a call waits, and ends its turn; `resume` continues later, even in another process.
 */
export function toGeminiCallable(
  host: AgentHost,
  infos: readonly Pick<ToolInfo, "name" | "description" | "inputSchema">[],
  context: AgentContext = {},
): GeminiCallable {
  const calls = new AgentCalls(host, context);
  const exported = toGemini(infos);
  const run = async (functionCall: GeminiCall, id: string): Promise<Answered> => {
    const request = exported.readCall({ functionCall });
    const outcome = await calls.run({ ...request, id });
    const [{ functionResponse }, ...beside] = exported.writeParts(outcome);
    const { id: _made, ...rest } = functionResponse;
    const named = functionCall.id === undefined ? rest : { ...rest, id: functionCall.id };
    if (outcome.status !== "pending") return { response: { functionResponse: named }, beside };
    // Gemini may not give ids, so the result itself says which call waits.
    const error = readText(outcome.result.error);
    return { response: { functionResponse: { ...named, response: { error, waitingCall: id } } }, beside: [] };
  };
  return {
    tool: async () => exported.tools[0],
    callTool: async (made) =>
      partsFor(await Promise.all(made.map((call) => run(call, call.id ?? randomUUID())))),
    resume: (contents) => resumeContents(contents, run, (id) => calls.questions.isOpen(id)),
  };
}

/** The answer to a call: the part with its response, and parts with its images and files. */
interface Answered {
  readonly response: GeminiResponse;
  readonly beside: readonly GeminiData[];
}

/** Returns the parts of answers, with images and files after all responses. */
function partsFor(answered: readonly Answered[]): (GeminiResponse | GeminiData)[] {
  return [...answered.map(({ response }) => response), ...answered.flatMap(({ beside }) => beside)];
}

/**
 * Runs the waiting calls. If a question is open, none of them runs, because the contents cannot hold only some of the results.
 */
async function resumeContents<Content extends object>(
  contents: readonly Content[],
  run: (call: GeminiCall, id: string) => Promise<Answered>,
  isOpen: (id: string) => Promise<boolean>,
): Promise<Content[] | null> {
  const at = contents.findIndex((content) => partsOf(content).some((part) => waitingId(part) !== null));
  if (at < 1) return null;
  const made = partsOf(contents[at - 1]!).flatMap(({ functionCall }) =>
    isRecord(functionCall) ? [functionCall] : [],
  );
  const given = partsOf(contents[at]!);
  const responses = given.filter(({ functionResponse }) => functionResponse !== undefined);
  for (const id of responses.map(waitingId)) if (id !== null && (await isOpen(id))) return null;
  const parts = await Promise.all(
    responses.map(async (part, index) => {
      const id = waitingId(part);
      return id === null ? [part] : partsFor([await run(made[index] as GeminiCall, id)]);
    }),
  );
  const answers = parts.map(([answer]) => answer!);
  if (answers.some((part) => waitingId({ ...part }) !== null)) return null;
  const beside = parts.flatMap(([, ...more]) => more);
  const others = given.filter(({ functionResponse }) => functionResponse === undefined);
  return [...contents.slice(0, at), { ...contents[at]!, parts: [...answers, ...others, ...beside] }];
}

function partsOf(content: object): readonly Readonly<Record<string, unknown>>[] {
  const { parts } = content as { readonly parts?: unknown };
  return Array.isArray(parts) ? parts.filter(isRecord) : [];
}

function waitingId({ functionResponse }: Readonly<Record<string, unknown>>): string | null {
  const response = isRecord(functionResponse) ? functionResponse["response"] : undefined;
  return isRecord(response) && response["waitingCall"] !== undefined
    ? readText(response["waitingCall"])
    : null;
}
