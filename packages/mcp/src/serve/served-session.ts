import { isDeepStrictEqual } from "node:util";
import {
  errorMessage,
  isToolmountError,
  type Host,
  type Session,
  type SessionCallContext,
  type ToolInfo,
  type ToolOutcome,
} from "@toolmount/core";
import { callInternal, offerMarkOf } from "@toolmount/core/internal";
import { digestOf, meter } from "@toolmount/core/json";
import { lockDigest } from "@toolmount/core/modules";
import { ServedTasks } from "../tasks/served-tasks.ts";
import type { SuspendableCall } from "../tasks/suspended.ts";
import { WaitingCalls } from "./waiting-calls.ts";

/** The name and arguments of a call that a client asks for. */
export interface ServedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Set for a request of another kind, such as for a resource; `name` is then that of an internal tool. */
  readonly isInternal?: true;
}

/** Serves one session of a host over MCP: lists its tools, runs calls, and finds the calls that wait. */
export class ServedSession {
  readonly host: Host;
  readonly id: string;
  readonly tasks: ServedTasks;
  readonly #session: Session;
  readonly #waiting: WaitingCalls;
  #surface: { readonly mark: readonly unknown[]; readonly digest: string } | undefined;
  readonly #suspended = new Map<string, SuspendableCall>();

  /** `tasks` are those of the client; by default, the session has its own. */
  constructor(host: Host, id: string, tasks = new ServedTasks(host, id)) {
    this.host = host;
    this.id = id;
    this.tasks = tasks;
    this.#session = host.session(id);
    this.#waiting = new WaitingCalls(host, id);
  }

  tools(): Promise<readonly ToolInfo[]> {
    return this.#session.tools();
  }

  /** Returns small values on which {@link tools} depend: as long as they stay deeply equal, the tools are the same. */
  offerMark(): readonly unknown[] {
    return offerMarkOf(this.host, this.id);
  }

  /**
   * Returns the digest of the tools that the session is offered, with all that a client reads of them; it is the same at every
   * server of a plan. A host may have thousands of tools, so the digest is computed again only after `offerMark` has changed.
   */
  async surface(): Promise<string> {
    const mark = this.offerMark();
    if (this.#surface !== undefined && isDeepStrictEqual(this.#surface.mark, mark))
      return this.#surface.digest;
    const digest = digestOf((await this.tools()).map((info) => `${info.name} ${lockDigest(info)}`));
    this.#surface = { mark, digest };
    return digest;
  }

  async guidance(): Promise<string> {
    return (await this.#session.offer()).guidance;
  }

  /** Runs a call. If the same request already waits for a person, it resumes that call instead of asking twice. */
  async call(call: ServedCall, context: SessionCallContext): Promise<ToolOutcome> {
    const ticket = this.#waiting.isEmpty ? undefined : await this.#waiting.find(requestDigest(call));
    const resumed = ticket === undefined ? null : await this.#tryResume(ticket, call.name, context);
    const outcome = resumed ?? (await this.#start(call, context).catch(interrupted(call.name)));
    if (ticket !== undefined || outcome.status === "pending")
      await this.#waiting.note(requestDigest(call), outcome);
    return outcome;
  }

  #start({ isInternal, ...request }: ServedCall, context: SessionCallContext): Promise<ToolOutcome> {
    return isInternal === true
      ? callInternal(this.#session, request, context)
      : this.#session.call(request, context);
  }

  /** Resumes a call that waited. Rejects as `host.resume` does. */
  async resume(ticket: string, call: ServedCall, context: SessionCallContext): Promise<ToolOutcome> {
    const outcome = await this.#session.resume(ticket, context).catch(interrupted(call.name));
    await this.#waiting.note(requestDigest(call), outcome);
    return outcome;
  }

  /** Keeps a running call for the next request of its client, until the call has ended. */
  suspend(call: SuspendableCall): void {
    this.#suspended.set(call.id, call);
    void call.outcome.catch(() => {}).then(() => this.#suspended.delete(call.id));
  }

  suspended(id: string): SuspendableCall | undefined {
    return this.#suspended.get(id);
  }

  sibling(id: string): ServedSession {
    return new ServedSession(this.host, id, this.tasks);
  }

  /** Ends the session. Resolves when its remaining tasks are stored. */
  async end(): Promise<void> {
    const left = this.tasks.end(this.id);
    this.#session.end();
    await left;
  }

  async #tryResume(ticket: string, tool: string, context: SessionCallContext): Promise<ToolOutcome | null> {
    try {
      return await this.#session.resume(ticket, context).catch(interrupted(tool));
    } catch (error) {
      if (isToolmountError(error) && (error.code === "TICKET_INVALID" || error.code === "TICKET_USED"))
        return null;
      throw error;
    }
  }
}

/**
 * Returns a handler for the error of a tool that wants to ask a person, which no client of the protocol can pass on. The call
 * counts as failed.
 */
function interrupted(tool: string): (thrown: unknown) => ToolOutcome {
  return (thrown) => {
    if (isToolmountError(thrown)) throw thrown;
    return bareOutcome("failed", "INTERRUPTED", tool);
  };
}

/** Returns an outcome for a call for which the host itself has none. */
export function bareOutcome(
  status: ToolOutcome["status"],
  code: "INTERRUPTED" | "OUTCOME_UNKNOWN",
  tool: string,
): ToolOutcome {
  const result = { tool, fetchedAt: "", error: errorMessage(code, { tool }), code };
  return { callId: "", runId: "", tool, status, result, durationMs: 0 };
}

/** Identifies a request by its tool and arguments. Empty for arguments that the host refuses, because no such call waits. */
export function requestDigest(call: ServedCall): string {
  const { name, arguments: args, isInternal = false } = call;
  if (meter(args, Infinity) !== null) return "";
  return digestOf({ name, arguments: args, isInternal });
}
