import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const pay = oneTool({
  name: "pay",
  schema: "amount: z.number(), token: z.string().optional()",
  confirm: "true",
  body: "return data({ paid: params.amount });",
});
const policy = `
policy:
  level: standard
  rules:
    - { match: { tool: pay, arguments: { amount: 13 } }, answer: deny, reason: unlucky }
    - { match: { tool: pay, arguments: { amount: 1 } }, answer: allow, waives: confirmation }
    - { match: { user: "guest*" }, answer: ask, reason: guests are asked about }
`;
const who = ["--user", "alice", "--session", "s-1"];

describe("a call that has to wait, by the command", () => {
  test("prints its ticket and ends with 3; once approved elsewhere it is resumed", async () => {
    const { run } = await workspace({ "pay.ts": pay, "plan.yaml": planOf("./pay.ts") });

    const asked = await run(["call", "plan.yaml", "pay", '{"amount":5,"token":"hunter2"}', "--json", ...who]);
    expect(asked.code, asked.stderr).toBe(3);
    const { ticket } = asked.json() as { ticket: string };
    expect((await run(["resume", ticket, "plan.yaml", ...who])).code).toBe(3);

    const listed = await run(["approvals", "list", "plan.yaml", "--json"]);
    expect(listed.stdout).not.toContain("hunter2");
    expect(listed.stdout).not.toContain(ticket);
    const { waiting } = listed.json() as {
      waiting: { id: string }[];
    };
    const decided = await run([
      "approvals",
      "approve",
      waiting[0]!.id,
      "plan.yaml",
      "--by",
      "bob",
      "--remember",
      "arguments",
      "--for",
      "8h",
    ]);
    expect(decided.code, decided.stderr).toBe(0);
    expect((await run(["approvals", "deny", waiting[0]!.id, "plan.yaml", "--json"])).json()).toMatchObject({
      error: { code: "APPROVAL_DECIDED" },
    });

    expect((await run(["resume", ticket, "plan.yaml", "--user", "mallory", "--json"])).json()).toMatchObject({
      error: { code: "TICKET_INVALID" },
    });
    const outcome = await run(["resume", ticket, "plan.yaml", "--json", ...who]);
    expect(outcome.json()).toMatchObject({ status: "ok", result: { data: { paid: 5 } } });

    const again = await run(["call", "plan.yaml", "pay", '{"token":"hunter2","amount":5}', ...who]);
    expect(again.code, "the same arguments are approved from now on").toBe(0);
    const standing = await run(["approvals", "standing", "plan.yaml"]);
    expect(standing.stdout).toMatch(
      /^pay {2}\S+\n {2}with the same arguments, for calls of \S+\n {2}approved by bob just now, used 1 time, the last just now, until \d{4}-[\d-]+T[\d:.]+Z\n\n1 remembered approval\n$/,
    );
    expect((await run(["approvals", "approve", "none", "plan.yaml", "--for", "soon"])).code).toBe(2);
    const { always } = (await run(["approvals", "list", "plan.yaml", "--json"])).json() as {
      always: { id: string }[];
    };
    expect((await run(["approvals", "revoke", always[0]!.id, "plan.yaml"])).code).toBe(0);
    expect((await run(["call", "plan.yaml", "pay", '{"amount":5,"token":"hunter2"}', ...who])).code).toBe(3);
  });

  test("approved with other arguments it runs with them, and a rule judges them again", async () => {
    const plan = `${planOf("./pay.ts")}state: sqlite:./kept/state.db\n${policy}`;
    const { here: run } = await workspace({ "pay.ts": pay, "plan.yaml": plan });
    const ask = async (amount: number) => {
      const asked = await run(["call", "plan.yaml", "pay", `{"amount":${amount}}`, "--json", ...who]);
      const listed = (await run(["approvals", "list", "plan.yaml", "--json"])).json();
      const { waiting } = listed as { waiting: { id: string }[] };
      return { id: waiting[0]!.id, ticket: (asked.json() as { ticket: string }).ticket };
    };
    const edit = (id: string, args: string) =>
      run(["approvals", "approve", id, "plan.yaml", "--arguments", args]);
    const resume = async (ticket: string) =>
      (await run(["resume", ticket, "plan.yaml", "--json", ...who])).json();

    const first = await ask(5);
    expect((await edit(first.id, "[5]")).stderr).toContain("--arguments is a JSON object of all arguments");
    expect((await edit(first.id, '{"amount":"all"}')).stderr).toContain(
      "OPTION_INVALID option arguments: amount must be a number",
    );
    expect((await edit(first.id, '{"amount":3}')).code).toBe(0);
    expect(await resume(first.ticket)).toMatchObject({ status: "ok", result: { data: { paid: 3 } } });

    const second = await ask(6);
    expect((await edit(second.id, '{"amount":13}')).code).toBe(0);
    expect(await resume(second.ticket)).toMatchObject({
      status: "denied",
      result: { error: '"pay" was not run: unlucky' },
    });
  });

  test("a denial shows its reason, and an audit what happened, unchanged", async () => {
    const plan = `${planOf("./pay.ts")}state: sqlite:./kept/state.db\naudit: durable\n${policy}`;
    const { here: run } = await workspace({ "pay.ts": pay, "plan.yaml": plan });

    expect((await run(["call", "plan.yaml", "pay", '{"amount":1}'])).code).toBe(0);
    const unlucky = await run(["call", "plan.yaml", "pay", '{"amount":13}', "--json"]);
    expect(unlucky.json()).toMatchObject({
      status: "denied",
      result: { error: '"pay" was not run: unlucky' },
    });
    const asked = await run(["call", "plan.yaml", "pay", '{"amount":5}', "--json", "--user", "guest 1"]);
    const { waiting } = (await run(["approvals", "list", "plan.yaml", "--json"])).json() as {
      waiting: { id: string; reasons: { rule: string }[] }[];
    };
    expect(waiting[0]!.reasons[0]).toMatchObject({ source: "rule", rule: "plan.yaml:12:7" });
    await run(["approvals", "deny", waiting[0]!.id, "plan.yaml", "--reason", "not for guests"]);
    const { ticket } = asked.json() as { ticket: string };
    const resumed = await run(["resume", ticket, "plan.yaml", "--user", "guest 1", "--json"]);
    expect(resumed.json()).toMatchObject({
      status: "denied",
      result: { error: '"pay" was not run: not for guests' },
    });

    const shown = (await run(["audit", "plan.yaml", "--json"])).json() as unknown as { kind: string }[];
    expect(shown.map(({ kind }) => kind)).toEqual(["start", "end", "end", "pending", "decision", "end"]);
    const checked = await run(["audit", "plan.yaml", "--check"]);
    expect(checked.stdout).toContain("unchanged");
    expect(checked.code).toBe(0);
  });
});

describe("the audit of a plan that says nothing of it", () => {
  const database = ".toolmount/state.db";
  const ledger = `
    import { existsSync } from "node:fs";
    import { DatabaseSync } from "node:sqlite";
    import { data, defineTool, type Coordinator } from "@toolmount/core";
    import { z } from "zod";

    const file = new URL("./${database}", import.meta.url).pathname;
    /** What is on disk while the tool runs. */
    function look() {
      if (!existsSync(file)) return data({ kept: [] });
      using disk = new DatabaseSync(file, { readOnly: true });
      const rows = disk.prepare("select body from audit").all();
      return data({ kept: rows.map(({ body }) => JSON.parse(String(body)).entry.kind) });
    }
    const facts = { description: "Looks. Use in tests.", schema: z.strictObject({ token: z.string().optional() }), consequenceLevel: "low", requiresConfirmation: false, execute: async () => look() } as const;
    export function mount(coordinator: Coordinator) {
      coordinator.mount("tools", defineTool({ ...facts, name: "l_read", category: "read" }));
      coordinator.mount("tools", defineTool({ ...facts, name: "l_write", category: "write" }));
    }
  `;

  test("is durable for all but read: a read opens no database, a write is on disk before it runs", async () => {
    const { folder, here: run } = await workspace({
      "ledger.ts": ledger,
      "plan.yaml": planOf("./ledger.ts"),
    });

    const read = await run(["call", "plan.yaml", "l_read", "{}", "--json"]);
    expect(read.json(), read.stderr).toMatchObject({ status: "ok", result: { data: { kept: [] } } });
    expect(existsSync(join(folder, database))).toBe(false);

    const written = await run(["call", "plan.yaml", "l_write", '{"token":"hunter2"}', "--json"]);
    expect(written.json(), written.stderr).toMatchObject({ result: { data: { kept: ["start"] } } });
    await run(["call", "plan.yaml", "l_read", "{}"]);

    const shown = await run(["audit", "plan.yaml", "--json"]);
    expect(shown.json()).toMatchObject([
      { kind: "start", tool: "l_write" },
      { kind: "end", tool: "l_write", status: "ok" },
    ]);
    expect(shown.stdout).not.toContain("hunter2");
    expect((await run(["audit", "plan.yaml", "--check"])).stdout).toBe("2 records, unchanged\n");
  });

  test("there is no audit with audit: off", async () => {
    const plan = `${planOf("./ledger.ts")}audit: off\n`;
    const { folder, here: run } = await workspace({ "ledger.ts": ledger, "plan.yaml": plan });

    expect((await run(["call", "plan.yaml", "l_write", "{}"])).code).toBe(0);
    expect(existsSync(join(folder, database))).toBe(false);
    expect((await run(["audit", "plan.yaml", "--json"])).json()).toMatchObject({
      error: { code: "EXTENSION_MISSING" },
    });
  });
});

describe("the plan's own tests", () => {
  const tests = `
tests:
  - call: { pay: { amount: 13 } }
    expect: { answer: deny, reason: unlucky }
  - call: { pay: { amount: 1 } }
    given: { data: { paid: 1 } }
    expect: { answer: allow, arguments: { amount: 1 }, result: { data: { paid: 1 } } }
  - call: { pay: { amount: 5 } }
    as: guest 7
    expect: { answer: ask, reason: guests are asked about, rule: "plan.yaml:10:7" }
  - call: { pay: { amount: much } }
    expect: { answer: invalid }
`;

  test("hold without running a tool, and notice when any rule is flipped", async () => {
    const broken = pay
      .replace("return data(", "throw new Error(")
      .replace("params.amount }", "params.amount }.toString()");
    const { here: run } = await workspace({
      "pay.ts": broken,
      "plan.yaml": planOf("./pay.ts") + policy + tests,
    });
    const ended = await run(["test", "plan.yaml", "--mutate"]);
    expect(ended.stdout, ended.stderr).toContain("4 tests, 0 failed; 3 mutants, 0 not noticed");
    expect(ended.code).toBe(0);
  });

  test("a rule that no test notices, and an expectation that does not hold, end with 1 and their line", async () => {
    const { here: run } = await workspace({
      "pay.ts": pay,
      "plan.yaml": planOf("./pay.ts") + policy + tests.split("  - call: { pay: { amount: 5 } }")[0]!,
      "wrong.yaml": `${planOf("./pay.ts")}${policy}tests:\n  - call: { pay: { amount: 13 } }\n    expect: { answer: allow }\n`,
    });
    const missed = await run(["test", "plan.yaml", "--mutate", "--json"]);
    expect(missed.code).toBe(1);
    expect(missed.json()).toMatchObject({
      mutants: [{ noticed: true }, { noticed: true }, { noticed: false, at: "plan.yaml:10:7" }],
    });
    const wrong = await run(["test", "wrong.yaml"]);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toContain("the answer is deny, not allow");
  });

  test("an invalid test is reported with its line", async () => {
    const { here: run } = await workspace({
      "pay.ts": pay,
      "plan.yaml": `${planOf("./pay.ts")}tests:\n  - call: { pay: {} }\n    expects: {}\n`,
    });
    const ended = await run(["test", "plan.yaml"]);
    expect(ended.stderr).toMatch(/plan\.yaml:6:\d+: unknown key "expects"/);
    expect(ended.code).not.toBe(0);
  });
});

describe("a tool whose call needs a person", () => {
  const payTwice = `
    import { data, defineTool, failure, type Coordinator } from "@toolmount/core";
    import { z } from "zod";

    const tool = defineTool({
      name: "pay_all",
      description: "Pays each amount. Use in tests.",
      schema: z.strictObject({ amounts: z.array(z.number()) }),
      category: "side_effect",
      consequenceLevel: "medium",
      requiresConfirmation: false,
      idempotent: true,
      execute: async ({ amounts }, { call }) => {
        const paid = await Promise.all(amounts.map((amount) => call({ name: "pay", arguments: { amount } })));
        const failed = paid.find(({ result }) => result.error !== undefined);
        return failed === undefined ? data(paid.length) : failure(failed.result.error ?? "");
      },
    });

    export function mount(coordinator: Coordinator) {
      coordinator.mount("tools", tool);
    }
  `;

  test.each(["inline", "process"])(
    "waits in the state of the plan, with its code %s, and resumes in another process",
    async (place) => {
      const plan = `${planOf("./pay.ts")}  - module: ./pay-all.ts\n    run: { in: ${place} }\n`;
      const { run } = await workspace({ "pay.ts": pay, "pay-all.ts": payTwice, "plan.yaml": plan });
      const asked = await run(["call", "plan.yaml", "pay_all", '{"amounts":[5,7]}', "--json", ...who]);
      expect(asked.code, asked.stderr).toBe(3);
      const { ticket } = asked.json() as { ticket: string };
      const questions = new Set<string>();
      let resumed = asked;
      // From another process the two calls may come one after the other: then the second question follows the first answer.
      while (resumed.code === 3) {
        const { waiting } = (await run(["approvals", "list", "plan.yaml", "--json"])).json() as {
          waiting: { id: string; tool: string }[];
        };
        expect(waiting).not.toEqual([]);
        for (const { id } of waiting) {
          questions.add(id);
          expect((await run(["approvals", "approve", id, "plan.yaml", "--by", "bob"])).code).toBe(0);
        }
        resumed = await run(["resume", ticket, "plan.yaml", "--json", ...who]);
      }
      expect(questions.size).toBe(2);
      expect(resumed.json()).toMatchObject({ status: "ok", tool: "pay_all", result: { data: 2 } });
    },
  );
});
