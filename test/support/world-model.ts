import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Host } from "@toolmount/core";
import { config, createReasoner, settingsOf, type Reasoner } from "@toolmount/reasoner";
import type { WorldCase } from "./world-cases.ts";

/** A server that plays the model of a task. */
export interface TaskModel {
  readonly baseUrl: string;
  /** Asked before each answer; an answer that never comes is a promise that never ends. */
  onRequest: (callsSoFar: number) => void | Promise<void>;
  close(): void;
}

/**
 * Serves a model that makes the calls of a task, one in each answer, and says a text at the end. It answers by how many
 * outputs it is sent, so that it can be asked again.
 */
export async function serveTask({ calls }: WorldCase): Promise<TaskModel> {
  const server = createServer(async (request, answer) => {
    const { input } = (await json(request)) as { input: readonly { type: string }[] };
    const at = input.filter(({ type }) => type === "function_call_output").length;
    await model.onRequest(at);
    const call = calls[at];
    const output =
      call === undefined
        ? { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }
        : {
            type: "function_call",
            id: `fc_${at}`,
            call_id: `call_${at}`,
            name: call.name,
            arguments: call.text ?? JSON.stringify(call.arguments),
          };
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(JSON.stringify({ id: `r${at}`, status: "completed", output: [output] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const model: TaskModel = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    onRequest: () => {},
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return model;
}

/** A reasoner over a host that asks the model of a task. */
export function createTaskReasoner(host: Host, baseUrl: string): Reasoner {
  const settings = settingsOf(
    config.parse({ model: "scripted", baseUrl, apiKey: "unused", stream: false, maxIterations: 100 }),
  );
  return createReasoner(host.coordinator, { settings });
}
