import { describe, expect, test } from "vitest";
import { checkToolModule } from "../check/check-module.ts";
import type { CheckOptions } from "../check/options.ts";
import { formatReport } from "../check/report.ts";
import type { ModuleExports } from "../trial/trial.ts";

/** How {@link describeToolModule} describes a module. */
export interface DescribeOptions extends CheckOptions {
  /** Title of the group of tests. Default "the tool module". */
  readonly title?: string | undefined;
}

/**
 * The contract suite for tool modules: no rule of the core or of further profiles finds an error or a warning, and the
 * valid and invalid calls end as expected.
 */
export function describeToolModule(module: ModuleExports, options: DescribeOptions = {}): void {
  describe(options.title ?? "the tool module", () => {
    const checking = lazily(() => checkToolModule(module, options));
    test("APTIX-14, APTIX-19, APTIX-78, APTIX-84: it follows every rule of the contract", async () => {
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
