import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Call {
  readonly id: string;
  readonly question: string;
  readonly tool: string;
  text: string;
  /** `helping`: the sub-agent that it began waits. `running`: its tool has begun. */
  state: "open" | "approved" | "denied" | "helping" | "running" | "done";
  wasDenied?: boolean;
  /** Whether its process died while its tool ran. */
  wasCut?: boolean;
  isUndone?: boolean;
  /** The id of the process that took the answer. */
  answeredIn?: number;
}

/** Whether a process has ended. */
export function hasEnded(pid: number | undefined): boolean {
  try {
    return pid === undefined || !process.kill(pid, 0);
  } catch {
    return true;
  }
}

export interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
}

export interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A thread as it is kept in its file. */
export interface Thread {
  readonly messages: Message[];
  readonly calls: Call[];
  isDead: boolean;
  /** Requests to the model in its turn. */
  requests: number;
}

export function readThread(folder: string, name: string): Thread {
  const file = join(folder, `${name}.json`);
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as Thread)
    : { messages: [], calls: [], isDead: false, requests: 0 };
}

export function writeThread(folder: string, name: string, thread: Thread): void {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(thread));
}

export function openOf({ calls }: Thread): Call[] {
  return calls.filter(({ state }) => state === "open");
}

/** The fault that of equal calls which are approved together only the first runs. */
export function denyTwins({ calls }: Thread): void {
  const approved = calls.filter(({ state }) => state === "approved");
  for (const twin of approved.slice(1)) if (twin.text === approved[0]!.text) twin.state = "denied";
}

/** Adds the result of a call to its thread. */
export function endCall(thread: Thread, call: Call, content: string): void {
  call.state = "done";
  thread.messages.push({ role: "tool", tool_call_id: call.id, content });
}
