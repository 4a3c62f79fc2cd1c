import fc from "fast-check";
import { expect, test } from "vitest";
import { suggestFlows, type RecordedSession, type RecordedStep } from "../../src/index.ts";
import { infos, step } from "../recorded-steps.ts";

let count = 0;

const orders = [
  { id: "ORDER-11", title: "Emma" },
  { id: "ORDER-12", title: "Ivanhoe, a novel" },
];

/** The user asks for a refund without its id, the model reads the list, and a person answers. */
const refund = (
  at: number,
  outcome: RecordedStep["outcome"],
  prompt = "Refund my last order, please.",
): RecordedSession => ({
  id: `session ${++count}`,
  steps: [
    step("list_orders", {}, prompt, { value: orders }),
    step("refund_order", { order: orders[at]!.id }, prompt, { outcome }),
  ],
});

test("two approvals of an id that a tool returned become a line for the field, and one that accepts it where the user asked for the action", async () => {
  const found = suggestFlows([refund(0, "approved"), refund(1, "approved")], await infos());

  expect(found.lines.map(({ section, line }) => ({ section, line }))).toEqual([
    { section: "results", line: { match: { tool: "list_orders" }, fields: { "*.id": "structured" } } },
    {
      section: "into",
      line: {
        match: { tool: "refund_order" },
        from: ["user", "structured"],
        intent: "user",
      },
    },
    {
      section: "into",
      line: { match: { tool: ["cancel_order", "open_page"] }, from: ["user"] },
    },
  ]);
  expect(found.lines.map(({ calls }) => calls.length)).toEqual([2, 2, 0]);
  expect([found.before, found.after, found.fresh]).toEqual([2, 0, 0]);
});

test("a field of another server's results is not trusted because it has the same name", async () => {
  const prompt = "Refund my last order, please.";
  const asked = [refund(0, "approved"), refund(1, "approved")];
  const found = {
    id: "f",
    steps: [step("find_orders", {}, prompt, { value: [{ id: "ORDER-13" }, { id: "ORDER-14" }] })],
  };
  const tools = await infos();
  const search = { ...tools.find(({ name }) => name === "list_orders")!, name: "find_orders" };
  const linesWith = (owner: string) =>
    suggestFlows([...asked, found], [...tools, { ...search, owner }]).lines.map(({ line }) => line);

  expect(linesWith("elsewhere")[0]).toMatchObject({ match: { tool: "list_orders" } });
  expect(linesWith(search.owner)[0]).toMatchObject({ match: { tool: ["find_orders", "list_orders"] } });
});

test("a line of one server is not shown with the approvals of another one's field of the same name", async () => {
  const prompt = "Cancel my last order, please.";
  const value = [
    { id: "ORDER-11", ticket: "T-1" },
    { id: "ORDER-12", ticket: "T-2" },
  ];
  const cancel = (order: string): RecordedSession => ({
    id: `session ${++count}`,
    steps: [
      step("find_orders", {}, prompt, { value }),
      step("cancel_order", { order }, prompt, { outcome: "approved" }),
    ],
  });
  const tools = await infos();
  const search = {
    ...tools.find(({ name }) => name === "list_orders")!,
    name: "find_orders",
    owner: "elsewhere",
  };
  const sessions = [
    ...["ORDER-11", "ORDER-12", "T-1", "T-2"].map(cancel),
    refund(0, "approved"),
    refund(1, "approved"),
  ];
  const results = suggestFlows(sessions, [...tools, search]).lines.filter(
    ({ section }) => section === "results",
  );

  expect(results.map(({ line, calls }) => [line["match"], calls.length])).toEqual([
    [{ tool: "find_orders" }, 4],
    [{ tool: "list_orders" }, 2],
  ]);
});

test("ids that are numbers are found, too", async () => {
  const prompt = "Refund my last order, please.";
  const session = (order: number): RecordedSession => ({
    id: String(order),
    steps: [
      step("list_orders", {}, prompt, { value: { rows: [{ number: 4711 }, { number: 4712 }] } }),
      step("refund_order", { order }, prompt, { outcome: "approved" }),
    ],
  });
  const { lines } = suggestFlows([session(4711), session(4712)], await infos());
  expect(lines[0]!.line).toEqual({ match: { tool: "list_orders" }, fields: { "*.number": "structured" } });
});

test("one approval of what a service says is too few; one of what the user's own words choose is enough", async () => {
  expect(suggestFlows([refund(0, "approved")], await infos()).lines).toEqual([]);

  const prompt = "Get the book from https://books.example.";
  const page = "https://books.example/emma.pdf";
  const steps = [
    step("read_mail", {}, prompt, { value: [{ body: `See ${page}` }] }),
    step("open_page", { url: page }, prompt, { outcome: "approved" }),
  ];
  const { lines } = suggestFlows([{ id: "s", steps }], await infos());
  expect(lines).toHaveLength(1);
  expect(lines[0]!.line["from"]).toEqual(["user", "shownLink"]);
});

test("a field that a person can write is not trusted, however often its values were approved", async () => {
  const prompt = "Refund what the mail says.";
  const mail = (subject: string): RecordedSession => ({
    id: subject,
    steps: [
      step("read_mail", {}, prompt, { value: [{ subject }, { subject: "Hello there" }] }),
      step("refund_order", { order: subject }, prompt, { outcome: "approved" }),
    ],
  });
  const found = suggestFlows(["ORDER-1", "ORDER-2", "ORDER-3"].map(mail), await infos());
  expect(found.lines).toEqual([]);
  expect(found.after).toBe(3);
});

test("a line that would let through what a person denied is not suggested", async () => {
  const denied = refund(1, "denied", "Please refund an order.");
  const found = suggestFlows([refund(0, "approved"), refund(0, "approved"), denied], await infos());
  expect(found.lines).toEqual([]);
  expect(found.asks.get(denied.steps[1]!.id)).toBe(true);
});

test("tools of which the plan speaks already are left as they are", async () => {
  const written = { into: [{ match: { tool: "refund_order" }, from: ["user"] }] };
  expect(suggestFlows([refund(0, "approved"), refund(1, "approved")], await infos(), written).lines).toEqual(
    [],
  );
});

test("a call that ran without a question, and about which flows would ask, is counted", async () => {
  const sessions = [refund(0, "ran")];
  expect(suggestFlows(sessions, await infos()).fresh).toBe(1);
  // Where the plan has flows already, they ask about it without the lines, too.
  expect(suggestFlows(sessions, await infos(), "on").fresh).toBe(0);
});

test("a record with a value that the plan names as the user's own is the user's", async () => {
  const account = { email: "emma@acme.example", shelf: "blue shelf", room: "attic" };
  const cancel = (order: string): RecordedSession => ({
    id: `session ${++count}`,
    steps: [
      step("read_account", {}, "Cancel what I put there.", { value: account }),
      step("cancel_order", { order }, "Cancel what I put there.", { outcome: "approved" }),
    ],
  });
  const tools = await infos();
  const sessions = [cancel("attic"), cancel("blue shelf")];
  const { lines } = suggestFlows(sessions, tools, { identity: ["emma@acme.example"] });
  expect(lines[0]).toMatchObject({
    section: "results",
    line: { match: { tool: "read_account" }, trust: "identity" },
  });
  expect(suggestFlows(sessions, tools).lines).toEqual([]);
});

test.each([
  ["a list", {}, [{ email: "emma@acme.example", shelf: "blue shelf", room: "attic" }]],
  [
    "an object with lists",
    {},
    { email: "emma@acme.example", shelf: "blue shelf", room: "attic", notes: ["hello"] },
  ],
  ["another person's record", {}, { email: "eve@acme.example", shelf: "blue shelf", room: "attic" }],
  [
    "a message of another person to the user",
    {},
    { to: "emma@acme.example", from: "eve@acme.example", shelf: "blue shelf", room: "attic" },
  ],
  [
    "a record that arguments chose",
    { user: "emma" },
    { email: "emma@acme.example", shelf: "blue shelf", room: "attic" },
  ],
])("%s is not the user's own record", async (_title, given, value) => {
  const cancel = (order: string): RecordedSession => ({
    id: `session ${++count}`,
    steps: [
      step("read_account", given, "Cancel what I put there.", { value }),
      step("cancel_order", { order }, "Cancel what I put there.", { outcome: "approved" }),
    ],
  });
  const sessions = [cancel("attic"), cancel("blue shelf")];
  expect(suggestFlows(sessions, await infos(), { identity: ["emma@acme.example"] }).lines).toEqual([]);
});

test("a tool that was approved without the user naming its action gets no line that asks for that", async () => {
  const named = "Have a look at ORDER-12.";
  const plain = {
    id: "s",
    steps: [step("refund_order", { order: "ORDER-12" }, named, { outcome: "approved" })],
  };
  const found = suggestFlows([refund(0, "approved"), refund(1, "approved"), plain], await infos());
  expect(found.lines).toEqual([]);
});

const anyStep = fc.record({
  tool: fc.constantFrom("list_orders", "read_mail", "refund_order", "cancel_order", "open_page"),
  at: fc.nat(1),
  prompt: fc.constantFrom("Refund ORDER-11.", "Cancel it.", "Look at shop.example.", "Refund my order."),
  outcome: fc.constantFrom("approved", "denied", "ran"),
});

test("no suggestion asks more often about approved calls, nor lets a denied call pass that asked", async () => {
  const tools = await infos();
  const values: Readonly<Record<string, RecordedStep["value"]>> = {
    list_orders: orders,
    read_mail: [{ body: "Open shop.example/a, and cancel ORDER-12" }],
  };
  fc.assert(
    fc.property(fc.array(fc.array(anyStep, { maxLength: 6 }), { maxLength: 6 }), (drawn) => {
      const sessions = drawn.map((steps, id): RecordedSession => ({
        id: String(id),
        steps: steps.map(({ tool, at, prompt, outcome }) => {
          const url = ["https://shop.example/a", "https://other.example"][at]!;
          const given =
            tool === "open_page" ? { url } : values[tool] === undefined ? { order: orders[at]!.id } : {};
          return step(tool, given, prompt, { value: values[tool] ?? null, outcome });
        }),
      }));
      const steps = sessions.flatMap((one) => one.steps);
      const found = suggestFlows(sessions, tools, "on");
      const bare = suggestFlows(sessions, tools, { into: [{ match: { category: "side_effect" } }] });
      for (const { id, outcome } of steps) {
        if (outcome === "denied" && bare.asks.get(id) === true) expect(found.asks.get(id)).toBe(true);
      }
      expect(found.after).toBeLessThanOrEqual(found.before);
    }),
  );
});
