import { expect, test } from "vitest";
import { describeRuns } from "../../src/trial/run-place.ts";

const shell = { err: { line: () => {} } } as never;
const described = async (run: object | undefined, members: readonly string[] = []) => {
  const entry = { run } as never;
  const { place, denied } = await describeRuns([entry], shell);
  return { place: place(entry, members), denied: denied(entry) };
};

const coversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");

test("calls in the host have no place to describe", async () => {
  expect(await described(undefined)).toEqual({ place: undefined, denied: undefined });
});

test.each<[object, string]>([
  [{ in: "process" }, "in a process, without a border"],
  [{ in: "process", border: "none" }, "in a process, without a border"],
  [{ in: "process", border: "bubblewrap" }, "in a process, behind bubblewrap"],
  [
    { in: "process", border: "permission" },
    "in a process, behind permission, which is no wall against hostile code",
  ],
  [{ in: "server" }, "at its server, without a border"],
  [{ in: "fleet" }, "on a fleet, in the workers themselves; toolmount undo and rehearsals do not reach them"],
  [
    { in: "fleet", border: "bubblewrap" },
    "on a fleet, behind bubblewrap; toolmount undo and rehearsals do not reach them",
  ],
  [
    { in: "process", hooks: ["tool:pre", "tool:post"], capabilities: ["a", "b"] },
    "in a process, without a border; its hooks decide or hear tool:pre, tool:post; it may register and use a, b",
  ],
  [{ in: "process", hooks: [], capabilities: "a" }, "in a process, without a border"],
])("calls of an entry with %j run %s", async (run, place) => {
  expect((await described(run)).place).toBe(place);
});

test("members of the context that other modules add stay in the host", async () => {
  const of = async (run: object) => (await described(run, ["orgId", "plan"])).place;
  const kept = "; context.orgId, context.plan of other modules stays in the host";

  expect(await of({ in: "process" })).toBe(`in a process, without a border${kept}`);
  expect(await of({ in: "fleet", border: "none" })).toContain(kept);
  expect(await of({ in: "fleet" })).not.toContain("context.");
  expect(await of({ in: "server" })).not.toContain("context.");
});

test.each<[object, string | undefined]>([
  [{ in: "process" }, undefined],
  [{ in: "process", border: "none" }, undefined],
  [
    { in: "process", border: "bubblewrap" },
    "the network, files but its own code, writing, variables of the host",
  ],
  [
    {
      in: "process",
      border: "srt",
      network: ["a.org", "b.org"],
      read: ["/r"],
      write: ["/w"],
      env: ["A", "B"],
    },
    "the network (but a.org, b.org), files of the home folder but its own code (but /r), writing (but /w), variables of the host (but A, B)",
  ],
  [
    { in: "process", border: "bubblewrap", network: "any", read: [] },
    "files but its own code, writing, variables of the host",
  ],
  [
    { in: "process", border: "permission" },
    `${coversNetwork ? "the network, " : ""}files but its own code, writing, variables of the host`,
  ],
])("the border of an entry with %j keeps from it: %s", async (run, denied) => {
  expect((await described(run)).denied).toBe(denied);
});
