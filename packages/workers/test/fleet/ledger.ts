import type { FleetLedger, Logger } from "@toolmount/core";

/** A call of a method, and what it was given. */
type Noted = readonly [method: string, ...words: unknown[]];

/** A ledger whose answers a test gives; what it is asked is noted, and notifications come when the test sends them. */
export function notedLedger(
  answers: Partial<Record<keyof FleetLedger, (...words: never[]) => unknown>> = {},
) {
  const asked: Noted[] = [];
  let notify: (event: never) => void = () => {};
  const usual: Record<string, (...words: never[]) => unknown> = {
    watch: (_: string, listener: typeof notify) => {
      notify = listener;
      return async () => void asked.push(["unwatch"]);
    },
    ends: () => new Map(),
    heard: () => [],
    expire: () => [],
    members: () => [],
    cancelled: () => [],
    orphanedGroups: () => [],
    renew: (runIds: readonly string[]) => runIds,
    withdraw: () => false,
  };
  const ledger = new Proxy({} as FleetLedger, {
    get(_, method: string) {
      if (method === "then") return undefined; // a promise may resolve to it
      return async (...words: unknown[]) => {
        asked.push([method, ...words.filter((word) => typeof word !== "function")]);
        return (answers[method as keyof FleetLedger] ?? usual[method])?.(...(words as never[]));
      };
    },
  });
  const of = (method: string) => asked.filter(([one]) => one === method).map(([, ...words]) => words);
  return { ledger, asked, of, answers, notify: (event: object) => notify(event as never) };
}

/** A logger that notes the level, the fields and the message of each line. */
export function notingLogger() {
  const lines: [string, object, string | undefined][] = [];
  const note = (level: string) => (fields: object, message?: string) =>
    void lines.push([level, fields, message]);
  const [trace, debug, info, warn, error] = ["trace", "debug", "info", "warn", "error"].map(note);
  const logger = { trace, debug, info, warn, error, child: () => logger } as Logger;
  return { logger, lines };
}
