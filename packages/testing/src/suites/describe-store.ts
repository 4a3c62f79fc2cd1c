import { describe, expect, test } from "vitest";
import type { StorePair } from "../store/store-case.ts";
import { storeCases } from "../store/store-cases.ts";

/** Options of {@link describeStore}. */
export interface DescribeStoreOptions {
  /** Title of the group of tests. */
  readonly title: string;
  /** Opens a new, empty store twice, as two processes would, with an audit. Called before each test. */
  readonly open: () => Promise<StorePair>;
  /** Milliseconds that one test may take. Default 60000. */
  readonly timeoutMs?: number | undefined;
}

/** Defines the contract tests for stores, which every store of approvals, sessions and audit must pass. */
export function describeStore({ title, open, timeoutMs = 60_000 }: DescribeStoreOptions): void {
  describe(title, () => {
    test.each(storeCases)(
      "$title",
      async ({ run }) => {
        const stores = await open();
        try {
          await expect(run(stores)).resolves.toBeUndefined();
        } finally {
          for (const store of new Set(stores)) await store.close?.();
        }
      },
      timeoutMs,
    );
  });
}
