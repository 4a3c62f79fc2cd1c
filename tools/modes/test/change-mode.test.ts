import { createHost, type HostOptions, type ModeCatalog } from "@toolmount/core";
import { config, createChangeMode, mount, type ModeChanged } from "@toolmount/tool-modes";
import { expect, test } from "vitest";
import { catalogOf, failing, recordingLogger } from "./catalog.ts";

const reason = "The user wants a plan first";
const wanted = { mode: "planning", branch: false, reason };

async function hostWith(options: HostOptions = {}, catalog: ModeCatalog | null = catalogOf()) {
  const host = createHost({ approver: () => ({ decision: "approve", by: "ada" }), ...options });
  if (catalog !== null) host.coordinator.mount("mode-catalog", catalog);
  await mount(host.coordinator, config.parse({}));
  return host;
}

test("C37, APTIX-N20: changes the session's mode from the next turn on", async () => {
  const session = (await hostWith()).session("s-1");
  const { result } = await session.call({ name: "agent_change_mode", arguments: wanted }, { turnId: "t-1" });

  expect(result.data).toEqual({
    success: true,
    mode: "planning",
    branch: false,
    reason,
    previousMode: "general",
    changed: true,
  });
  expect(await session.mode({ turnId: "t-1" })).toBe("general");
  expect(await session.mode({ turnId: "t-2" })).toBe("planning");
});

test("a change is undone, unless the mode was changed again since", async () => {
  const session = (await hostWith()).session("s-1");
  await session.call({ name: "agent_change_mode", arguments: wanted });
  expect((await session.undo()).undone).toHaveLength(1);
  expect(await session.mode()).toBe("general");

  await session.call({ name: "agent_change_mode", arguments: wanted });
  session.restore({});
  expect((await session.undo()).stopped?.outcome.result).toMatchObject({ code: "CHANGED_SINCE" });
});

test("a rehearsal shows the change, and leaves the mode as it is", async () => {
  const session = (await hostWith()).session("s-1");
  const rehearsal = session.rehearse();
  await rehearsal.call({ name: "agent_change_mode", arguments: wanted });
  await rehearsal.call({ name: "agent_change_mode", arguments: wanted });
  expect(rehearsal.calls.map(({ effects }) => effects)).toEqual([
    [{ target: "the mode of the session", change: "change", difference: "-general\n+planning" }],
  ]);
  expect(await session.mode()).toBe("general");
});

test("changing to the mode that the session has is a success that changed nothing", async () => {
  const session = (await hostWith()).session("s-1");
  await session.call({ name: "agent_change_mode", arguments: wanted });

  expect((await session.call({ name: "agent_change_mode", arguments: wanted })).result.data).toMatchObject({
    success: true,
    previousMode: "planning",
    changed: false,
  });
});

test("with branch the session keeps its mode, and the application is reported", async () => {
  const host = await hostWith();
  const reported: unknown[] = [];
  host.coordinator.hooks.observe("mode:changed", (_, event) => void reported.push(event));
  const call = { name: "agent_change_mode", arguments: { ...wanted, branch: true } };
  const { result } = await host.session("s-1").call(call);

  expect(result.data).toMatchObject({ success: true, branch: true, changed: false });
  expect(await host.session("s-1").mode()).toBe("general");
  await expect.poll(() => reported).toEqual([expect.objectContaining({ branch: true, mode: "planning" })]);
});

test("APTIX-N24: nothing is changed unless a person agreed", async () => {
  const asked: string[] = [];
  const host = await hostWith({
    approver: ({ prompt }) => {
      asked.push(prompt);
      return { decision: "deny", by: "ada" };
    },
  });
  const outcome = await host.session("s-1").call({ name: "agent_change_mode", arguments: wanted });

  expect(outcome.status).toBe("denied");
  expect(asked).toHaveLength(1);
  expect(await host.session("s-1").mode()).toBe("general");
});

test("APTIX-N24: its usage has the model offer to stay, to switch, or to switch in a new session", () => {
  expect(createChangeMode({}, { catalog: null }).usage).toMatch(
    /stay, switch here, or switch in a new session/,
  );
});

test("APTIX-N22: it is offered in every mode, even in one that offers nothing else", async () => {
  const [general, planning] = await catalogOf().listModes({ signal: AbortSignal.abort() });
  const host = await hostWith({}, catalogOf([general!, { ...planning!, tools: ["no_such_tool"] }]));

  expect((await host.offer({ mode: "planning" })).tools.map(({ name }) => name)).toEqual([
    "agent_change_mode",
  ]);
});

test("APTIX-N23: session, user and organisation come from the context, and are no arguments", async () => {
  const tool = createChangeMode({}, { catalog: catalogOf() });

  for (const stray of ["sessionId", "session_id", "userId", "orgId"])
    expect(await tool.execute({ ...wanted, [stray]: "s-2" }, { sessionId: "s-1" })).toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
});

test("APTIX-N25: a change is logged and reported with session, previous and new mode, reason, user and organisation", async () => {
  const logger = recordingLogger();
  const reported: ModeChanged[] = [];
  const tool = createChangeMode({}, { catalog: catalogOf(), tell: (change) => void reported.push(change) });
  const context = { sessionId: "s-1", userId: "ada", orgId: "acme", logger };
  await tool.execute(wanted, context);
  const other: object = { ...context, orgId: 7 };
  await tool.execute({ ...wanted, branch: true }, other);

  const change = {
    session_id: "s-1",
    previous_mode: "general",
    mode: "planning",
    branch: false,
    reason,
    user_id: "ada",
    org_id: "acme",
  };
  const branched = { ...change, branch: true, org_id: null };
  expect(reported).toEqual([change, branched]);
  const attributesOf = (fields: object) =>
    Object.entries(fields).map(([key, value]) => [key, value === null ? "" : String(value)]);
  expect(logger.lines).toEqual([
    {
      level: "info",
      fields: { event: "mode:changed", attributes: attributesOf(change) },
      message: "the mode of a session was changed",
    },
    {
      level: "info",
      fields: { event: "mode:changed", attributes: attributesOf(branched) },
      message: "a new session in a mode is wanted",
    },
  ]);
});

test("APTIX-N19: a mode that the catalog lacks is refused, and the known ones are named", async () => {
  const session = (await hostWith()).session("s-1");
  const call = { name: "agent_change_mode", arguments: { ...wanted, mode: "i".repeat(101) } };

  expect((await session.call(call)).result).toMatchObject({
    error: `There is no mode '${"i".repeat(100)}'; there are: general, planning.`,
    code: "UNKNOWN_MODE",
    details: { known: ["general", "planning"] },
  });
  expect(await session.mode()).toBe("general");
});

test("without a session there is no mode to change", async () => {
  const host = await hostWith();

  expect((await host.call({ name: "agent_change_mode", arguments: wanted })).result).toMatchObject({
    error: "ModeChangeTool cannot change mode because the session id is missing.",
    code: "SESSION_MISSING",
  });
});

test.each([
  { title: "throws", catalog: failing },
  { title: "is missing", catalog: null },
])("a catalog that $title is logged, and nothing is changed", async ({ catalog }) => {
  const logger = recordingLogger();
  const tool = createChangeMode({}, { catalog });

  expect(await tool.execute(wanted, { sessionId: "s-1", logger })).toMatchObject({
    error: "ModeChangeTool failed to change the session mode.",
    code: "MODE_NOT_CHANGED",
  });
  expect(logger.lines).toMatchObject([
    {
      level: "error",
      message: "[agent_change_mode_ExecuteAsync__Exception] the mode catalog could not be read",
    },
  ]);
});

test.each([
  {
    title: "no mode",
    params: { branch: false, reason },
    error: "ModeChangeTool requires a non-empty 'mode' string.",
  },
  {
    title: "a blank mode",
    params: { ...wanted, mode: " " },
    error: "ModeChangeTool requires a non-empty 'mode' string.",
  },
  {
    title: "no branch",
    params: { mode: "planning", reason },
    error: "ModeChangeTool requires a 'branch' boolean flag.",
  },
  {
    title: "no reason",
    params: { mode: "planning", branch: true },
    error: "ModeChangeTool requires a non-empty 'reason' string explaining why the mode change is needed.",
  },
])("$title is refused in the tool's own words", async ({ params, error }) => {
  const tool = createChangeMode({}, { catalog: catalogOf() });

  expect(await tool.execute(params, { sessionId: "s-1" })).toMatchObject({
    error,
    code: "INVALID_ARGUMENTS",
  });
});
