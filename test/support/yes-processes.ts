import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { commandFile, nodeFlags } from "./program.ts";

export type ProcessWay = "call" | "run" | "chat" | "fleet";

/** Whom a call pays, and for whom it is made. */
export interface Payment {
  readonly to: string;
  readonly user: string;
}

/** A question as `toolmount approvals list` prints it. */
interface Question {
  readonly id: string;
  readonly arguments: { readonly to: string };
  readonly info: { readonly userId: string; readonly sessionId: string };
}

interface Answered extends Payment {
  readonly session: string;
  readonly version: number;
}

/**
 * A plan with one tool that asks. Each call, each answer and each resumption is a process of its own over one store, and between
 * them the tool may change. Beside it stand the notes of the person: each yes, with what they saw.
 */
export class YesProcesses {
  readonly #folder: string;
  readonly #way: ProcessWay;
  readonly #model: readonly string[];
  readonly #notes: Answered[] = [];
  /** What resumes a call: the ticket of a call, or the session of a turn. */
  readonly #waiting: { readonly by: string; readonly user: string }[] = [];
  #version = 0;
  #sessions = 0;
  #seen = 0;
  /** Effects that a person agreed to, and those without a yes that fits. */
  readonly found = { agreed: 0, others: [] as string[] };

  private constructor(folder: string, way: ProcessWay, baseUrl: string) {
    this.#folder = folder;
    this.#way = way;
    this.#model = ["--model", "m", "--base-url", baseUrl];
  }

  static async open(way: ProcessWay, baseUrl: string, state: string): Promise<YesProcesses> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-yes-")));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await cp(join(import.meta.dirname, "../package.json"), join(folder, "package.json"));
    await symlink(join(import.meta.dirname, "../node_modules"), join(folder, "node_modules"));
    const run = way === "fleet" ? ", run: { in: fleet, queue: far }" : "";
    await writeFile(
      join(folder, "mount-plan.yaml"),
      `version: 1\ntools: [{ module: ./pay.mjs${run} }]\nstate: ${state}\n`,
    );
    const made = new YesProcesses(folder, way, baseUrl);
    await made.edit();
    if (way === "fleet") await made.#startWorker();
    return made;
  }

  /** Changes what the tool says of itself. A worker would not take the calls of another version. */
  async edit(): Promise<void> {
    if (this.#way === "fleet" && this.#version > 0) return;
    this.#version += 1;
    await writeFile(join(this.#folder, "pay.mjs"), payTool(this.#version));
  }

  async call({ to, user }: Payment): Promise<void> {
    const session = `s${++this.#sessions}`;
    const whose = ["--user", user, "--session", session, "--json"];
    if (this.#way === "call" || this.#way === "fleet") {
      const { ticket } = JSON.parse(await this.#run(["call", "pay", JSON.stringify({ to }), ...whose])) as {
        ticket?: string;
      };
      if (ticket !== undefined) this.#waiting.push({ by: ticket, user });
    } else {
      if (this.#way === "run") await this.#run(["run", `pay ${to}`, ...this.#model, ...whose]);
      else await this.#run(["chat", ...this.#model, ...whose], `pay ${to}\n`);
      this.#waiting.push({ by: `${user}:${session}`, user });
    }
    await this.#compare();
  }

  /** Answers a question, counted from the newest. */
  async answer(which: number, yes: boolean): Promise<void> {
    const { waiting } = JSON.parse(await this.#run(["approvals", "list", "--json"])) as {
      waiting: Question[];
    };
    const question = waiting.at(-1 - which);
    if (question === undefined) return;
    const { userId, sessionId } = question.info;
    if (yes)
      this.#notes.push({
        to: question.arguments.to,
        user: userId,
        session: sessionId,
        version: this.#version,
      });
    await this.#run(["approvals", yes ? "approve" : "deny", question.id, "--json"]);
    await this.#compare();
  }

  /** Resumes a call, counted from the newest, also for another user. */
  async resume(which: number, as?: string): Promise<void> {
    const one = this.#waiting.at(-1 - which);
    if (one === undefined) return;
    const user = as ?? one.user;
    if (this.#way === "call" || this.#way === "fleet") {
      const session = `s${this.#waiting.indexOf(one) + 1}`;
      await this.#run(["resume", one.by, "--user", user, "--session", session, "--json"]);
    } else await this.#run(["sessions", "resume", one.by, ...this.#model, "--json"]);
    await this.#compare();
  }

  /** Each new effect spends the note that fits it. */
  async #compare(): Promise<void> {
    const paid = await readFile(join(this.#folder, "paid.txt"), "utf8").catch(() => "");
    const lines = paid.split("\n").filter((line) => line !== "");
    for (const line of lines.slice(this.#seen)) {
      const at = this.#notes.findIndex(
        ({ to, user, session, version }) => line === `${to} ${user} ${session} ${version}`,
      );
      if (at === -1) this.found.others.push(line);
      else this.found.agreed += this.#notes.splice(at, 1).length;
    }
    this.#seen = lines.length;
  }

  async #run(words: readonly string[], typed = ""): Promise<string> {
    const child = this.#spawn(words);
    child.stdin!.end(typed);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, "close") as Promise<[number | null]>,
    ]);
    // A crash would be no answer to the question whether something ran.
    expect(code, `${words.join(" ")}: ${stderr}`).toBeOneOf([0, 1, 3]);
    return stdout;
  }

  #spawn(words: readonly string[]): ChildProcess {
    const env = { ...process.env, OPENAI_API_KEY: "k" };
    const child = spawn(process.execPath, [...nodeFlags, commandFile, ...words], { cwd: this.#folder, env });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }

  async #startWorker(): Promise<void> {
    const worker = this.#spawn(["worker", "--json"]);
    const [line] = (await once(createInterface({ input: worker.stdout! }), "line")) as [string];
    expect(JSON.parse(line)).toMatchObject({ ready: true, tools: ["pay"] });
  }
}

function payTool(version: number): string {
  return `import { appendFileSync } from "node:fs";
import { join } from "node:path";
export const tool = {
  name: "pay",
  description: "Pays, version ${version}. Use it to pay.",
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: true,
  schema: { type: "object", properties: { to: { type: "string" } }, required: ["to"], additionalProperties: false },
  execute({ to }, { userId, sessionId }) {
    appendFileSync(join(import.meta.dirname, "paid.txt"), [to, userId, sessionId, ${version}].join(" ") + "\\n");
    return { data: "paid" };
  },
};
export async function mount(coordinator) {
  coordinator.mount("tools", tool);
}
`;
}
