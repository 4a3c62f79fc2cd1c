import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { say } from "./exchange.ts";

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: unknown;
}

/** What the model answers to a prompt: the items of each request of the turn. */
export type Script = Readonly<Record<string, readonly (readonly Item[])[]>>;

/** A model server on loopback that streams a script. It finds its answer by the prompt, so turns may overlap. */
export async function startModel(script: Script): Promise<string> {
  const server = createServer((request, response) => {
    // A client that was killed does not read its answer.
    answer(request, response, script).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function answer(request: IncomingMessage, response: ServerResponse, script: Script): Promise<void> {
  const { input, stream } = (await json(request)) as { input: readonly Item[]; stream?: boolean };
  const output = outputOf(input, script);
  const usage = { input_tokens: 900 + 40 * input.length, output_tokens: 30 };
  const whole = { id: `r${input.length}`, status: "completed", model: "scripted", output, usage };
  if (stream === true) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of [...deltasOf(output), { type: "response.completed", response: whole }])
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  } else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
}

/** The answer after those whose calls the conversation has already. */
function outputOf(input: readonly Item[], script: Script): readonly Item[] {
  const at = input.findLastIndex(({ role }) => role === "user");
  const prompt = textOf(input[at]?.content);
  const answers = script[prompt] ?? [[say(`There is no script for: ${prompt}`)]];
  let calls = input.slice(at).filter(isCall).length;
  let next = 0;
  for (; calls > 0; next++) calls -= answers[next]?.filter(isCall).length ?? calls;
  return answers[next] ?? [say("The script has ended.")];
}

function deltasOf(output: readonly Item[]): object[] {
  return output.flatMap((item, index) => {
    const words = textOf(item.content).split(/(?<= )/);
    return words.map((delta) => ({ type: "response.output_text.delta", output_index: index, delta }));
  });
}

function isCall({ type }: Item): boolean {
  return type === "function_call";
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = (content ?? []) as readonly { readonly text?: string }[];
  return parts.map(({ text = "" }) => text).join("");
}
