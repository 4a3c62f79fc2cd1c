import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A call that the model makes. Its arguments are text, as a model writes them. */
interface ScriptedCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
}

/** The model's answers to the requests that follow one message of the user: calls, or its last text. */
export type Script = readonly (readonly ScriptedCall[] | string)[];

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
}

/**
 * An OpenAI Chat Completions server on loopback that answers from scripts, chosen by the user's last message. It keeps no state:
 * the request itself shows which answer is next, so a host may ask again, resume, or ask from another process.
 */
export class ModelServer {
  #next = 1;
  readonly #scripts = new Map<string, Script>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Sets the model's answers after a message that contains this text. */
  script(message: string, script: Script): void {
    this.#scripts.set(message, script);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { messages: Message[]; stream?: boolean };
    const step = this.#stepOf(body.messages);
    const message =
      typeof step === "string"
        ? { role: "assistant", content: step }
        : { role: "assistant", content: null, tool_calls: step.map(callOf) };
    const reason = typeof step === "string" ? "stop" : "tool_calls";
    const head = headOf(`chatcmpl-${this.#next++}`);
    if (body.stream === true) return sendStream(response, head, message, reason);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...head, choices: [{ index: 0, message, finish_reason: reason }], usage }));
  }

  /** Returns the next step: its index is the number of the model's answers since the last message that has a script. */
  #stepOf(messages: readonly Message[]): readonly ScriptedCall[] | string {
    const at = messages.findLastIndex(
      ({ role, content }) => role === "user" && this.#keyOf(content) !== undefined,
    );
    const key = this.#keyOf(messages[at]?.content);
    const answered = messages.slice(at + 1).filter(({ role }) => role === "assistant").length;
    return this.#scripts.get(key ?? "")?.[answered] ?? "Done.";
  }

  /** Returns the script's message that comes last in a content. A sub-agent may get the conversation before its task. */
  #keyOf(content: unknown): string | undefined {
    const text = JSON.stringify(content ?? "");
    const found = [...this.#scripts.keys()].filter((key) => text.includes(key));
    return found.toSorted((a, b) => text.lastIndexOf(a) - text.lastIndexOf(b)).at(-1);
  }
}

/** Makes the common part of an answer. Each answer has its own id, because some hosts keep one message for each id. */
const headOf = (id: string) => ({ id, object: "chat.completion", created: 1, model: "m" });
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function callOf({ id, tool, arguments: text }: ScriptedCall) {
  return { id, type: "function", function: { name: tool, arguments: text } };
}

function sendStream(
  response: ServerResponse,
  head: object,
  message: { content: string | null; tool_calls?: object[] },
  reason: string,
): void {
  response.setHeader("content-type", "text/event-stream");
  const send = (delta: object, finish: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const chunk = { ...head, object: "chat.completion.chunk", choices };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  send({ role: "assistant", content: message.content });
  // Each call has its own chunk, as from OpenAI, because some hosts read only one call of a chunk.
  for (const [index, call] of (message.tool_calls ?? []).entries())
    send({ tool_calls: [{ index, ...call }] });
  send({}, reason);
  response.write(
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}
