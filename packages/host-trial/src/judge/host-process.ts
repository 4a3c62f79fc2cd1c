import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, Delegation, ListedCall, Question, Turn } from "../contract.ts";
import type { Command, StartOptions } from "./child.ts";

/** Thrown when the host's process ended before it answered. */
class Died extends Error {}

/** Thrown when the host gave no answer in time. The time is so long that only hanging hosts exceed it. */
class Silent extends Error {}

/** Longest wait for one answer, in milliseconds. */
const patience = 60_000;

/** The folder where Node keeps compiled code, because each row starts the same code twice or more. */
const cache = join(tmpdir(), "host-trial-compiled");

/** How to start a process: the program that runs `holdHost`, and the adapter that is passed in its environment. */
export interface Launch {
  readonly program: string;
  readonly adapter: string;
}

/** What an adapter states about its host. */
interface HostFacts {
  readonly name: string;
  readonly version: string;
  readonly can: readonly string[];
  readonly delegation?: Delegation;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A host in a separate process, which can be killed at any time. */
export class HostProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #output: string[] = [];
  #next = 1;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr!.on("data", (chunk: Buffer) => this.#output.push(String(chunk)));
    child.stdout!.resume();
    child.on("message", (message: { id?: number; value?: unknown; error?: string }) => {
      const waiting = this.#waiting.get(message.id ?? 0);
      this.#waiting.delete(message.id ?? 0);
      if (message.error === undefined) waiting?.resolve(message.value);
      else waiting?.reject(new Error(message.error));
    });
    child.once("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Died(this.#lastWords()));
      this.#waiting.clear();
    });
  }

  static async launch({ program, adapter }: Launch): Promise<HostProcess> {
    const env = { NODE_COMPILE_CACHE: cache, ...process.env, HOST_TRIAL_ADAPTER: adapter };
    const child = fork(program, [], {
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      serialization: "advanced",
    });
    const host = new HostProcess(child);
    const [first] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [
      { readonly failed?: string } | number | null,
    ];
    if (typeof first !== "object" || first === null)
      throw new Died(`the process of ${adapter} ended at its start: ${host.#lastWords()}`);
    if (first.failed === undefined) return host;
    await host.kill();
    throw new Died(`cannot load ${adapter}: ${first.failed}`);
  }

  #lastWords(): string {
    return this.#output.join("").trim().slice(-1500);
  }

  async #ask<Value>(command: Command): Promise<Value> {
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    const timer = setTimeout(() => reject(new Silent(`"${command.do}" was not answered`)), patience);
    if (this.#child.connected) this.#child.send({ id, command });
    else reject(new Died(this.#lastWords()));
    return (await promise.finally(() => clearTimeout(timer))) as Value;
  }

  facts(): Promise<HostFacts> {
    return this.#ask({ do: "facts" });
  }

  /** Resolves to the number of writes of the process since it got its last answer. */
  writes(): Promise<number> {
    return this.#ask({ do: "writes" });
  }

  start(root: string, modelUrl: string, options: StartOptions): Promise<null> {
    return this.#ask({ do: "start", root, modelUrl, ...options });
  }

  async say(thread: string, message: string): Promise<Turn> {
    return turnFrom(await this.#ask({ do: "say", thread, message }), "say");
  }

  async answer(thread: string, answers: readonly Answer[]): Promise<Turn> {
    return turnFrom(await this.#ask({ do: "answer", thread, answers }), "answer");
  }

  async resume(thread: string): Promise<Turn> {
    return turnFrom(await this.#ask({ do: "resume", thread }), "resume");
  }

  cancel(thread: string): Promise<void> {
    return this.#ask({ do: "cancel", thread });
  }

  withdraw(thread: string): Promise<void> {
    return this.#ask({ do: "withdraw", thread });
  }

  undo(thread: string): Promise<void> {
    return this.#ask({ do: "undo", thread });
  }

  list(thread: string, calls: readonly ListedCall[]): Promise<Question> {
    return this.#ask({ do: "list", thread, calls });
  }

  open(thread: string): Promise<readonly Question[]> {
    return this.#ask({ do: "open", thread });
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}

/** Checks a turn. An adapter is another person's program, so what it returns may have any shape. */
function turnFrom(value: unknown, from: string): Turn {
  const { status, questions, text } = (value ?? {}) as Partial<Record<keyof Turn, unknown>>;
  const isTurn =
    ["done", "waits", "refused"].includes(String(status)) &&
    Array.isArray(questions) &&
    questions.every((one: Partial<Question> | null) => typeof one?.id === "string") &&
    typeof text === "string";
  if (isTurn) return value as Turn;
  throw new TypeError(`${from} of the adapter returned no turn: a status, questions with an id, and a text`);
}
