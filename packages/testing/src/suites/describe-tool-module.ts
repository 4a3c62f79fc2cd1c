import { describe, expect, test } from "vitest";
import type { Profile } from "@toolmount/core/validation";
import { checkToolModule } from "../check/check-module.ts";
import type { CheckOptions } from "../check/options.ts";
import { formatReport } from "../check/report.ts";
import type { ModuleExports } from "../trial/trial.ts";

/** Options of {@link describeToolModule}. */
export interface DescribeOptions extends CheckOptions {
  /** Title of the group of tests. Default "the tool module". */
  readonly title?: string | undefined;
  /** What the usage of each tool must say, for example how a repeated call behaves, or what its limits are. Default: nothing. */
  readonly usage?: Readonly<Record<string, readonly RegExp[]>> | undefined;
}

/**
 * Defines the contract tests for tool modules: no rule of the core or of further profiles finds an error or a warning, valid
 * and invalid calls end as expected, and the module mounts at least one tool.
 */
export function describeToolModule(module: ModuleExports, options: DescribeOptions = {}): void {
  describe(options.title ?? "the tool module", () => {
    const profiles = [...(options.profiles ?? []), usageProfile(options.usage ?? {})];
    const checking = lazily(() => checkToolModule(module, { ...options, profiles }));
    test("APTIX-14, APTIX-19, APTIX-78, APTIX-84: it follows every rule of the contract", async () => {
      const report = await checking();

      expect(report.findings, formatReport(report)).toEqual([]);
    });
    test("it mounts at least one tool", async () => {
      expect((await checking()).tools).not.toEqual([]);
    });
  });
}

/** Makes a profile of what a package requires of the usage of its own tools. */
function usageProfile(usage: NonNullable<DescribeOptions["usage"]>): Profile {
  return {
    name: "usage",
    moduleRules: [
      {
        id: "usage_behaviour",
        severity: "error",
        why: "a model has to know what a repeated call does, and where the limits are",
        fix: "say it in the usage of the tool, or correct the package's test",
        *check({ tools }) {
          for (const [name, parts] of Object.entries(usage)) {
            const said = tools.find((tool) => tool.name === name)?.info?.usage ?? "";
            for (const part of parts)
              if (!part.test(said))
                yield { where: `tools.${name}.usage`, problem: `it does not say ${String(part)}` };
          }
        },
      },
    ],
  };
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
