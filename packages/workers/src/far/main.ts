// The program of a process that runs calls. The host starts it and talks to it on one descriptor.
import { Socket } from "node:net";
import {
  isToolmountError,
  type CallRequest,
  type Issue,
  type Json,
  type JsonObject,
  type StagedEffects,
  type ToolOutcome,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { readLines, writeLine } from "./lines.ts";
import type { FarMessage } from "./far-message.ts";
import { channelDescriptor, type HostMessage, type Question } from "./messages.ts";
import { mountFar, type Described, type FarModule, type FarTool } from "./mount-far.ts";
import { messageText, runFar, type Kept } from "./far-run.ts";
import { withoutSignals } from "./without-signals.ts";
import { callMethod } from "./crossing.ts";
import { returnedJson, thrownJson } from "./to-json.ts";

/** Node has this member only if its permission model is on. */
if ("permission" in process && process.permission !== undefined) withoutSignals();

const running = new Map<string, AbortController>();
/** Questions to the host that have no answer yet, by number. */
const asked = new Map<number, PromiseWithResolvers<unknown>>();
let module: FarModule | undefined;

const socket = new Socket({ fd: channelDescriptor, readable: true, writable: true });
readLines(socket, Number.POSITIVE_INFINITY, {
  line: (text) => receive(JSON.parse(text) as HostMessage),
  tooLong: () => undefined,
  // Without its host, the process has nothing to do.
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
      return asked.get(message.id)?.resolve(message.outcome);
    case "ask":
      return void answerQuestion(message);
    case "used":
      return asked.get(message.id)?.resolve(message.value);
    case "call-failed":
      return asked.get(message.id)?.reject(new Error(message.message));
    case "kept":
      return message.problem === undefined
        ? asked.get(message.id)?.resolve(undefined)
        : asked.get(message.id)?.reject(new Error(message.problem));
  }
}

async function mount(message: Extract<HostMessage, { type: "mount" }>): Promise<void> {
  try {
    // The process starts in the person's own folder, so that Node's first files are loaded from there. Now it enters the layer.
    if (message.layer !== undefined) process.chdir(message.layer);
    module = await mountFar(message, useCapability);
    const { keepsState, described } = module;
    send({ type: "mounted", keepsState, ...(described !== undefined && reportOf(described)) });
    described?.onEvent((event, data) => send({ type: "event", event, data }));
  } catch (error) {
    const isConfig = isToolmountError(error) && error.code === "CONFIG_INVALID";
    const problem = isConfig ? String(error.details["problem" as never]) : messageOf(error);
    send({ type: "refused", problem: problem.slice(0, 2_000), config: isConfig });
  }
}

function reportOf({ tools, contributions, hooks, capabilities }: Described) {
  return {
    tools: [...tools],
    contributions: [...contributions],
    hooks: [...hooks],
    capabilities: [...capabilities],
  };
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

/** Parses the arguments with the tool's own schema, if the host has not done so, and runs the tool. */
async function runParsed(tool: FarTool, message: RunMessage, signal: AbortSignal): Promise<void> {
  const { runId, instead } = message;
  const isUndo = instead !== undefined && "undo" in instead; // the arguments of an undo were parsed before the call
  const parsed = isUndo ? undefined : await tool.parse?.(message.arguments);
  if (parsed?.ok === false) return send({ type: "invalid", runId, issues: issuesToSend(parsed.issues) });
  const request = parsed === undefined ? message : { ...message, arguments: parsed.value as JsonObject };
  await runFar(tool.definition, request, signal, send, { call: callHost, keep, stage });
}

/** Shortens issues to what the host accepts. Core has limited their number already. */
function issuesToSend(issues: readonly Issue[]) {
  return issues.map(({ path, message }) => ({ path: path.slice(0, 64), message: message.slice(0, 500) }));
}

function abort({ runId, name, message }: Extract<HostMessage, { type: "abort" }>): void {
  send({ type: "aborting", runId });
  running.get(runId)?.abort(new DOMException(message, name));
}

/** Answers a question of the host with a hook or a capability that the module has registered. */
async function answerQuestion({ runId, question }: Extract<HostMessage, { type: "ask" }>): Promise<void> {
  try {
    send({ type: "returned", runId, value: returnedJson(await answerOf(question)) });
  } catch (thrown) {
    send({ type: "threw", runId, thrown: thrownJson(thrown) });
  }
}

async function answerOf(question: Question): Promise<unknown> {
  const registrations = module?.described?.registrations;
  if ("hook" in question) {
    // The module's hooks got its own events in this process already, before the host emitted them.
    if (registrations?.own.has(question.event) === true) return undefined;
    // If the module has removed the hook, there is no answer.
    return registrations?.hooks.get(question.hook)?.handler(question.event, question.data);
  }
  const { capability: name, method, arguments: given } = question;
  return callMethod(name, registrations?.capabilities.get(name)?.value, method, given);
}

let nextNumber = 0;

/** Asks the host a question with the next number, and waits for the answer. */
async function ask(question: (id: number) => FarMessage): Promise<unknown> {
  const id = nextNumber++;
  const answer = Promise.withResolvers<unknown>();
  asked.set(id, answer);
  send(question(id));
  return answer.promise.finally(() => asked.delete(id));
}

async function keep(runId: string, kept: Kept): Promise<void> {
  await ask((id) => ({ ...kept, runId, id }));
}

function useCapability(name: string, method: string, given: readonly Json[]): Promise<unknown> {
  return ask((id) => ({ type: "use", id, name, method, arguments: [...given] }));
}

async function callHost(runId: string, { id, name, arguments: given }: CallRequest): Promise<ToolOutcome> {
  const request = { ...(id !== undefined && { id }), name, ...(given !== undefined && { arguments: given }) };
  const answer = await ask((number) => ({ type: "call", runId, id: number, request: request as never }));
  return answer as ToolOutcome;
}

/**
 * Maximum number of rehearsals whose staged effects this process keeps. Beyond it, those of the least recently run rehearsal are dropped.
 */
const maxStages = 64;
const stages = new Map<string, Map<string, unknown>>();

function stage(id: string, which: "first" | "again"): StagedEffects {
  const known = stages.get(id);
  if (known === undefined && which === "again")
    throw new Error("what the rehearsal staged is no longer there; rehearse again");
  const values = known ?? new Map<string, unknown>();
  stages.delete(id);
  stages.set(id, values);
  for (const oldest of [...stages.keys()].slice(0, -maxStages)) stages.delete(oldest);
  return {
    staged<Value>(key: string, make: () => Value): Value {
      if (!values.has(key)) values.set(key, make());
      return values.get(key) as Value;
    },
  };
}
