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
  ["a list that is not closed", "deny: [\n  oops: {", /policy:2:\d+/],
  ["an alias", "*x", /alias \*x.*policy:1:1\n/s],
  ["an alias as a list", "allow: [pay]\ndeny: *x", /alias \*x.*policy:2:7 \(deny\)/s],
  ["an alias of the map around it", "allow: &a { b: *a }", /alias \*a.*policy:1:16 \(allow.b\)/s],
  ["no map", "- pay", /a list\n.*policy:1:1\n/s],
  [
    "the prototype of all objects",
    "__proto__: { allow: [pay] }",
    /"__proto__" is not allowed.*policy:1:1\n/s,
  ],
  ["200,000 levels", "[".repeat(200_000), /nest deeper than/],
  ["400,000 levels", "[".repeat(400_000), /larger than 262144 bytes/],
])("a policy with %s cannot be read, and the error says where", async (_, text, said) => {
  const { compare } = await servedPlan();
  await expect(compare(text)).rejects.toMatchObject({
    code: "PLAN_INVALID",
    message: expect.stringMatching(said),
  });
});
