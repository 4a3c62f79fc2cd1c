import { expect, test } from "vitest";
import { oneTool, workspace } from "../../support/workspace.ts";

const shell = oneTool({
  name: "run",
  schema: "command: z.string()",
  confirm: "true",
  body: `return data({ ran: params.command });`,
});
const note = oneTool({
  name: "note",
  schema: "path: z.string(), text: z.string().optional()",
  confirm: "true",
  body: `return data({});`,
}).replace('consequenceLevel: "medium"', 'consequenceLevel: "low"');

const plan = `# The plan of a shop.
version: 1
tools:
  - module: ./run.ts # programs
  - module: ./note.ts
policy:
  ask: ["run(npm publish*)"] # always
`;

const asked = (status: string, tool: string, given: object) =>
  `${JSON.stringify({ kind: "end", runId: `r${Math.random()}`, tool, arguments: given, status, ...(status === "ok" ? { approvedBy: "ada" } : { by: "ada" }), asked: [{ source: "confirmation", rule: null }] })}\n`;
const ran = (command: string) => asked("ok", "run", { command });
const denied = (command: string) => asked("denied", "run", { command });

const record = [
  ...["git log -3", "git log --oneline", "git log -p a", "git status", "git status", "ls -l src"].map(ran),
  ...["npm publish --tag a", "npm publish --tag b"].map(ran),
  ...["git push origin main", "git log --all > /etc/x"].map(denied),
  ...["a.md", "b.md", "c.md"].map((path) => asked("ok", "note", { path })),
].join("");

const files = { "plan.yaml": plan, "run.ts": shell, "note.ts": note, "audit.jsonl": record };

interface Found {
  readonly lines: readonly { readonly list: string; readonly line: string; readonly calls: number }[];
}

test("policy suggest names the narrowest lines that allow what people allowed and ask about what they denied", async () => {
  const { here: run } = await workspace(files);
  const found = await run(["policy", "suggest", "plan.yaml", "--from", "audit.jsonl", "--json"]);
  const { lines, ...rest } = found.json() as unknown as Found;

  expect(lines.map(({ list, line, calls }) => `${list} ${line} ${calls}`).toSorted()).toEqual([
    "allow note 3",
    "allow run(git status) 2",
  ]);
  expect(rest).toMatchObject({
    answered: 13,
    spared: 5,
    remaining: {
      "run: asked by plan.yaml:7:9, which no line removes": 2,
      "run: too few approvals that are alike": 4,
    },
  });
});

test("a question that no person answered says nothing, and what people answered at a terminal is in the audit", async () => {
  const { here: run, write } = await workspace(files);
  const open = {
    kind: "end",
    tool: "run",
    arguments: { command: "git status" },
    asked: [{ source: "confirmation" }],
  };
  const ends = [
    { status: "denied", code: "APPROVAL_EXPIRED", by: "timeout" },
    { status: "denied", code: "DENIED" },
    { status: "cancelled" },
    { status: "ok", allowedBy: "the declared default" },
  ];
  await write(
    "audit.jsonl",
    ends.map((end, at) => `${JSON.stringify({ ...open, ...end, runId: `r${at}` })}\n`).join(""),
  );
  const found = await run(["policy", "suggest", "plan.yaml", "--from", "audit.jsonl", "--json"]);
  expect(found.json()).toMatchObject({ answered: 0, lines: [] });
});

test("the lines are an edit of the plan that keeps its comments, and no denied call is allowed by them", async () => {
  const { here: run, read, write } = await workspace(files);
  await write("audit.jsonl", record.replaceAll("git log --all > /etc/x", "rm -r /etc"));
  const shown = await run(["policy", "suggest", "plan.yaml", "--from", "audit.jsonl"]);
  expect(await read("plan.yaml")).toBe(plan);
  await run(["policy", "suggest", "plan.yaml", "--from", "audit.jsonl", "--yes"]);
  const written = await read("plan.yaml");
  const again = await run(["policy", "suggest", "plan.yaml", "--from", "audit.jsonl", "--json"]);
  const diff = await run(["policy", "diff", "plan.yaml", "--from", "audit.jsonl"]);

  expect(shown.stdout).toContain("allow run(git status): 2 calls");
  expect(shown.stdout).toMatch(/\+ .*git status/);
  for (const text of ["# The plan of a shop.", "# programs", "# always", "run(git status)"])
    expect(written).toContain(text);
  expect(again.json()).toMatchObject({ lines: [], spared: 0 });
  expect(diff.stdout).toContain("ask → allow run");
  expect(diff.stdout).not.toMatch(/git push|rm -r/);
});

test("a call that a person denied and that the plan allows now is asked about again", async () => {
  const { here: run, write } = await workspace(files);
  await write("plan.yaml", plan.replace("ask: [", 'allow: ["run(*)"]\n  ask: ['));
  const found = await run(["policy", "suggest", "plan.yaml", "--from", "audit.jsonl", "--json"]);
  const { lines } = found.json() as unknown as Found;
  expect(lines.map(({ list, line }) => `${list} ${line}`)).toContain("ask run(git push origin main)");
});

test("sessions show the smallest budget that would have allowed all of them", async () => {
  const { here: run, write } = await workspace(files);
  const calls = ["a", "b", "b", "c", "d", "e", "b"].map((session, at) => ({
    kind: "end",
    tool: "run",
    arguments: { command: "ls" },
    status: "ok",
    runId: `r${at}`,
    sessionId: session,
  }));
  await write("audit.jsonl", calls.map((call) => `${JSON.stringify(call)}\n`).join(""));
  const found = await run(["policy", "suggest", "plan.yaml", "--from", "audit.jsonl"]);
  expect(found.stdout).toContain("the longest of 5 sessions made 3 calls: budgets: { calls: 3 }");
});

test("the plan's own audit has the answers of people, and its lines spare the next question", async () => {
  const { here: run } = await workspace(files);
  const call = () => run(["call", "plan.yaml", "run", "command=git status", "--approve"]);
  expect([(await call()).code, (await call()).code]).toEqual([0, 0]);
  const found = await run(["policy", "suggest", "plan.yaml", "--yes", "--json"]);
  const free = await run(["call", "plan.yaml", "run", "command=git status"]);

  expect(found.json()).toMatchObject({ answered: 2, lines: [{ line: "run(git status)", calls: 2 }] });
  expect(free.code, free.stderr).toBe(0);
});
