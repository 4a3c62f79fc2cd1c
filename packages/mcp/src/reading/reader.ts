import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isRecord, requireNarrow } from "@toolmount/core/json";
import { setNewest } from "../wire/kept-work.ts";
import { tooLarge } from "../wire/message-size.ts";
import { readCallResult } from "./content.ts";
import { depthProblem, idIn, parse } from "./members.ts";
import { asking, mayBeEmpty, readError, readParams, readResult } from "./results.ts";
import type { Note } from "../wire/shapes.ts";

type Id = string | number;

/** Key of `_meta` under which the result of a call passes the SDK's schemas unchanged; {@link callResultOf} reads it. */
const resultKey = "dev.toolmount/result";

/**
 * Key of `_meta` for the task that a call of 2026 returned, because the SDK refuses results of a type that it does not know.
 */
export const taskKey = "dev.toolmount/task";

/** Key of `_meta` for the sentences about how a result was read. */
const notesKey = "dev.toolmount/notes";

/** Key in an error's data for the answer of a server that is not a message of the protocol. */
const unreadableKey = "dev.toolmount/unreadable";

/** Methods whose answer is the result of a call. */
const ofCalls: ReadonlySet<string | undefined> = new Set(["tools/call", "tasks/result"]);

/** Longest part of an unreadable answer that is passed on, in characters. */
export const maxQuoted = 2_000;

/**
 * Maximum number of requests of one connection that are remembered while they wait, and of those that were cancelled, because a
 * server may never answer.
 */
const mostAsked = 10_000;
const mostCancelled = 1_000;

/**
 * Reads what a server sends before the SDK does, and turns it into messages that the SDK accepts. Each answer is paired with
 * its request, whatever form its id has.
 */
export class WireReader {
  readonly #asked = new Map<Id, string>();
  readonly #cancelled = new Map<Id, string>();
  readonly #note: Note;
  readonly #onLateTask: (taskId: string) => void;
  #isLegacy = false;
  /** The lines so far of a message that the server prints over several lines. */
  #begun = "";

  /**
   * `note` gets one sentence about each member that was not taken as it is. `onLateTask` gets the task in an answer that came
   * after its call was cancelled, because the SDK drops that answer.
   */
  constructor(note: Note, onLateTask: (taskId: string) => void = () => {}) {
    this.#note = note;
    this.#onLateTask = onLateTask;
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    const { method, params } = message;
    if (method === "notifications/cancelled") this.#cancel(params?.["requestId"] as Id);
    if (!("id" in message)) return;
    if (method === "initialize") this.#isLegacy = true;
    setNewest(this.#asked, message.id, method, mostAsked);
  }

  isUnanswered(method: string): boolean {
    return [...this.#asked.values(), ...this.#cancelled.values()].includes(method);
  }

  #cancel(id: Id): void {
    setNewest(this.#cancelled, id, this.#asked.get(id) ?? "", mostCancelled);
    this.#asked.delete(id);
  }

  /** Returns the messages of a line: none if it begins or continues a longer message, undefined if it belongs to no message. */
  readLine(line: string): readonly JSONRPCMessage[] | undefined {
    const messages = this.read(line);
    if (messages.length > 0) this.#begun = "";
    if (messages.length > 0) return messages;
    const broken = this.#begun === "" ? this.#brokenAnswer(line) : undefined;
    if (broken !== undefined) return [broken];
    if (this.#begun === "" && !/^[{[]\s*$/.test(line)) return undefined;
    this.#begun += `${line}\n`;
    if (!/^[}\]]/.test(line)) return [];
    const whole = this.read(this.#begun);
    this.#begun = "";
    return whole.length > 0 ? whole : undefined;
  }

  /**
   * Returns the messages in a text; an empty list if it has none. `id` is that of the request that the text answers, if it is
   * known.
   */
  read(text: string, id?: Id): readonly JSONRPCMessage[] {
    requireNarrow(text, tooLarge);
    const changed: string[] = [];
    const value = parse(text.startsWith("\uFEFF") ? text.slice(1) : text, (member) => changed.push(member));
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => (isRecord(one) ? (this.#toMessage(one, changed, id) ?? []) : []));
  }

  /**
   * Rewrites the body of an HTTP answer, or one event of a stream, so that the SDK accepts it. A text without a message stays
   * as it is.
   */
  rewrite(text: string, id?: Id): string {
    const lines = /^[\s\uFEFF]*[{[]/.test(text) ? undefined : text.split(/\r?\n/);
    if (lines === undefined) {
      const messages = this.read(text, id);
      return messages.length === 0 ? text : JSON.stringify(messages.length === 1 ? messages[0] : messages);
    }
    const [data, others] = [true, false].map((is) => lines.filter((line) => line.startsWith("data:") === is));
    const messages = this.read(data!.map((line) => line.slice("data:".length).trimStart()).join("\n"), id);
    if (messages.length === 0) return text;
    const head = others!.filter((line) => line !== "").map((line) => `${line}\n`);
    return messages.map((message) => `${head.join("")}data: ${JSON.stringify(message)}\n\n`).join("");
  }

  /** Returns an error for a line that would answer one of our requests but is not JSON, so that its call ends. */
  #brokenAnswer(line: string): JSONRPCMessage | undefined {
    if (!/^\s*\{.*"(?:result|error)"/.test(line)) return undefined;
    const id = idIn(line);
    if (id === undefined || !this.#asked.delete(id)) return undefined;
    return unreadable(id, "the server answered with a line that is not JSON", line.slice(0, maxQuoted));
  }

  #toMessage(
    { method, params, id: given, result, error, ...others }: Readonly<Record<string, unknown>>,
    changed: readonly string[],
    answers: Id | undefined,
  ): JSONRPCMessage | undefined {
    if (typeof method === "string" && result === undefined) {
      if (depthProblem(params) !== null) return undefined;
      const read = readParams(method, params, this.#note);
      const id = isId(given) ? { id: given } : {};
      return { jsonrpc: "2.0", ...id, method, ...(read !== undefined && { params: read }) };
    }
    const isError = Boolean(error);
    const isEmpty = !isError && result === undefined;
    const id = this.#pair(given, ("jsonrpc" in others && !isEmpty) || given === null, answers);
    if (id === undefined || (isEmpty && !this.#asked.has(id))) return undefined;
    const late = this.#cancelled.get(id);
    const asked = this.#asked.get(id) ?? late;
    this.#asked.delete(id);
    this.#cancelled.delete(id);
    if (isEmpty && !mayBeEmpty(asked))
      return unreadable(id, "the server's answer has no result", JSON.stringify(others).slice(0, maxQuoted));
    if (late !== undefined && isTask(result)) this.#onLateTask(String(result["taskId"]));
    // Results other than those of calls are read before their depth is checked, because reading drops the items of a list that
    // are too deep and keeps the others.
    const read = isError || ofCalls.has(asked) ? null : this.#readResult(asked, result, changed);
    const problem = depthProblem(read ?? [result, error]);
    if (problem !== null) return unreadable(id, `the server's answer is ${problem}`, "");
    if (isError) return { jsonrpc: "2.0", id, error: readError(error) };
    return { jsonrpc: "2.0", id, result: read ?? this.#readResult(asked, result, changed) };
  }

  /** Returns the id of the answered request, as it was sent. An answer without an id is for the only request that waits. */
  #pair(given: unknown, isAnswer: boolean, answers: Id | undefined): Id | undefined {
    if (given !== null && given !== undefined) {
      if (!isId(given) || this.#asked.has(given)) return isId(given) ? given : undefined;
      return [...this.#asked.keys()].find((id) => String(id) === String(given)) ?? given;
    }
    const [only, ...more] = this.#asked.keys();
    return isAnswer ? (answers ?? (more.length === 0 ? only : undefined)) : undefined;
  }

  #readResult(
    method: string | undefined,
    given: unknown,
    changed: readonly string[],
  ): Record<string, unknown> {
    if (!ofCalls.has(method))
      return {
        ...(method === undefined && isRecord(given)
          ? given
          : readResult(method ?? "", given, this.#isLegacy, this.#note)),
      };
    if (isTask(given)) {
      const { resultType: _, ...task } = given;
      return { resultType: "complete", content: [], _meta: { [taskKey]: task } };
    }
    // The SDK itself handles a request for input and a task that was started, because neither ends the call.
    if (isRecord(given) && (given["resultType"] === "input_required" || isRecord(given["task"])))
      return { ...asking(given, this.#note, this.#isLegacy) };
    const notes = changed.map(
      (member) => `${member} is a number that JavaScript would change; it is read as a text`,
    );
    const read = readCallResult(given, (sentence) => notes.push(sentence));
    const meta = { ...(read["_meta"] as object | undefined), ...(notes.length > 0 && { [notesKey]: notes }) };
    const whole = Object.keys(meta).length === 0 ? read : { ...read, _meta: meta };
    if (method === "tasks/result") return whole;
    const type = isRecord(given) && "resultType" in given ? { resultType: "complete" } : {};
    return { ...type, content: [], _meta: { [resultKey]: whole } };
  }
}

/** Returns the result of a call as it was read, from the result that the SDK returns. */
export function callResultOf<
  Result extends { readonly _meta?: Readonly<Record<string, unknown>> | undefined },
>(result: Result): Result {
  const { _meta: meta } = result;
  const read = meta?.[resultKey];
  return isRecord(read) ? (read as unknown as Result) : result;
}

/** Removes from a result the sentences about how it was read, and returns both. */
export function takeNotes<Result extends { readonly _meta?: Readonly<Record<string, unknown>> | undefined }>(
  result: Result,
): { readonly result: Result; readonly notes: readonly string[] } {
  const { _meta: meta = {}, ...others } = result;
  const { [notesKey]: notes, ..._meta } = meta;
  if (!Array.isArray(notes)) return { result, notes: [] };
  return {
    result: { ...others, ...(Object.keys(_meta).length > 0 && { _meta }) } as Result,
    notes: notes.map(String),
  };
}

/** Returns the error for a request that the server answered with something other than a message. */
export function unreadable(id: Id, problem: string, text: string): JSONRPCMessage {
  const data = { [unreadableKey]: text };
  return { jsonrpc: "2.0", id, error: { code: -32_603, message: problem, data } };
}

/** Returns what a server wrote instead of a message; undefined for an error that a message reported. */
export function unreadableText(data: unknown): string | undefined {
  const text = isRecord(data) ? data[unreadableKey] : undefined;
  return typeof text === "string" ? text : undefined;
}

function isTask(result: unknown): result is Readonly<Record<string, unknown>> {
  return isRecord(result) && result["resultType"] === "task";
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isInteger(value);
}
