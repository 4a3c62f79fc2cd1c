import { readFileSync } from "node:fs";
import { join } from "node:path";
import { amplifierProfile, aptixProfile, forgeProfile, mount } from "@toolmount/interop";
import { checkToolModule, formatReport } from "@toolmount/testing";
import { afterEach, expect, test } from "vitest";
import { faultyModules, leftBehind } from "../support/faulty-modules.ts";

const profiles = [aptixProfile, amplifierProfile, forgeProfile];

/** By fault: the whole report of a module with it. */
const reports = new Map(
  readFileSync(join(import.meta.dirname, "profile-reports.txt"), "utf8")
    .trim()
    .split("\n\n")
    .map((group) => [group.slice(2, group.indexOf("\n")), group.slice(group.indexOf("\n") + 1)]),
);

afterEach(() => {
  for (const end of leftBehind.splice(0)) end();
});

test.each(faultyModules.filter(({ profile = "core" }) => profile !== "core"))(
  "$profile: the report of a module of which $fault",
  async ({ fault, module, rule: _, profile: __, severity: ___, ...options }) => {
    const report = await checkToolModule(module, { profiles, extensions: [{ mount }], ...options });

    expect(formatReport(report)).toBe(reports.get(fault));
  },
);
