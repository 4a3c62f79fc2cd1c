// One command brings a changed plan to three servers of one store, in turn.
import { expect, test } from "vitest";
import { serverGroup } from "../support/server-group.ts";

const reload = ["serve", "reload", "plan.yaml"];

test("servers get a changed plan one after the other, and answer meanwhile; a plan with problems changes nothing", async () => {
  const { start, tokens, place } = await serverGroup("sqlite:./state.db");
  const written = await place.read("plan.yaml");
  const servers = await Promise.all([start(), start(), start()]);
  const planOf = async ({ url }: (typeof servers)[number]) => {
    const authorization = `Bearer ${tokens.ops}`;
    const answer = await fetch(`${url}/api/v1/hosts/default/tools`, { headers: { authorization } });
    expect(answer.status).toBe(200);
    return answer.headers.get("toolmount-plan");
  };
  const plans = async () => [...new Set(await Promise.all(servers.map(planOf)))];
  const [before] = await plans();

  // What is wrong is found before a server is asked.
  await place.write("plan.yaml", written.replace("./look.ts", "./gone.ts"));
  const wrong = await place.here(reload);
  expect([wrong.code, wrong.stderr]).toEqual([78, expect.stringContaining("gone.ts")]);
  expect(await plans()).toEqual([before]);

  // The servers do not have the variable that the command has: one tries, and the others are as they were.
  await place.write("plan.yaml", written.replace("name: desk\n", "name: desk\ndescription: ${WHERE}\n"));
  const { code, stdout } = await place.here(reload, { env: { WHERE: "here" } });
  expect(code).toBe(1);
  expect(
    stdout.match(/did not mount the plan again: (.*)/g)!.map((line) => line.includes("WHERE")),
  ).toSatisfy((found: boolean[]) => found.length === 3 && found.filter(Boolean).length === 1);
  expect(stdout.match(/another server could not mount it/g)).toHaveLength(2);
  expect(await plans()).toEqual([before]);

  await place.write("plan.yaml", written.replace("  - module: ./look.ts\n", ""));
  const seen: (string | null)[][] = [];
  const reloading = place.here([...reload, "--json"]);
  const isOver = reloading.then(() => true);
  do seen.push(await Promise.all(servers.map(planOf)));
  while (!(await Promise.race([isOver, Promise.resolve(false)])));
  const done = await reloading;
  expect(done.code).toBe(0);
  const { plan, servers: listed } = done.json() as {
    plan: string;
    servers: { plan: string; problem: null }[];
  };
  expect(plan).not.toBe(before);
  expect(listed.map((one) => [one.plan, one.problem])).toEqual(servers.map(() => [plan, null]));
  expect(await plans()).toEqual([plan]);
  // Each of them kept it.
  const counts = seen.map((each) => each.filter((one) => one === plan).length);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
});

test("a plan of which no server runs is only tried", async () => {
  const { place } = await serverGroup("sqlite:./state.db");
  const { code, stdout } = await place.here(reload);
  expect([code, stdout]).toEqual([0, expect.stringContaining("0 servers")]);
});
