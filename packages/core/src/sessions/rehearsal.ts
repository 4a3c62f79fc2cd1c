import type { CallRequest } from "../contract/context.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { StagedEffects } from "../contract/preview.ts";
import type { Rehearsal, RehearsedCall } from "../contract/rehearsal.ts";
import type { RunnerSession } from "../contract/runner.ts";
import type { SessionCallContext } from "../contract/session.ts";
import { digestOf } from "../json/canonical.ts";
import { frozenCopy } from "../json/freeze.ts";
import type { Json } from "../json/json.ts";
import { ToolmountError } from "../contract/errors.ts";
import { argumentsDigest, grantForCall } from "../pending/grant.ts";
import {
  CallBundle,
  type ApprovedListArguments,
  type HarmlessCall,
  type ListedGrant,
  type RehearsedFacts,
} from "./bundle.ts";

/** Milliseconds for which the calls of a list that was approved in this process may be made: a day. */
const approvedMs = 86_400_000;

type MakeCall = (request: CallRequest, context?: SessionCallContext) => Promise<ToolOutcome>;
type MakeList = (list: ApprovedListArguments, context?: SessionCallContext) => Promise<ToolOutcome>;

/** A rehearsal of a session's calls: what they would change, and what their tools staged. */
export class SessionRehearsal implements Rehearsal, StagedEffects {
  readonly id: string;
  /** The session whose calls are rehearsed. A turn of a model runs in a copy of it. */
  readonly sessionId: string;
  readonly calls: RehearsedCall[] = [];
  stopped: string | null = null;
  readonly #now: () => number;
  readonly #make: MakeCall;
  readonly #makeList: MakeList;
  readonly #controller = new AbortController();
  readonly #staged = new Map<string, unknown>();
  /** What calls would change in the states of sessions, by session. All calls of the rehearsal see it, in whatever process they run. */
  readonly #states = new Map<string, Map<string, Json | undefined>>();
  readonly #harmless = new Map<
    string,
    { readonly facts: RehearsedFacts; readonly asks: readonly string[] }
  >();
  /** The facts to which the grants for the calls are bound, in the order of the calls. */
  readonly #facts: RehearsedFacts[] = [];
  /** Where the preview of each call staged its effects, in the order of the calls. */
  readonly #stages: (object | null)[] = [];

  constructor(
    { id, sessionId }: { readonly id: string; readonly sessionId: string },
    now: () => number,
    make: MakeCall,
    makeList: MakeList,
  ) {
    this.id = id;
    this.sessionId = sessionId;
    this.#now = now;
    this.#make = make;
    this.#makeList = makeList;
  }

  get abortSignal(): AbortSignal {
    return this.#controller.signal;
  }

  get digest(): string {
    return digestOf(this.calls.map(({ tool, arguments: given }) => ({ tool, arguments: given })));
  }

  call(request: CallRequest, context: SessionCallContext = {}): Promise<ToolOutcome> {
    return this.#make(request, { ...context, rehearsal: this });
  }

  staged<Value>(key: string, make: () => Value): Value {
    if (!this.#staged.has(key)) this.#staged.set(key, make());
    return this.#staged.get(key) as Value;
  }

  approve({ digest, by, first = this.calls.length }: Parameters<Rehearsal["approve"]>[0]): CallBundle {
    this.#requireList(digest, first);
    const at = this.#now();
    const given = { id: digest, by, at, expiresAt: at + approvedMs };
    const granted = (facts: RehearsedFacts, asks: readonly string[]): ListedGrant => {
      return { grant: grantForCall(facts, given), asks, code: facts.code };
    };
    const calls = this.calls.slice(0, first).map(({ asks }, call) => granted(this.#facts[call]!, asks));
    // The person saw none of these calls, so its grant does not cover a call about which anything asks.
    const harmless = [...this.#harmless.values()].map(({ facts }) => granted(facts, []));
    return new CallBundle({ digest, by }, calls, harmless);
  }

  #requireList(digest: string, first: number): void {
    const problem =
      digest !== this.digest
        ? "it is not the digest of the list as it is now"
        : this.stopped !== null && first === this.calls.length
          ? `the rehearsal ended early: ${this.stopped}`
          : null;
    if (problem !== null) throw new ToolmountError("OPTION_INVALID", { option: "digest", problem });
  }

  make(
    { digest, first, run }: Parameters<Rehearsal["make"]>[0],
    context?: SessionCallContext,
  ): Promise<ToolOutcome> {
    this.#requireList(digest, first ?? (run === undefined ? this.calls.length : 0));
    const requests = run?.map(({ name, arguments: given = {} }) => ({ tool: name, arguments: given }));
    const calls = this.calls.map(({ tool, arguments: given, effects, canUndo, asks, origins }, at) => ({
      tool,
      definition: this.#facts[at]!.definition,
      arguments: given,
      effects,
      canUndo,
      asks,
      origins,
    }));
    const own = this.calls.map(({ tool, arguments: given }) => ({ tool, arguments: given }));
    const list = { run: requests ?? own, calls, harmless: this.#listHarmless(requests ?? []) };
    return this.#makeList(first === undefined ? list : { ...list, first }, context);
  }

  /** Notes a call that changed nothing itself. */
  addHarmless(facts: RehearsedFacts, asks: readonly string[]): void {
    this.#harmless.set(argumentsDigest(facts.tool, facts.arguments), { facts, asks });
  }

  /** Lists the calls that change nothing. Those in `run` may ask, because the question shows them; others ask separately. */
  #listHarmless(run: ApprovedListArguments["run"]): HarmlessCall[] {
    const shown = new Set(run.map(({ tool, arguments: given }) => argumentsDigest(tool, given)));
    return [...this.#harmless].map(([digest, { facts, asks }]) => ({
      tool: facts.tool,
      definition: facts.definition,
      argumentsDigest: digest,
      asks: shown.has(digest) ? asks : [],
    }));
  }

  /** Notes a call, and where its preview staged its effects; null means in this process. */
  add(stage: object | null, facts: RehearsedFacts, call: RehearsedCall): void {
    this.calls.push(Object.freeze(call));
    this.#facts.push(facts);
    this.#stages.push(stage);
  }

  stop(reason: string): void {
    if (this.stopped !== null) return;
    this.stopped = reason;
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  /**
   * Says why a read cannot run after the changes before it. They were only staged, and a read sees only what was staged where it
   * runs, so it would miss some or all of them. Null if it can run.
   */
  dependence(tool: string, stage: { readonly of: object | null } | null): string | null {
    const unmodelled = this.calls.find(({ isModelled }) => !isModelled);
    if (unmodelled !== undefined)
      return `"${tool}" may read what "${unmodelled.tool}" would change, and it is not known what that is`;
    const [first] = this.calls;
    if (first === undefined) return null;
    if (stage === null)
      return `"${tool}" may read what "${first.tool}" would change, and it cannot see staged changes`;
    const other = this.calls.find(
      (_, at) => this.#stages[at] !== stage.of && this.#mayStage(this.#stages[at]!),
    );
    if (other === undefined) return null;
    return `"${tool}" may read what "${other.tool}" would change, and they do not run in the same process`;
  }

  /** Whether previews may have staged something at a place. For other processes this is not known, so the answer is true. */
  #mayStage(stage: object | null): boolean {
    return stage !== null || this.#staged.size > 0;
  }

  /** Returns the state of a session with the staged changes. Writes are staged, too: the session's own state stays unchanged. */
  stateOver(state: RunnerSession, sessionId = ""): RunnerSession {
    const changes = this.#states.get(sessionId) ?? new Map<string, Json | undefined>();
    this.#states.set(sessionId, changes);
    return {
      snapshot: () => {
        const values = Object.entries({ ...state.snapshot(), ...Object.fromEntries(changes) });
        return Object.fromEntries(values.filter((entry): entry is [string, Json] => entry[1] !== undefined));
      },
      get: (key) => (changes.has(key) ? changes.get(key) : state.get(key)),
      set: (key, value) => void changes.set(key, frozenCopy(value)),
      delete(key) {
        const had = this.get(key) !== undefined;
        changes.set(key, undefined);
        return had;
      },
    };
  }
}
