import fc from "fast-check";
import {
  createMemoryStore,
  data,
  ownSession,
  type Host,
  type JsonObject,
  type PolicyAnswer,
  type ToolContext,
  type ToolReturn,
} from "../src/index.ts";
import type { ApprovedCalls } from "../src/contract/rehearsal.ts";
import { createFakeClock } from "./fake-clock.ts";
import { tool, world } from "./world.ts";

/*
 * A host in which people answer, plans and tools are edited, and calls come in by every way of the library. Beside it stand the
 * notes of the people: each yes that one of them gave, with what they saw. An effect of a call that asks needs such a note.
 */

/** What a plan says of all tools. */
const plans = {
  nothing: () => null,
  allows: () => ({ answer: "allow", waives: "confirmation", rule: "plan.yaml:1:1" }),
  asks: () => ({ answer: "ask", reason: "the plan asks" }),
  level: () => ({ answer: "ask", reason: "the level asks", because: "level" }),
} satisfies Readonly<Record<string, () => PolicyAnswer>>;

type PlanName = keyof typeof plans;

interface Plan {
  readonly names: readonly PlanName[];
  /** Whether a gate changes the arguments. */
  readonly rewrites: boolean;
}

export interface Caller {
  readonly sessionId: string;
  readonly userId: string;
}

function mostlyNewest(): fc.Arbitrary<number> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) });
}

const to = fc.constantFrom("bob", "eve");
const caller: fc.Arbitrary<Caller> = fc.record({
  sessionId: fc.constantFrom("s", "t"),
  userId: fc.constantFrom("ada", "mallory"),
});
/** Counted from the newest. */
const which = mostlyNewest();
const plan: fc.Arbitrary<Plan> = fc.record({
  names: fc.uniqueArray(fc.constantFrom(...(Object.keys(plans) as PlanName[])), { maxLength: 3 }),
  rewrites: fc.boolean(),
});
const remember = fc.constantFrom(
  ...Array.from<undefined>({ length: 2 }),
  { scope: "arguments" },
  { scope: "session" },
  { scope: "rule", arguments: { to: "b*" } },
  { scope: "arguments", forMs: 1_000 },
);

/** Mostly that which the person meant, so that most sequences come to an effect. */
const mostly = <Value>(meant: Value, ...others: Value[]) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(meant) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const anotherCaller = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: caller },
);
const is = <Name extends string>(name: Name) => fc.constant(name);

/** A way in of another package: makes a call of `pay`. Resolves to an outcome where the caller gets one. */
export type Way = (to: string, caller: Caller) => Promise<unknown>;

/** The ways in of a host, and what closes them. */
export interface MoreWays {
  readonly ways: Readonly<Record<string, Way>>;
  close(): Promise<void>;
  /** Counts the effects that come by a way. */
  count(way: string): void;
}

/** One thing that happens. Without a caller it is that of the question or the list. */
const stepOf = (more: readonly string[]) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: is("call"),
        way: fc.constantFrom("host", "session", "nested", "own name", ...more),
        to,
        caller,
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: is("answer"),
        which,
        yes: mostly(true, false),
        edit: mostly<string | undefined>(undefined, "bob", "eve"),
        remember,
      }),
    },
    { weight: 5, arbitrary: fc.record({ do: is("resume"), which, caller: anotherCaller }) },
    { weight: 3, arbitrary: fc.record({ do: is("run"), which }) },
    { weight: 4, arbitrary: fc.record({ do: is("again"), which }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: is("rehearse"),
        all: fc.array(to, { minLength: 1, maxLength: 3 }),
        caller,
        nested: fc.boolean(),
        makes: fc.boolean(),
        first: mostly<number | undefined>(undefined, 1),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: is("use"),
        which,
        to: mostly("the next", "bob", "eve"),
        caller: anotherCaller,
        nested: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: is("edit tool"),
        what: fc.constantFrom("description", "code", "values"),
        by: fc.nat(2),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: is("edit plan"), plan }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: is("wait"), ms: fc.constantFrom(500, 2_000, 90_000_000, 700_000_000) }),
    },
    { weight: 1, arbitrary: fc.record({ do: is("undo"), caller }) },
  );

type Step = ReturnType<typeof stepOf> extends fc.Arbitrary<infer One> ? One : never;
type StepOf<Name> = Extract<Step, { do: Name }>;

/** A yes as a person noted it. */
interface Note {
  readonly version: string;
  /** Null: every value that begins with a b. */
  readonly to: string | null;
  readonly sessionId: string | null;
  readonly userId: string;
  readonly until: number;
  readonly isStanding: boolean;
  /** What the code closed over; undefined where another process may use the yes, which cannot compare that. */
  readonly values?: number;
}

/** What a person sees of the tool: its description, and its code in the files of its module. */
const descriptions = [
  "Pays an amount. Use it to pay.",
  "Pays twice. Use it to pay.",
  "Pays later. Use it to pay.",
];
type Pay = (to: string, context: ToolContext) => Promise<ToolReturn>;
const codes = [
  (pay: Pay) => (params: JsonObject, context: ToolContext) => pay(textOf(params["to"]), context),
  (pay: Pay) => (given: JsonObject, context: ToolContext) => pay(textOf(given["to"]), context),
  (pay: Pay) => (other: JsonObject, context: ToolContext) => pay(textOf(other["to"]), context),
] as const;

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Runs steps, and returns each effect that no person agreed to. */
export async function effectsWithoutYes(
  given: readonly Step[],
  openWays: (host: Host) => MoreWays = () => ({ ways: {}, close: async () => {}, count: () => {} }),
): Promise<string[]> {
  const run = new Run(openWays);
  for (const one of given) await run.take(one);
  await run.more.close();
  await run.host.close();
  return run.problems;
}

class Run {
  readonly problems: string[] = [];
  readonly clock = createFakeClock();
  readonly host;
  readonly more;
  readonly #notes: Note[] = [];
  /** By the yes that an effect used: all that fitted the effect. */
  readonly #holders = new Map<Note, readonly Note[]>();
  /** The way in that is used now, and the calls that were made before. */
  #way = "";
  readonly #made: StepOf<"call">[] = [];
  #plan: Plan = { names: [], rewrites: false };
  #description = 0;
  #code = 0;
  #values = 0;
  /** Whose call runs now. The host calls one tool at a time here. */
  #now: Caller & { readonly isUndo: boolean } = { sessionId: "", userId: "", isUndo: false };
  readonly #tickets: { readonly ticket: string; readonly caller: Caller }[] = [];
  /** What the tool was when a question came up, by the question's id. */
  readonly #asked = new Map<string, string>();
  readonly #lists: {
    readonly approved: ApprovedCalls;
    readonly all: readonly string[];
    readonly caller: Caller;
  }[] = [];

  constructor(openWays: (host: Host) => MoreWays) {
    const store = createMemoryStore();
    this.host = world([], { store, clock: this.clock }, "inline", false).host;
    const { coordinator } = this.host;
    for (const name of Object.keys(plans) as PlanName[])
      coordinator.mount("policies", {
        name,
        prepare:
          ({ name: of }) =>
          () =>
            this.#plan.names.includes(name) && (of === "pay" || name === "allows") ? plans[name]() : null,
      });
    coordinator.hooks.gate("tool:pre", (_, { tool_name, tool_input }) =>
      tool_name === "pay" && this.#plan.rewrites && (tool_input as JsonObject)["to"] === "eve"
        ? { action: "modify", data: { tool_input: { to: "mallory" } } }
        : { action: "continue" },
    );
    this.#mountPay();
    const nested = async (
      params: JsonObject,
      { call }: { call: (request: object) => Promise<{ status: string }> },
    ) => data((await call({ name: "pay", arguments: { to: params["to"] } })).status);
    coordinator.mount(
      "tools",
      tool(nested as never, {
        name: "program",
        category: "side_effect",
        repeatable: true,
        preview: async (params, context) => ({
          effects: [],
          result: await nested(params as JsonObject, context as never),
        }),
      }),
    );
    this.more = openWays(this.host);
  }

  get #key(): string {
    return ownSession(this.#now.userId, this.#now.sessionId);
  }

  get #version(): string {
    return `${this.#description}.${this.#code}`;
  }

  #mountPay(): void {
    const { coordinator } = this.host;
    coordinator.unmount("tools", "pay");
    const effect = async (whom: string, { undoable }: ToolContext) => {
      await undoable?.(whom);
      this.more.count(this.#way);
      this.#check(whom);
      return data(whom);
    };
    coordinator.mount(
      "tools",
      Object.assign(
        {},
        tool(undefined, {
          name: "pay",
          description: descriptions[this.#description]!,
          category: "side_effect",
          requiresConfirmation: true,
          preview: ({ to: whom }) => ({
            effects: [{ target: textOf(whom), change: "other" as const }],
            result: data(1),
          }),
          undo: () => data({ changed: true, isUndo: this.#checkUndo() }),
        }),
        { execute: codes[this.#code]!(effect) },
      ),
    );
  }

  /** An effect happens now: a person has said yes to it, or the plan does not ask. */
  #check(whom: string): void {
    const { names } = this.#plan;
    if (!names.includes("asks") && names.includes("allows")) return;
    const fitting = this.#notes.filter((note) => this.#covers(note, whom));
    if (fitting.some(({ isStanding }) => isStanding) || this.#assign(fitting)) return;
    this.problems.push(`${whom} for ${JSON.stringify(this.#now)} as ${this.#version}`);
  }

  /** Gives an effect a yes that fits it, and that no other effect needs: each covers one. */
  #assign(fitting: readonly Note[], tried = new Set<Note>()): boolean {
    for (const note of fitting) {
      if (tried.has(note)) continue;
      tried.add(note);
      const holder = this.#holders.get(note);
      if (holder !== undefined && !this.#assign(holder, tried)) continue;
      this.#holders.set(note, fitting);
      return true;
    }
    return false;
  }

  #covers(note: Note, whom: string): boolean {
    const { userId } = this.#now;
    return (
      note.version === this.#version &&
      (note.values === undefined || note.values === this.#values) &&
      (note.to === null ? whom.startsWith("b") : note.to === whom) &&
      (note.sessionId === null || ownSession(note.userId, note.sessionId) === this.#key) &&
      note.userId === userId &&
      note.until > this.clock.now() &&
      !(note.isStanding && this.#plan.names.includes("asks"))
    );
  }

  /** A person who undoes needs no other yes, but for a rule that asks. */
  #checkUndo(): boolean {
    if (this.#plan.names.includes("asks")) this.problems.push("an undo that the plan asks about");
    return true;
  }

  async #as<Value>(whose: Caller, act: () => Promise<Value>): Promise<Value | undefined> {
    this.#now = { ...whose, isUndo: false };
    const before = new Set((await this.host.approvals.list()).map(({ id }) => id));
    const came = await act().catch(() => undefined);
    for (const { id } of await this.host.approvals.list())
      if (!before.has(id)) this.#asked.set(id, this.#version);
    const { ticket, sessionId = whose.sessionId } = (came ?? {}) as { ticket?: string; sessionId?: string };
    if (ticket !== undefined) this.#tickets.push({ ticket, caller: { ...whose, sessionId } });
    return came;
  }

  #note(note: Omit<Note, "until"> & { readonly forMs?: number | undefined }): void {
    const { forMs = note.isStanding ? Number.POSITIVE_INFINITY : 604_800_000, ...rest } = note;
    this.#notes.push({ ...rest, until: this.clock.now() + forMs });
  }

  async take(one: Step): Promise<void> {
    this.#way = one.do;
    switch (one.do) {
      case "call":
        return void (await this.#call(one));
      case "again": {
        const made = this.#made.at(-1 - one.which);
        return made === undefined ? undefined : void (await this.#call(made));
      }
      case "answer":
        return this.#answer(one);
      case "resume": {
        const held = this.#tickets.at(-1 - one.which);
        const whose = one.caller ?? held?.caller;
        if (held !== undefined) await this.#as(whose!, () => this.host.resume(held.ticket, whose));
        return;
      }
      case "run":
        return this.#run(one);
      case "rehearse":
        return this.#rehearse(one);
      case "use":
        return void (await this.#use(one));
      case "edit tool":
        if (one.what === "description") this.#description = one.by;
        if (one.what === "code") this.#code = one.by;
        if (one.what === "values") this.#values = one.by;
        return this.#mountPay();
      case "edit plan":
        this.#plan = one.plan;
        return;
      case "wait":
        return this.clock.advance(one.ms);
      case "undo":
        this.#now = { ...one.caller, isUndo: true };
        return void (await this.host.session(one.caller.sessionId).undo({}, { userId: one.caller.userId }));
    }
  }

  #call(made: StepOf<"call">): Promise<unknown> {
    const { way, to: whom, caller: whose } = made;
    this.#made.push(made);
    this.#way = way;
    const request = { name: way === "nested" ? "program" : "pay", arguments: { to: whom } };
    const other = this.more.ways[way];
    if (other !== undefined) return this.#as(whose, () => other(whom, whose));
    const list = { run: [{ tool: "pay", arguments: { to: whom } }], calls: [], harmless: [] };
    if (way === "own name")
      return this.#as(whose, () => this.host.call({ name: "make_approved_calls", arguments: list }, whose));
    return this.#as(whose, () =>
      way === "session"
        ? this.host.session(whose.sessionId).call(request, { userId: whose.userId })
        : this.host.call(request, whose),
    );
  }

  #use({ which: at, to: meant, caller: byOther, nested }: StepOf<"use">): Promise<unknown> {
    const list = this.#lists.at(-1 - at);
    if (list === undefined) return Promise.resolve();
    const { approved, all, caller: own } = list;
    const whom = meant === "the next" ? (all[all.length - approved.left] ?? "bob") : meant;
    const whose = byOther ?? own;
    const request = { name: nested ? "program" : "pay", arguments: { to: whom } };
    return this.#as(whose, () => this.host.call(request, { ...whose, approved }));
  }

  /** A person answers a question, and notes what they saw. */
  async #answer({ which: at, yes, edit, remember: scope }: StepOf<"answer">): Promise<void> {
    const open = await this.host.approvals.list();
    const question = open.at(-1 - at);
    if (question === undefined) return;
    const { id, info, arguments: given, tool: name } = question;
    const decision = {
      decision: yes ? ("approve" as const) : ("deny" as const),
      ...(edit !== undefined && name === "pay" && { arguments: { to: edit } }),
      ...(scope !== undefined && edit === undefined && { remember: scope as never }),
    };
    const decided = await this.host.approvals.decide(id, decision, "carol").catch(() => null);
    if (decided === null || !yes) return;
    const seen = {
      version: this.#asked.get(id)!,
      sessionId: info.sessionId ?? null,
      userId: info.userId ?? "",
    };
    if (name !== "pay") {
      const { calls, first } = given as {
        readonly calls?: readonly { arguments: { to: string } }[];
        first?: number;
      };
      for (const { arguments: one } of (calls ?? []).slice(0, first))
        this.#note({ ...seen, to: one.to, isStanding: false });
      return;
    }
    const whom = textOf(edit ?? given["to"]);
    this.#note({ ...seen, to: whom, isStanding: false });
    const { scope: kind, forMs } = (scope ?? {}) as { readonly scope?: string; readonly forMs?: number };
    if (kind === undefined || edit !== undefined) return;
    const sessionId = kind === "session" ? seen.sessionId : null;
    this.#note({ ...seen, sessionId, to: kind === "rule" ? null : whom, isStanding: true, forMs });
  }

  /** A person runs a call in the place of its caller. */
  async #run({ which: at }: StepOf<"run">): Promise<void> {
    const states = ["pending", "approved", "denied", "ended"] as const;
    const question = (await this.host.approvals.list({ states })).at(-1 - at);
    if (question === undefined) return;
    const { sessionId = "", userId = "" } = question.info;
    await this.#as({ sessionId, userId }, () => this.host.approvals.run(question.id, "dan"));
  }

  async #rehearse({ all, caller: whose, nested, makes, first }: StepOf<"rehearse">): Promise<void> {
    const { userId } = whose;
    const rehearsal = this.host.session(whose.sessionId).rehearse();
    for (const whom of all)
      await rehearsal.call({ name: nested ? "program" : "pay", arguments: { to: whom } }, { userId });
    const { digest } = rehearsal;
    const run = all.map((whom) => ({ name: "program", arguments: { to: whom } }));
    if (makes)
      return void (await this.#as(whose, () =>
        rehearsal.make({ digest, first, ...(nested && { run }) }, { userId }),
      ));
    const approved = rehearsal.approve({ digest, by: "carol", first });
    this.#lists.push({
      approved,
      all: rehearsal.calls.slice(0, first).map(({ arguments: { to: whom } }) => textOf(whom)),
      caller: whose,
    });
    for (const { arguments: given } of rehearsal.calls.slice(0, first))
      this.#note({
        version: this.#version,
        to: textOf(given["to"]),
        ...whose,
        isStanding: false,
        values: this.#values,
        forMs: 86_400_000,
      });
  }
}

/** Many steps: enough for a question, its answer, an edit between, and its use. */
export const steps = (maxLength: number, more: readonly string[] = []) =>
  fc.array(stepOf(more), { minLength: 4, maxLength, size: "max" });
