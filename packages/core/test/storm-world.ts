import fc from "fast-check";
import { data, failure, ToolInterrupt, type Host, type ToolOutcome } from "../src/index.ts";
import { tool, world, type World } from "./world.ts";

/** What a tool of the storm does, by name. `wait` leaves the turn to others for a while. */
const faults: Readonly<Record<string, (wait: () => Promise<void>, signal: AbortSignal) => unknown>> = {
  "answers immediately": () => data({ ok: true }),
  "answers later": async (wait) => (await wait(), data({ ok: true })),
  fails: () => failure("no", { code: "NO" }),
  throws: () => {
    throw new Error("secret");
  },
  rejects: () => Promise.reject(new Error("secret")),
  "rejects later": async (wait) => {
    await wait();
    throw new Error("secret");
  },
  "throws null": () => {
    throw null;
  },
  "rejects with undefined": () => Promise.reject(undefined),
  interrupts: () => {
    throw new ToolInterrupt("ask");
  },
  "never settles": () => new Promise(() => {}),
  "settles too late": async (wait) => {
    for (let at = 0; at < 9; at++) await wait();
    return data("late");
  },
  "listens to its signal": (_, signal) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(data("stopped")))),
  "settles twice": () => ({
    then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
      resolve(data(1));
      resolve(data(2));
      reject(new Error("secret"));
    },
  }),
  "then throws": () => ({
    then: () => {
      throw new Error("secret");
    },
  }),
  "answers with junk": () => "junk",
  "answers with nothing": () => undefined,
  "answers with both": () => ({ data: 1, error: "x" }),
  "answers with a getter that throws": () => ({
    get data() {
      throw new Error("secret");
    },
  }),
  "answers with too much": () => data("x".repeat(5_000)),
  "answers with too many numbers": () => data(Array.from({ length: 3_000 }, (_, n) => n)),
  "answers with a cycle": () => {
    const ring: unknown[] = [];
    ring.push(ring);
    return data(ring);
  },
};

export interface PlannedCall {
  readonly fault: string;
  /** How long the tool waits, in milliseconds. */
  readonly waitMs: number;
  readonly abort: "no" | "before" | "during" | "after";
  readonly abortMs: number;
  readonly gate: "none" | "passes" | "passes later" | "denies" | "throws" | "rejects" | "modifies";
  readonly observer: "none" | "throws" | "rejects";
  readonly arguments: "object" | "text" | "broken text" | "wrong type";
  readonly confirm: "no" | "yes" | "refused";
}

/** About half of the calls are plain, so that faults happen beside work that must continue. */
export const plannedCall: fc.Arbitrary<PlannedCall> = fc.record({
  fault: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("answers immediately", "answers later") },
    { weight: 2, arbitrary: fc.constantFrom(...Object.keys(faults)) },
  ),
  waitMs: fc.integer({ min: 0, max: 12 }),
  abort: fc.oneof(
    { weight: 3, arbitrary: fc.constant("no" as const) },
    { weight: 1, arbitrary: fc.constantFrom("before" as const, "during" as const, "after" as const) },
  ),
  abortMs: fc.integer({ min: 0, max: 8 }),
  gate: fc.oneof(
    { weight: 3, arbitrary: fc.constant("none" as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "passes" as const,
        "passes later" as const,
        "denies" as const,
        "throws" as const,
        "rejects" as const,
        "modifies" as const,
      ),
    },
  ),
  observer: fc.oneof(
    { weight: 3, arbitrary: fc.constant("none" as const) },
    { weight: 1, arbitrary: fc.constantFrom("throws" as const, "rejects" as const) },
  ),
  arguments: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("object" as const, "text" as const) },
    { weight: 1, arbitrary: fc.constantFrom("broken text" as const, "wrong type" as const) },
  ),
  confirm: fc.oneof(
    { weight: 6, arbitrary: fc.constant("no" as const) },
    { weight: 1, arbitrary: fc.constantFrom("yes" as const, "refused" as const) },
  ),
});

/** A host whose tool, gate, observer and approver do what the arguments of each call say. */
export function stormWorld(
  delay: (ms: number) => Promise<void>,
  options: Parameters<typeof world>[1] = {},
  record = true,
): World {
  const planOf = (input: unknown) => (input as { plan?: PlannedCall }).plan;
  const stormy = tool(
    (params, { abortSignal }) => {
      const plan = planOf(params)!;
      return faults[plan.fault]!(() => delay(plan.waitMs), abortSignal);
    },
    {
      timeout: 15,
      requiresConfirmation: (params) => planOf(params)!.confirm !== "no",
    },
  );
  const made = world(
    [stormy],
    {
      limits: { graceMs: 4, outputBytes: 2_000, abandoned: 1_000_000, keptBytes: 100_000 },
      approver: (question) => ({
        decision: planOf(question.arguments)!.confirm === "yes" ? "approve" : "deny",
      }),
      ...options,
    },
    "inline",
    record,
  );
  const { hooks } = made.host.coordinator;
  hooks.gate("tool:pre", (_, { tool_input: input }) => gateAnswer(planOf(input), delay) as never);
  hooks.observe("*", (_, { tool_input: input }) => {
    const observer = planOf(input)?.observer;
    if (observer === "throws") throw new Error("secret");
    return observer === "rejects" ? Promise.reject(new Error("secret")) : undefined;
  });
  return made;
}

function gateAnswer(plan: PlannedCall | undefined, delay: (ms: number) => Promise<void>): unknown {
  switch (plan?.gate) {
    case "passes later":
      return delay(1);
    case "denies":
      return { action: "deny", reason: "no" };
    case "throws":
      throw new Error("secret");
    case "rejects":
      return Promise.reject(new Error("secret"));
    case "modifies":
      return { action: "modify", data: { tool_input: { plan, modified: true } } };
    case "none":
    case "passes":
    case undefined:
    default:
      return undefined;
  }
}

/** Makes one planned call; resolves to its outcome, or to null when it rejected with its interrupt. */
export async function makeCall(
  host: Host,
  id: string,
  plan: PlannedCall,
  delay: (ms: number) => Promise<void>,
): Promise<ToolOutcome | null> {
  const controller = new AbortController();
  if (plan.abort === "before") controller.abort();
  if (plan.abort === "during") void delay(plan.abortMs).then(() => controller.abort());
  const given = {
    object: { plan },
    text: JSON.stringify({ plan }),
    "broken text": "{",
    "wrong type": [plan] as never,
  }[plan.arguments];
  try {
    return await host.call(
      { id, name: "probe", arguments: given },
      { sessionId: "storm", ...(plan.abort === "no" ? {} : { abortSignal: controller.signal }) },
    );
  } catch (thrown) {
    if (!(thrown instanceof ToolInterrupt)) throw thrown;
    return null;
  } finally {
    if (plan.abort === "after") controller.abort();
  }
}

/** What must hold of every outcome, whatever was planned. Returns what does not. */
export function broken(outcome: ToolOutcome, id: string): string | null {
  const { result, status } = outcome;
  if (outcome.callId !== id) return `answered ${outcome.callId} for ${id}`;
  if (outcome.tool !== "probe" || result.tool !== "probe") return "names another tool";
  if ((result.error === undefined) !== (status === "ok"))
    return `${status} with ${result.error === undefined ? "data" : "an error"}`;
  if (!/^\d{4}-\d\d-\d\dT.*Z$/.test(result.fetchedAt)) return "has no time";
  if (JSON.stringify(outcome).includes("secret")) return "leaks";
  return null;
}
