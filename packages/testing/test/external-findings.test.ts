import { addExternalFindings, type CheckStep, type ExternalFinding } from "@toolmount/testing";
import { expect, test } from "vitest";

const found = (step: CheckStep, kind: ExternalFinding["kind"] = "threw") => ({
  step,
  kind,
  problem: "it exploded",
});

test.each<[CheckStep, ExternalFinding["kind"], string, string]>([
  [{ during: "import" }, "threw", "module_importable", "module"],
  [{ during: "mount" }, "stuck", "protocol_compliance", "mount"],
  [{ during: "unmount" }, "ended", "cleanup_succeeds", "module"],
  [{ during: "call", tool: "pay" }, "stuck", "execute_ends", "tools.pay.execute"],
  [{ during: "call", tool: "pay" }, "threw", "execute_never_throws", "tools.pay.execute"],
  [{ during: "call", tool: "" }, "ended", "execute_never_throws", "tools.(without a name).execute"],
  [{ during: "rules" }, "stuck", "execute_ends", "tools"],
])(
  "a module that damages its process in the step %j (%s) breaks the rule %s of %s",
  (step, kind, rule, where) => {
    const { verdicts, tools } = addExternalFindings(null, [found(step, kind)]);

    expect(tools).toEqual([]);
    expect(verdicts).toEqual([
      {
        profile: "core",
        passed: false,
        checks: 1,
        findings: [
          {
            profile: "core",
            rule,
            severity: "error",
            where,
            problem: "it exploded",
            why: expect.stringMatching(/./),
            fix: expect.stringMatching(/./),
          },
        ],
      },
    ]);
  },
);

test("what was found before stays, and a report without damage stays as it is", () => {
  const first = addExternalFindings(null, [found({ during: "import" })]);
  const both = addExternalFindings(first, [found({ during: "mount" })]);

  expect(both.verdicts[0]?.findings.map(({ rule }) => rule)).toEqual([
    "module_importable",
    "protocol_compliance",
  ]);
  expect(addExternalFindings(first, [])).toEqual(first);
  expect(addExternalFindings(null, []).verdicts).toEqual([
    { profile: "core", passed: true, checks: 0, findings: [] },
  ]);
});
