import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, response, say } from "../support/exchange.ts";
import { workspace } from "../support/workspace.ts";

const tools = join(import.meta.dirname, "../../../../tools");
const plan = `version: 1
tools:
  - { module: filesystem, source: "file:${tools}/filesystem", config: { allowed_write_paths: [out] } }
  - { module: program, source: "file:${tools}/program" }
state: sqlite:./state/state.db
`;

const bordered = plan.replace(
  "config: { allowed_write_paths: [out] } }",
  "config: { allowed_write_paths: [out] }, run: { in: process, border: bubblewrap, write: [out] } }",
);

async function office(given = plan) {
  const exchange = [
    response(call("c1", "write_file", { file_path: "out/a.txt", content: "two\n" })),
    response(
      call("c2", "read_file", { file_path: "out/a.txt" }),
      call("c3", "delete_file", { path: "out/b.txt" }),
    ),
    response(say("Done.")),
  ];
  const made = await workspace({
    "mount-plan.yaml": given,
    "out/a.txt": "one\n",
    "out/b.txt": "b\n",
    "exchange.json": JSON.stringify(exchange),
    "all.ts": `
      await tools.write_file({ file_path: "out/a.txt", content: "program\\n" });
      return tools.read_file({ file_path: "out/a.txt" });
    `,
  });
  const text = (name: string) => readFile(join(made.folder, "out", name), "utf8");
  return { ...made, text };
}

const places = [
  ["in this process", plan],
  ["behind a border", bordered],
] as const;

test.each(places)(
  "toolmount call --rehearse shows what a call %s would change, asks no person, and changes nothing",
  async (_, given) => {
    const { here, text } = await office(given);
    const { code, stdout, stderr } = await here(["call", "delete_file", "path=out/b.txt", "--rehearse"]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(
      '1 delete_file {"path":"out/b.txt","recursive":false}\n  delete out/b.txt\n    -b\n  asks: "delete_file" asks for confirmation\n1 call would change something; none did',
    );
    expect(await text("b.txt")).toBe("b\n");
  },
);

test.each(places)(
  "toolmount program --rehearse runs the program over changes that are staged %s",
  async (_, given) => {
    const { here, text } = await office(given);
    const { code, json, stderr } = await here([
      "program",
      "all.ts",
      "--rehearse",
      "--session",
      "s",
      "--json",
    ]);
    expect(code, stderr).toBe(0);
    expect(JSON.stringify(json()["result"])).toContain("program");
    expect(json()["rehearsal"]).toMatchObject({
      calls: [{ tool: "write_file", effects: [{ change: "change", difference: "-one\n+program" }] }],
      stopped: null,
    });
    expect(await text("a.txt")).toBe("one\n");
    // The real run is not answered from the rehearsal.
    expect((await here(["program", "all.ts", "--session", "s"])).code).toBe(0);
    expect(await text("a.txt")).toBe("program\n");
  },
);

test("toolmount run --rehearse shows what a turn would change, and keeps neither changes nor conversation", async () => {
  const { here, run, text } = await office();
  const { code, stdout, stderr } = await run([
    "run",
    "--model",
    "replay:exchange.json",
    "--rehearse",
    "tidy up",
  ]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("change out/a.txt\n    -one\n    +two");
  expect(stdout).toContain("2 calls would change something; none did");
  expect([await text("a.txt"), await text("b.txt")]).toEqual(["one\n", "b\n"]);
  expect((await here(["sessions", "list"])).stdout).toBe("no sessions yet\n");
  expect(stderr).not.toContain("session rehearsal-");
});
