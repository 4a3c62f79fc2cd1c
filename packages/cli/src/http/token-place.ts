import { resolve } from "node:path";
import { systemClock, type Host, type WorkRecord, type WorkStore } from "@toolmount/core";
import type { TokenRecord } from "@toolmount/http";
import { usageError } from "../process/usage-error.ts";
import { readTokenFile, readTokens, writeTokenFile } from "./token-file.ts";

/** Where the hashed tokens of a server are kept. */
export interface TokenPlace {
  /** The name of the place in messages. */
  readonly name: string;
  /** Reads the tokens; null if there are none yet. Throws `USAGE_INVALID`. */
  read(): Promise<readonly TokenRecord[] | null>;
  /** Replaces the tokens that were read last. Throws `USAGE_INVALID` if another program has changed them meanwhile. */
  write(tokens: readonly TokenRecord[]): Promise<void>;
}

/** The word for the plan's store instead of a file. */
export const inState = "state";

/** Returns a file, which only its owner may read, as the place of tokens. */
export function fileOfTokens(path: string, cwd: string): TokenPlace {
  const file = resolve(cwd, path);
  return {
    name: `the file ${path}`,
    read: () => readTokenFile(file),
    write: (tokens) => writeTokenFile(file, tokens),
  };
}

const kind = "tokens";

/**
 * Returns the store of a plan as the place of tokens, so that every server of the plan has the same. It must be Postgres, because
 * the plan's tools may write where a file of SQLite is. Throws `USAGE_INVALID` for another store.
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
