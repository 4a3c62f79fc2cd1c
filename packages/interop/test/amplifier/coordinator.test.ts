import { createCancellation, type Host } from "@toolmount/core";
import { expect, test } from "vitest";
import { showCancellation } from "../../src/amplifier/cancellation.ts";
import { mountAmplifier } from "../support/amplifier.ts";

const echo = (name: string, execute: (input: object) => unknown = async (output) => ({ output })) => ({
  name,
  description: "Returns its input.",
  input_schema: { type: "object", properties: { text: { type: "string" } } },
  execute,
});
const add = (host: Host, tool: object) => host.coordinator.mount("tools", tool as never);

test("outside of calls, the session is the host's own", async () => {
  const { coordinator } = await mountAmplifier({ a: 1 });

  expect(coordinator.session_id).toBe("host");
  expect(coordinator.parent_id).toBeNull();
  expect({ ...coordinator.session }).toEqual({ session_id: "host", parent_id: null, coordinator });
  expect(coordinator.session.coordinator).toBe(coordinator);
  coordinator.session_state["mode"] = "plan";
  expect(coordinator.session_state).toEqual({ mode: "plan" });
  expect(coordinator.config).toEqual({ a: 1 });
});

test("a coordinator describes what is mounted, by point and by name", async () => {
  const { coordinator, host } = await mountAmplifier();
  expect(coordinator.to_dict()).toEqual({
    session_id: "host",
    tools: [],
    providers: [],
    has_orchestrator: false,
    has_context: false,
    has_approval_provider: false,
  });
  add(host, echo("say"));
  host.coordinator.mount("providers", { name: "p" }, { name: "p" });
  host.coordinator.mount("orchestrator", { run: () => {} });
  host.coordinator.mount("context", { add_message: () => {} });
  coordinator.approval_system = { request_approval: () => "allow" };

  expect(coordinator.to_dict()).toEqual({
    session_id: "host",
    tools: ["say"],
    providers: ["p"],
    has_orchestrator: true,
    has_context: true,
    has_approval_provider: true,
  });
  const points = coordinator.mount_points;
  expect(Object.keys(points)).toEqual([
    "tools",
    "providers",
    "orchestrator",
    "context",
    "module-source-resolver",
  ]);
  expect(points["tools"]).toMatchObject({ say: { name: "say", input_schema: { type: "object" } } });
  expect(points["providers"]).toEqual({ p: { name: "p" } });
  expect(points["module-source-resolver"]).toBeNull();
  expect(Object.isFrozen(points)).toBe(true);
});

test("a tool that is looked up outside of a call says that it needs one", async () => {
  const { coordinator, host } = await mountAmplifier();
  add(host, echo("say"));
  const found = coordinator.get("tools", "say") as { input_schema: object; execute(input: object): unknown };
  const all = coordinator.get("tools") as ReadonlyMap<string, object>;

  expect(found.input_schema).toEqual(echo("say").input_schema);
  expect(await found.execute({})).toEqual({
    success: false,
    output: null,
    error: { message: '"say" can be called only from within a call' },
  });
  expect([...all.keys()]).toEqual(["say"]);
  expect(coordinator.get("tools", "gone")).toBeNull();
  expect(coordinator.get("orchestrator")).toBeNull();
});

test("mount takes the name as a text or in an object", async () => {
  const { coordinator, host } = await mountAmplifier();
  const undo = coordinator.mount("tools", echo("a"), "one");
  coordinator.mount("tools", echo("b"), { name: "two" });
  coordinator.mount("tools", echo("c"));
  const names = () => host.tools().map(({ name, aliases }) => [name, ...aliases].join(" "));

  expect(names().toSorted()).toEqual(["a one", "b two", "c"]);
  undo();
  expect(names().toSorted()).toEqual(["b two", "c"]);
});

test("contributions are collected, and the channels of the module have its callbacks", async () => {
  const { coordinator } = await mountAmplifier();
  const callback = () => "mine";
  coordinator.register_contributor("facts", "amp", callback);
  coordinator.register_contributor("facts", "amp-2", () => "more");

  expect(await coordinator.collect_contributions("facts")).toEqual(["mine", "more"]);
  expect(coordinator.channels["facts"]!.map(({ name }) => name)).toEqual(["amp", "amp-2"]);
  expect(coordinator.channels["facts"]![0]!.callback).toBe(callback);
  expect(await coordinator.collect_contributions("none")).toEqual([]);
});

test("a cleanup that is no function is left out, and one that is runs when the module goes", async () => {
  const done: string[] = [];
  const { coordinator, host } = await mountAmplifier();
  expect(coordinator.register_cleanup(null)()).toBeUndefined();
  coordinator.register_cleanup(() => void done.push("a"));
  const undo = coordinator.register_cleanup(() => void done.push("b"));
  undo();
  await host.close();

  expect(done.filter((one) => one === "a")).toEqual(["a"]);
});

test("services are those of the module, else those of the host, else none", async () => {
  const { coordinator, host } = await mountAmplifier();
  expect([coordinator.loader, coordinator.approval_system, coordinator.display_system]).toEqual([
    null,
    null,
    null,
  ]);
  host.coordinator.registerCapability("approval.system", "host's");
  host.coordinator.registerCapability("display.system", "shown by the host");
  expect([coordinator.approval_system, coordinator.display_system]).toEqual(["host's", "shown by the host"]);
  Object.assign(coordinator, { loader: "l", approval_system: "a", display_system: "d" });
  expect([coordinator.loader, coordinator.approval_system, coordinator.display_system]).toEqual([
    "l",
    "a",
    "d",
  ]);
});

test("a cancelled session reports each step once, and its new calls are denied", async () => {
  const events: unknown[][] = [];
  const { coordinator, host } = await mountAmplifier();
  for (const event of ["cancel:requested", "cancel:completed"])
    host.coordinator.hooks.observe(
      event,
      (_, { timestamp: _time, ...given }) => void events.push([event, given]),
    );
  const running: unknown[] = [];
  const stop = async () => {
    coordinator.cancellation.on_cancel(() => void running.push("callback"));
    await coordinator.request_cancel();
    running.push([...coordinator.cancellation.running_tool_names], coordinator.cancellation.is_graceful);
    await coordinator.request_cancel();
    return { output: "done" };
  };
  add(host, echo("stop", stop));
  add(host, echo("say"));
  const outcome = await host.call({ name: "stop", arguments: {} }, { sessionId: "s" });

  expect(outcome.status).toBe("ok");
  expect(running).toEqual(["callback", ["stop"], true]);
  const ids = { session_id: "s", parent_id: null };
  expect(events).toEqual([
    ["cancel:requested", { ...ids, level: "graceful", running_tools: ["stop"] }],
    ["cancel:completed", { ...ids, was_immediate: false, tools_cancelled: ["stop"] }],
  ]);
  expect(await host.call({ name: "say", arguments: {} }, { sessionId: "s" })).toMatchObject({
    status: "denied",
    result: { error: '"say" was not run: Request was cancelled' },
  });
  expect(await host.call({ name: "say", arguments: {} }, { sessionId: "other" })).toMatchObject({
    status: "ok",
  });
});

test("a token is shown under the names of Amplifier, and tokens below it are cancelled with it", () => {
  const token = createCancellation();
  const [view, child] = [showCancellation(token), showCancellation(createCancellation())];
  const facts = () => [view.state, view.is_cancelled, view.is_graceful, view.is_immediate];
  view.register_child(child);
  view.register_tool_start("c-1", "say");
  expect([...view.running_tools]).toEqual([...token.runningTools]);
  expect(view.running_tool_names).toEqual(["say"]);
  view.register_tool_complete("c-1");
  expect(view.running_tool_names).toEqual([]);

  expect(facts()).toEqual(["none", false, false, false]);
  expect(view.request_graceful()).toBe(true);
  expect(facts()).toEqual(["graceful", true, true, false]);
  expect(view.request_immediate()).toBe(true);
  expect(facts()).toEqual(["immediate", true, false, true]);
  expect(child.state).toBe("immediate");
  view.reset();
  child.reset();
  expect(facts()).toEqual(["none", false, false, false]);
  view.unregister_child(child);
  view.request_immediate();
  expect(child.state).toBe("none");
});

test("a hook runs in the session of its event, and an event without one in the host's own", async () => {
  const seen: string[] = [];
  const { coordinator, host } = await mountAmplifier();
  const note = () => void seen.push(coordinator.session_id);
  coordinator.hooks.register("tool:pre", note);
  coordinator.hooks.register("my:event", note);
  add(host, echo("say"));
  await host.call({ name: "say", arguments: {} }, { sessionId: "s" });
  await host.coordinator.hooks.emit("my:event", { session_id: "t" });
  await host.coordinator.hooks.emit("my:event", {});

  expect(seen).toEqual(["s", "t", "host"]);
});
