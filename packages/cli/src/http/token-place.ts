import { resolve } from "node:path";
import { systemClock, type Host, type WorkRecord, type WorkStore } from "@toolmount/core";
import type { TokenRecord } from "@toolmount/http";
import { usageError } from "../process/usage-error.ts";
import { readTokenFile, readTokens, writeTokenFile } from "./token-file.ts";

/** Where a server stores its hashed tokens. */
export interface TokenPlace {
  /** The name of the place in messages. */
  readonly name: string;
  /** Reads the tokens; null if there are none yet. Throws `USAGE_INVALID`. */
  read(): Promise<readonly TokenRecord[] | null>;
  /**
   * Replaces the tokens. Throws `USAGE_INVALID` if they cannot be written, or were changed since the last `read`.
   */
  write(tokens: readonly TokenRecord[]): Promise<void>;
}

/** The value of `--tokens` that means the plan's store instead of a file. */
export const inState = "state";

/** Returns the place for tokens in a file, which only its owner may read. */
export function fileOfTokens(path: string, cwd: string): TokenPlace {
  const file = resolve(cwd, path);
  let last: readonly TokenRecord[] | null = null;
  return {
    name: `the file ${path}`,
    read: async () => (last = await readTokenFile(file)),
    async write(tokens) {
      await writeTokenFile(file, tokens, last);
      last = tokens;
    },
  };
}

const kind = "tokens";

/**
 * Returns the place for tokens in the store of a plan, so that all servers of the plan accept the same tokens. The store must be
 * Postgres: the file of an SQLite store can be in a folder where the plan's tools write. Throws `USAGE_INVALID` for another
 * store.
 */
export function tokensInState({ coordinator }: Pick<Host, "coordinator">): TokenPlace {
  if (coordinator.getCapability("fleet.ledger") === null)
    throw usageError(
      "tokens are kept in the state of a plan only where that is Postgres; name a file of tokens",
    );
  const store = coordinator.get("work-store") as WorkStore;
  let last: WorkRecord | null = null;
  return {
    name: "the state of the plan",
    async read() {
      last = await store.get(kind, kind);
      if (last === null) return null;
      return readTokens(last.body).catch((cause: Error) => {
        throw usageError(`the tokens in the state of the plan are refused: ${cause.message}`);
      });
    },
    async write(tokens) {
      const version = (last?.version ?? 0) + 1;
      const facts = { kind, id: kind, scope: "", status: "kept", sessionId: null, userId: null, dueAt: null };
      const body = JSON.parse(JSON.stringify({ version: 1, tokens })) as WorkRecord["body"];
      const next: WorkRecord = { ...facts, version, at: systemClock.now(), body };
      if (!(await store.save(next))) throw usageError("the tokens were changed meanwhile; try again");
      last = next;
    },
  };
}
