// The program of a process that runs calls. The host starts it, and talks with it on one descriptor.
import { Socket } from "node:net";
import {
  isToolmountError,
  type CallRequest,
  type Issue,
  type JsonObject,
  type ToolOutcome,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { readLines, writeLine } from "./lines.ts";
import type { FarMessage } from "./far-message.ts";
import { channelDescriptor, type HostMessage } from "./messages.ts";
import { mountFar, type Described, type FarModule, type FarTool } from "./mount-far.ts";
import { messageText, runFar } from "./far-run.ts";
import { withoutSignals } from "./without-signals.ts";

/** Node has this member behind its permission model only. */
if ("permission" in process && process.permission !== undefined) withoutSignals();

const running = new Map<string, AbortController>();
const calls = new Map<number, PromiseWithResolvers<ToolOutcome>>();
let module: FarModule | undefined;

const socket = new Socket({ fd: channelDescriptor, readable: true, writable: true });
readLines(socket, Number.POSITIVE_INFINITY, {
  line: (text) => receive(JSON.parse(text) as HostMessage),
  tooLong: () => undefined,
  // Without its host the process has nothing to do.
  closed: () => process.exit(0),
});

function send(message: FarMessage): void {
  const text = messageText(message);
  try {
    writeLine(channelDescriptor, text);
  } catch {
    // The host is gone, or a tool has closed the channel.
    socket.destroy();
  }
}

function receive(message: HostMessage): void {
  switch (message.type) {
    case "mount":
      return void mount(message);
    case "run":
      return void run(message);
    case "abort":
      return abort(message);
    case "called":
      return calls.get(message.id)?.resolve(message.outcome);
    case "call-failed":
      return calls.get(message.id)?.reject(new Error(message.message));
  }
}

async function mount(message: Extract<HostMessage, { type: "mount" }>): Promise<void> {
  try {
    module = await mountFar(message);
    const { keepsState, described } = module;
    send({ type: "mounted", keepsState, ...(described !== undefined && reportOf(described)) });
    described?.onEvent((event, data) => send({ type: "event", event, data }));
  } catch (error) {
    const isConfig = isToolmountError(error) && error.code === "CONFIG_INVALID";
    const problem = isConfig ? String(error.details["problem" as never]) : messageOf(error);
    send({ type: "refused", problem: problem.slice(0, 2_000), config: isConfig });
  }
}

function reportOf({ tools, contributions }: Described) {
  return { tools: [...tools], contributions: [...contributions] };
}

type RunMessage = Extract<HostMessage, { type: "run" }>;

async function run(message: RunMessage): Promise<void> {
  const { runId, tool: name } = message;
  const tool = module?.tools.get(name);
  if (tool === undefined) {
    const error = `the module has no tool "${name}" in a process of its own`;
    return send({ type: "threw", runId, thrown: { kind: "error", name: "Error", message: error } });
  }
  const controller = new AbortController();
  running.set(runId, controller);
  await runParsed(tool, message, controller.signal);
  running.delete(runId);
}

/** Parses the arguments by the tool's own schema, where the host has not, and runs the tool. */
async function runParsed(tool: FarTool, message: RunMessage, signal: AbortSignal): Promise<void> {
  const { runId } = message;
  const parsed = await tool.parse?.(message.arguments);
  if (parsed?.ok === false) return send({ type: "invalid", runId, issues: issuesToSend(parsed.issues) });
  const request = parsed === undefined ? message : { ...message, arguments: parsed.value as JsonObject };
  await runFar(tool.definition, request, signal, send, callHost);
}

/** Core has limited the number of issues and the length of each. */
function issuesToSend(issues: readonly Issue[]) {
  return issues.map(({ path, message }) => ({ path: path.slice(0, 64), message: message.slice(0, 500) }));
}

function abort({ runId, name, message }: Extract<HostMessage, { type: "abort" }>): void {
  send({ type: "aborting", runId });
  running.get(runId)?.abort(new DOMException(message, name));
}

let nextCall = 0;

async function callHost(runId: string, { id, name, arguments: given }: CallRequest): Promise<ToolOutcome> {
  const number = nextCall++;
  const answer = Promise.withResolvers<ToolOutcome>();
  calls.set(number, answer);
  const request = { ...(id !== undefined && { id }), name, ...(given !== undefined && { arguments: given }) };
  send({ type: "call", runId, id: number, request: request as never });
  return answer.promise.finally(() => calls.delete(number));
}
