import { openHost } from "@toolmount/loader";
import { expect, onTestFinished, test } from "vitest";
import { extensions } from "../../src/host/extensions.ts";
import { servePlan } from "../../src/http/served-plan.ts";
import { createScreen } from "../../src/screen/screen.ts";
import { oneTool, workspace } from "../support/workspace.ts";

/** The plan of a host with one call in its audit, as the server shows it. */
async function servedPlan() {
  const { folder } = await workspace({
    "plan.yaml":
      "version: 1\naudit: durable\nstate: sqlite:./state.db\npolicy: { allow: [pay] }\ntools:\n  - module: ./pay.ts\n",
    "pay.ts": oneTool({ name: "pay", schema: "to: z.string()", body: "return data(params.to);" }),
  });
  const plan = `${folder}/plan.yaml`;
  const host = await openHost(plan, { extensions, cwd: folder });
  onTestFinished(() => void host.close());
  expect(await host.call({ name: "pay", arguments: { to: "acme" } })).toMatchObject({ status: "ok" });
  const err = createScreen({ write: () => {} }, {});
  const shell = { env: {}, cwd: folder, settings: { verbosity: "normal", plan: undefined }, err } as const;
  const served = servePlan(host, plan, {}, shell);
  const newest = { last: 10, signal: new AbortController().signal };
  return { folder, served, compare: (policy: string) => served.compare!(policy, newest) };
}

test("a policy is compared as it is read in a plan, and an empty one has no rules", async () => {
  const { compare } = await servedPlan();
  expect(await compare("deny: [pay(acme)]")).toMatchObject({ judged: 1, changed: 1 });
  expect(await compare("allow: [&one pay]\ndeny: [*one]")).toMatchObject({ judged: 1, changed: 1 });
  const empty = await compare("{}");
  for (const text of ["", "\n", "# no rule\n  # at all\n"]) expect(await compare(text)).toEqual(empty);
});

test.each([
  ["deny: [\n  oops: {", /policy:2:\d+/],
  ["*x", /alias \*x.*policy:1:1\n/s],
  ["allow: [pay]\ndeny: *x", /alias \*x.*policy:2:7 \(deny\)/s],
  ["- pay", /a list\n.*policy:1:1\n/s],
  ["allow: &a { b: *a }", /alias \*a.*policy:1:16 \(allow.b\)/s],
])("the policy %j cannot be read, and the error says where", async (text, said) => {
  const { compare } = await servedPlan();
  await expect(compare(text)).rejects.toMatchObject({
    code: "PLAN_INVALID",
    message: expect.stringMatching(said),
  });
});
