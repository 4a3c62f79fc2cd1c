import { describe, expect, test } from "vitest";
import { checkToolModule, type CheckOptions } from "./check-module.ts";
import { formatReport } from "./trial/report.ts";
import type { ModuleExports } from "./trial/trial.ts";

/** How {@link describeToolModule} describes a module. */
export interface DescribeOptions extends CheckOptions {
  /** What the group of tests is called. Default "the tool module". */
  readonly title?: string | undefined;
}

/**
 * The suite that every tool module owes: no rule of the core, nor of further profiles, finds an error or a warning in
 * it, and its valid and invalid calls end as they should.
 */
export function describeToolModule(module: ModuleExports, options: DescribeOptions = {}): void {
  describe(options.title ?? "the tool module", () => {
    const checking = lazily(() => checkToolModule(module, options));
    test("APTIX-14, APTIX-19, APTIX-78, APTIX-84: it keeps the contract, every rule of it", async () => {
      const report = await checking();

      expect(report.findings, formatReport(report)).toEqual([]);
    });
    test("it mounts at least one tool", async () => {
      expect((await checking()).tools).not.toEqual([]);
    });
  });
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
