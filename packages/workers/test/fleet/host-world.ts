import { systemClock, type FleetMember } from "@toolmount/core";
import { FleetHost } from "../../src/fleet/fleet-host.ts";
import { notedLedger, notingLogger } from "./ledger.ts";

type Answers = Parameters<typeof notedLedger>[0];

/** A host of a fleet, whose ledger and engine are the test's. */
export async function hostOf(answers: Answers = {}) {
  const noted = notedLedger(answers);
  const { logger, lines } = notingLogger();
  const sent: unknown[][] = [];
  const engine = { send: async (...words: unknown[]) => void sent.push(words) };
  const engineOf = async (queue: string) => (sent.push([queue]), engine as never);
  const host = new FleetHost({ ledger: noted.ledger, engineOf, logger, clock: systemClock });
  await host.start();
  /** A call that the host follows; what it hears, and its ends. */
  const follow = (runId: string, more: { isAdopted?: boolean; identity?: string; queue?: string } = {}) => {
    const { isAdopted = false, identity, queue = "main" } = more;
    const heard: unknown[] = [];
    const ends: unknown[] = [];
    const call = {
      runId,
      heard: 7,
      isAdopted,
      hear: (message: unknown) => heard.push(message),
      finish: (end: unknown) => ends.push(end),
    };
    const stop = host.follow(call as never, { queue, identity });
    return { heard, ends, stop };
  };
  return { host, sent, lines, follow, ...noted };
}

/** A worker as it reports itself. */
export const worker = (name: string, more: Partial<FleetMember> = {}): FleetMember =>
  ({
    name,
    role: "worker",
    queue: "main",
    group: "g1",
    tools: { pay: "d1" },
    facts: {},
    ...more,
  }) as FleetMember;
export const delivery = {
  runId: "r",
  queue: "main",
  tool: "pay",
  digest: "d1",
  attempt: 0,
  rank: 0,
  nested: false,
};
