import { join } from "node:path";
import { expect, test } from "vitest";
import { behind, folderOf, open, problemsOf } from "./world.ts";

const facts = `category: "read", consequenceLevel: "low", requiresConfirmation: false,`;

/** A module whose capability has data and methods, and a state of its own. */
const notes = `let count = 0;
class Secret { open() { return 1; } }
export function mount(coordinator) {
  coordinator.registerCapability("acme.notes", {
    version: "1.2", limits: { most: 3 },
    add(note, tags = []) { count += 1; return { count, note, tags, pid: process.pid, own: this.version }; },
    async find() { return null; },
    forget() {},
    async fail() { throw Object.assign(new RangeError("there are no notes"), { code: "NO_NOTES" }); },
    leak() { return { secret: new Secret() }; },
  });
  coordinator.registerCapability("acme.facts", { color: "blue" });
}
`;

/** A module that uses it, at its mount and in a call. */
const user = `const attempt = async (act) => {
  try { return (await act()) ?? "nothing"; } catch (error) { return [error.name, error.message]; }
};
export async function mount(coordinator) {
  const notes = coordinator.getCapability("acme.notes");
  const atMount = notes === null ? null : await notes.add("at mount");
  coordinator.mount("tools", {
    name: "use_notes",
    description: "Uses notes. Use it in tests. Not for anything else.",
    schema: { type: "object", properties: {}, additionalProperties: false },
    ${facts}
    async execute() {
      if (notes === null) return { data: { notes } };
      return { data: {
        atMount, version: notes.version, limits: notes.limits, pid: process.pid,
        facts: coordinator.getCapability("acme.facts"), other: coordinator.getCapability("acme.other"),
        added: await notes.add("in a call", ["a"]),
        found: await attempt(() => notes.find()),
        forgotten: await attempt(() => notes.forget()),
        failed: await attempt(() => notes.fail()),
        leaked: await attempt(() => notes.leak()),
        given: await attempt(() => notes.add(() => 1)),
      } };
    },
  });
}
`;

const names = ["acme.notes", "acme.facts"];

type Used = Readonly<Record<string, unknown>> & {
  readonly added: { readonly pid: number };
  readonly pid: number;
};

/** Where the two modules run: each behind a border, or in the host. */
const places: readonly (readonly [string, boolean, boolean])[] = [
  ["in the host, of a module behind a border", true, false],
  ["behind a border, of a module in the host", false, true],
  ["behind a border, of a module behind another", true, true],
];

test.each(places)("a capability is used %s", async (_, providerIsFar, userIsFar) => {
  const folder = await folderOf({ "notes.mjs": notes, "user.mjs": user });
  const run = (isFar: boolean) => (isFar ? behind("permission", { capabilities: names }) : { in: "inline" });
  const host = await open({
    version: 1,
    tools: [
      { module: join(folder, "notes.mjs"), run: run(providerIsFar) },
      { module: join(folder, "user.mjs"), run: run(userIsFar) },
    ],
  });
  const used = (await host.call({ name: "use_notes", arguments: {} })).result.data as Used;

  expect(used).toMatchObject({
    atMount: { count: 1, note: "at mount", tags: [] },
    version: "1.2",
    limits: { most: 3 },
    facts: { color: "blue" },
    other: null,
    added: { count: 2, note: "in a call", tags: ["a"], own: "1.2" },
    found: "nothing",
    forgotten: "nothing",
    failed: [expect.stringMatching(/Error$/), "there are no notes"],
    leaked: [
      expect.stringMatching(/Error$/),
      "the result of acme.notes.leak.secret cannot cross a border: it is a Secret, not JSON",
    ],
    given: [
      "TypeError",
      "argument 1 of acme.notes.add cannot cross a border: it is of type function, which JSON cannot hold",
    ],
  });
  expect(used.added.pid === process.pid).toBe(!providerIsFar);
  expect(used.pid === process.pid).toBe(!userIsFar);
  expect(used.added.pid === used.pid).toBe(false);
});

test("a process that ends is replaced, and its capability answers again", async () => {
  const folder = await folderOf({
    "notes.mjs": `export function mount(coordinator) {
  coordinator.registerCapability("acme.notes", { pid: () => process.pid, exit: () => process.exit(1) });
}
`,
  });
  const run = behind("permission", { capabilities: ["acme.notes"] });
  const host = await open({ version: 1, tools: [{ module: join(folder, "notes.mjs"), run }] });
  const capability = host.coordinator.getCapability("acme.notes") as Record<
    "pid" | "exit",
    () => Promise<number>
  >;
  const first = await capability.pid();

  await expect(capability.exit()).rejects.toThrow("its process ended with exit code 1");
  expect(await capability.pid()).not.toBe(first);
});

test.each([
  ["a function", "() => 1", /acme\.x cannot cross a border: it is a function/],
  [
    "an instance of a class",
    "new (class Client { get() {} })()",
    /acme\.x cannot cross a border: it is a Client, not JSON/,
  ],
  [
    "an object that holds one",
    "{ get() {}, map: new Map() }",
    /acme\.x\.map cannot cross a border: it is a Map/,
  ],
  [
    "a value that JSON does not have",
    "{ most: Infinity }",
    /acme\.x\.most cannot cross a border: it is Infinity/,
  ],
])(
  "%s as a capability cannot cross, in either direction, and the error names it",
  async (_, value, problem) => {
    const folder = await folderOf({
      "odd.mjs": `export function mount(coordinator) { coordinator.registerCapability("acme.x", ${value}); }`,
      "user.mjs": user.replaceAll("acme.notes", "acme.x"),
    });
    const run = behind("permission", { capabilities: ["acme.x"] });
    const odd = join(folder, "odd.mjs");

    for (const tools of [
      [{ module: odd, run }],
      [{ module: odd }, { module: join(folder, "user.mjs"), run }],
    ])
      expect(await problemsOf({ version: 1, tools })).toEqual([
        expect.objectContaining({ code: "MODULE_MOUNT_FAILED", message: expect.stringMatching(problem) }),
      ]);
  },
);

test("a capability that the plan does not allow is refused, and one of another module is not there", async () => {
  const folder = await folderOf({ "notes.mjs": notes, "user.mjs": user });
  const far = { module: join(folder, "notes.mjs"), run: behind("permission") };
  const [problem] = await problemsOf({ version: 1, tools: [far] });
  expect(problem?.message).toMatch(
    /registers the capability "acme.notes".*write run: \{ in: process, capabilities: \["acme.notes"\] \}/,
  );

  const host = await open({
    version: 1,
    tools: [{ module: far.module }, { module: join(folder, "user.mjs"), run: behind("permission") }],
  });
  expect((await host.call({ name: "use_notes", arguments: {} })).result.data).toEqual({ notes: null });
});

test("a capability of the host is never granted", async () => {
  const folder = await folderOf({ "user.mjs": user });
  const run = behind("permission", { capabilities: ["session.spawn"] });

  expect(await problemsOf({ version: 1, tools: [{ module: join(folder, "user.mjs"), run }] })).toEqual([
    expect.objectContaining({ message: expect.stringContaining("the capabilities of the host") }),
  ]);
});

test("of many uses at once a process gets 256, and an error for each other one", async () => {
  const folder = await folderOf({
    "notes.mjs": `export function mount(coordinator) {
  const { promise, resolve } = Promise.withResolvers();
  globalThis.endOfWait = resolve;
  coordinator.registerCapability("acme.slow", { wait: () => promise });
}
`,
    "flood.mjs": `export function mount(coordinator) {
  const slow = coordinator.getCapability("acme.slow");
  coordinator.mount("tools", {
    name: "flood", description: "Floods. Use it in tests. Not for anything else.",
    schema: { type: "object", properties: {}, additionalProperties: false },
    ${facts}
    async execute(params, { progress }) {
      let refused = 0;
      const note = () => ++refused === 44 && progress({ progress: 44 });
      const uses = Array.from({ length: 300 }, () => slow.wait());
      for (const use of uses) use.catch(note);
      const many = await Promise.allSettled(uses);
      return { data: many.filter(({ status }) => status === "rejected").map(({ reason }) => reason.message) };
    },
  });
}
`,
  });
  const run = behind("permission", { capabilities: ["acme.slow"] });
  const tools = [{ module: join(folder, "notes.mjs") }, { module: join(folder, "flood.mjs"), run }];
  const host = await open({ version: 1, tools });
  // The other 256 wait until so many were refused: however slow the machine is, none of them makes room.
  const onProgress = () => (globalThis as unknown as { endOfWait: () => void }).endOfWait();
  const outcome = await host.call({ name: "flood", arguments: {} }, { onProgress });
  const refused = outcome.result.data as readonly string[];

  expect(refused).toHaveLength(300 - 256);
  expect(refused[0]).toContain("256 uses of capabilities run already");
});
