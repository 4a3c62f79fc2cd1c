import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createHost, data, failure, silentLogger, type Coordinator, type Host } from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const named = (name: string, says: unknown = name) => tool(() => data(says), { name });

describe("mounting a tool", () => {
  test("APTIX-12, APTIX-15, C4: refuses a second tool of the same name, and names both owners", () => {
    const host = createHost();
    const draft = host.draft();
    draft.addModule({ id: "one" }).coordinator.mount("tools", named("read_file"));

    expect(() => draft.addModule({ id: "two" }).coordinator.mount("tools", named("read_file"))).toThrowError(
      expect.objectContaining({
        code: "TOOL_DUPLICATE",
        details: { tool: "read_file", existing: "read_file", owner: "two", existingOwner: "one" },
      }),
    );
  });

  test.each(["Read_File", "read-file", "READ-FILE"])(
    "C4: refuses %s beside read_file: models confuse them",
    (name) => {
      const host = createHost();
      host.coordinator.mount("tools", named("read_file"));

      expect(() => host.coordinator.mount("tools", named(name))).toThrowError(
        expect.objectContaining({ code: "TOOL_DUPLICATE" }),
      );
    },
  );

  test("C4: override replaces the other", async () => {
    const host = createHost();
    host.coordinator.mount("tools", named("read_file", "old"));
    const draft = host.draft();
    draft
      .addModule({ id: "new", shapeTool: () => ({ override: true }) })
      .coordinator.mount("tools", named("read_file", "new"));
    await draft.commit();

    expect((await host.call({ name: "read_file" })).result.data).toBe("new");
  });

  test("C39, AMP-29: another name given to mount becomes an alias", async () => {
    const host = createHost();
    host.coordinator.mount("tools", named("my_tool"), { name: "other_name" });

    expect(await host.call({ name: "other_name" })).toMatchObject({ tool: "my_tool", status: "ok" });
    expect(host.tools().map(({ name, aliases }) => [name, aliases])).toEqual([["my_tool", ["other_name"]]]);
  });

  test.each<[string, object]>([
    ["a name with a space", { name: "read file" }],
    ["a name that is too long", { name: "a".repeat(129) }],
    ["a name that every object has", { name: "toString" }],
    ["no name", { name: "" }],
    ["no description", { description: " " }],
    ["an unknown category", { category: "analysis" }],
    ["an unknown consequence", { consequenceLevel: "huge" }],
    ["a confirmation that is a text", { requiresConfirmation: "yes" }],
    ["a negative timeout", { timeout: -1 }],
    ["a timeout above 2^31-1", { timeout: 2 ** 31 }],
    ["a timeout that is no number", { timeout: Number.NaN }],
    ["a schema that is no object", { schema: z.string() }],
    ["an unknown status", { status: "old" }],
  ])("APTIX-10, APTIX-11, FORGE-1: refuses %s with TOOL_INVALID", (_, fields) => {
    const host = createHost();

    expect(() => host.coordinator.mount("tools", tool(undefined, fields))).toThrowError(
      expect.objectContaining({ code: "TOOL_INVALID" }),
    );
    expect(host.tools()).toEqual([]);
  });

  test.each<[string, z.ZodType]>([
    ["a date", z.strictObject({ at: z.date() })],
    ["a transform", z.strictObject({ at: z.string().transform(Number) })],
    ["coercion of numbers", z.strictObject({ n: z.coerce.number() })],
    ["coercion of texts", z.strictObject({ s: z.coerce.string() })],
    ["coercion of booleans", z.strictObject({ b: z.coerce.boolean() })],
    ["coercion deep inside", z.strictObject({ a: z.strictObject({ n: z.coerce.number() }), b: z.string() })],
    ["a preprocessor", z.strictObject({ n: z.preprocess(Number, z.number()) })],
    ["a codec", z.strictObject({ b: z.stringbool() })],
    ["a pipe to another type", z.strictObject({ n: z.string().pipe(z.coerce.number()) })],
    ["a bigint", z.strictObject({ n: z.bigint() })],
    ["a map", z.strictObject({ m: z.map(z.string(), z.string()) })],
    ["parsing that is not stable", z.strictObject({ s: z.string().overwrite((text) => `${text}!`) })],
  ])("refuses a schema with %s: SCHEMA_NOT_JSON", (_, schema) => {
    expect(() =>
      createHost().coordinator.mount("tools", tool(undefined, { schema: schema as never })),
    ).toThrowError(expect.objectContaining({ code: "SCHEMA_NOT_JSON" }));
  });

  test.each<[string, z.ZodType]>([
    ["defaults", z.strictObject({ n: z.number().default(1) })],
    ["trimming", z.strictObject({ s: z.string().trim().toLowerCase() })],
    ["refinements", z.strictObject({ s: z.string().refine((text) => text.length < 9) })],
    ["stripping", z.object({ s: z.string() })],
    ["unions", z.strictObject({ u: z.union([z.string(), z.number()]) })],
    ["nullable and optional parts", z.strictObject({ a: z.string().nullable(), b: z.boolean().nullish() })],
    ["records and arrays", z.strictObject({ r: z.record(z.string(), z.number()), l: z.array(z.string()) })],
    ["any", z.strictObject({ x: z.any() })],
    [
      "names of Object.prototype",
      z.strictObject({ constructor: z.string().optional(), toString: z.string().optional() }),
    ],
  ])("takes a schema with %s", async (_, schema) => {
    expect(() =>
      createHost().coordinator.mount("tools", tool(undefined, { schema: schema as never })),
    ).not.toThrow();
  });

  test("an optional argument named like a member of Object.prototype is absent when it is not sent", async () => {
    const schema = z.strictObject({ constructor: z.string().optional(), toString: z.string().optional() });
    const { host } = world([tool((params) => data(Object.keys(params)), { schema: schema })]);

    expect((await host.call({ name: "probe", arguments: "{}" })).result.data).toEqual([]);
    expect((await host.call({ name: "probe", arguments: '{"constructor":"x"}' })).result.data).toEqual([
      "constructor",
    ]);
  });

  test("C36: a removed tool is not mounted, a deprecated one runs but is not offered", async () => {
    const host = createHost();
    host.coordinator.mount("tools", tool(undefined, { name: "gone", status: "removed" }));
    host.coordinator.mount(
      "tools",
      tool(() => data(1), { name: "old", status: "deprecated" }),
    );

    expect(host.tools()).toEqual([]);
    expect(host.tools({ includeDeprecated: true }).map(({ name }) => name)).toEqual(["old"]);
    expect(await host.call({ name: "old" })).toMatchObject({ status: "ok" });
    expect(await host.call({ name: "gone" })).toMatchObject({ status: "not_found" });
  });

  test("APTIX-55: lists tools in canonical order with a schema that is the same each time", () => {
    const list = () => {
      const host = createHost();
      for (const name of ["b", "a", "B2", "_c"]) host.coordinator.mount("tools", named(name));
      return JSON.stringify(host.tools());
    };

    expect(JSON.parse(list()).map(({ name }: { name: string }) => name)).toEqual(["B2", "_c", "a", "b"]);
    expect(list()).toBe(list());
  });

  test("a foreign shape without an adapter is refused with the package that adapts it", () => {
    expect(() =>
      createHost().coordinator.mount("tools", { name: "x", execute: () => null } as never),
    ).toThrowError(expect.objectContaining({ code: "EXTENSION_MISSING" }));
  });
});

describe("AMP-6: a coordinator", () => {
  const module = (): { host: Host; coordinator: Coordinator } => {
    const host = createHost();
    return { host, coordinator: host.coordinator };
  };

  test("mounts by name and by point, looks up, and unmounts", () => {
    const { coordinator } = module();
    const undo = coordinator.mount("tools", named("a"));
    coordinator.mount("providers", { name: "model", answer: 42 });
    coordinator.mount("orchestrator", { run: 1 });

    expect(coordinator.get("tools", "a")).toMatchObject({ name: "a" });
    expect([...(coordinator.get("tools") as Map<string, unknown>).keys()]).toEqual(["a"]);
    expect(coordinator.get("providers", "model")).toEqual({ name: "model", answer: 42 });
    expect(coordinator.get("orchestrator")).toEqual({ run: 1 });
    expect(coordinator.get("context")).toBeNull();
    undo();
    undo();
    coordinator.unmount("providers", "model");
    coordinator.unmount("providers", "never");
    coordinator.unmount("orchestrator");
    expect(coordinator.get("tools", "a")).toBeNull();
    expect(coordinator.get("providers", "model")).toBeNull();
    expect(coordinator.get("orchestrator")).toBeNull();
  });

  test("refuses unknown points, hooks, things without a name, and null", () => {
    const { coordinator } = module();

    expect(() => coordinator.mount("toolz" as never, {} as never)).toThrowError(
      expect.objectContaining({ code: "MOUNT_POINT_UNKNOWN" }),
    );
    expect(() => coordinator.get("toolz" as never)).toThrowError(
      expect.objectContaining({ code: "MOUNT_POINT_UNKNOWN" }),
    );
    for (const attempt of [
      () => coordinator.mount("hooks" as never, {} as never),
      () => coordinator.mount("providers", {}),
      () => coordinator.mount("tools", null as never),
      () => coordinator.mount("tools", "read" as never),
      () => coordinator.unmount("tools"),
    ])
      expect(attempt).toThrowError(expect.objectContaining({ code: "MOUNT_INVALID" }));
  });

  test("AMP-N45: keeps capabilities of any type; an absent one is null", () => {
    const { coordinator } = module();
    const undo = coordinator.registerCapability("session.working_dir", "/tmp/a");
    coordinator.registerCapability("session.working_dir", "/tmp/b");
    coordinator.registerCapability("shop.open", () => true);

    expect(coordinator.getCapability("session.working_dir")).toBe("/tmp/b");
    expect((coordinator.getCapability("shop.open") as () => boolean)()).toBe(true);
    expect(coordinator.getCapability("nothing")).toBeNull();
    undo();
    expect(coordinator.getCapability("session.working_dir")).toBe("/tmp/b");
  });

  test("AMP-16, AMP-N43: collects contributions in order; null is left out, a failure is logged and left out", async () => {
    const { coordinator } = module();
    coordinator.registerContributor("observability.events", "one", () => ["a:b"]);
    coordinator.registerContributor("observability.events", "none", () => null);
    coordinator.registerContributor("observability.events", "broken", () => {
      throw new Error("broken");
    });
    coordinator.registerContributor("observability.events", "one", async () => ["c:d"]);

    expect(await coordinator.collectContributions("observability.events")).toEqual([["a:b"], ["c:d"]]);
    expect(await coordinator.collectContributions("no one.home")).toEqual([]);
  });

  test("FORGE-28, FORGE-29: provides members of the context, read lazily, once a call", async () => {
    const seen: unknown[] = [];
    let made = 0;
    const { host } = world([
      tool((_, context) => {
        if (context.userId === "ada") seen.push(context.client, context.client, context.auth);
        return data(null);
      }),
    ]);
    host.coordinator.provide("client", (info) => ({ for: info.userId, number: ++made }));

    await host.call({ name: "probe" }, { userId: "bob" });
    await host.call({ name: "probe" }, { userId: "ada" });

    expect(seen).toEqual([{ for: "ada", number: 1 }, { for: "ada", number: 1 }, undefined]);
    expect(() => host.coordinator.provide("abortSignal", () => null)).toThrowError(
      expect.objectContaining({ code: "MOUNT_INVALID" }),
    );
  });

  test("session state is shared by the calls of one session only, and holds copies", async () => {
    const counter = tool((params, { session }) => {
      const list = [...((session.get("list") as number[] | undefined) ?? []), Number(params["n"])];
      session.set("list", list);
      list.push(-1);
      return data(session.get("list"));
    });
    const { host } = world([counter]);
    const add = (n: number, sessionId?: string) =>
      host.call({ name: "probe", arguments: { n } }, { sessionId });

    await add(1, "a");
    expect((await add(2, "a")).result.data).toEqual([1, 2]);
    expect((await add(3, "b")).result.data).toEqual([3]);
    expect((await add(4)).result.data).toEqual([4]);
  });
});

describe("a generation", () => {
  test("is invisible until it is committed, then visible immediately", async () => {
    const host = createHost();
    const draft = host.draft();
    draft.addModule({ id: "m" }).coordinator.mount("tools", named("a"));
    expect(await host.call({ name: "a" })).toMatchObject({ status: "not_found" });

    await draft.commit();

    expect(await host.call({ name: "a" })).toMatchObject({ status: "ok" });
    expect(host.modules().map(({ id, toolNames }) => [id, toolNames])).toEqual([["m", ["a"]]]);
  });

  test("AMP-N27: is undone in reverse when it is discarded; one failing cleanup does not stop the others", async () => {
    const order: string[] = [];
    const host = createHost();
    const draft = host.draft();
    for (const id of ["one", "two"]) {
      const { coordinator } = draft.addModule({ id });
      coordinator.mount("tools", named(id));
      coordinator.registerCleanup(() => void order.push(`${id} a`));
      coordinator.registerCleanup(async () => {
        order.push(`${id} b`);
        if (id === "two") throw new Error("broken");
      });
      coordinator.registerCleanup("not a function" as never);
    }

    const failures = await draft.discard();

    expect(order).toEqual(["two b", "two a", "one b", "one a"]);
    expect(failures).toHaveLength(1);
    expect(await host.call({ name: "one" })).toMatchObject({ status: "not_found" });
  });

  test("keeps modules by identity: their registrations stay, and their coordinator follows", async () => {
    const cleaned: string[] = [];
    const host = createHost();
    const first = host.draft();
    const kept = first.addModule({ id: "kept" });
    const left = first.addModule({ id: "left" });
    for (const module of [kept, left]) {
      module.coordinator.mount("tools", named(module.id));
      module.coordinator.registerCleanup(() => cleaned.push(module.id));
    }
    await first.commit();

    const second = host.draft();
    second.keepModule(kept);
    await second.commit();
    kept.coordinator.mount("tools", named("later"));

    expect(cleaned).toEqual(["left"]);
    expect(host.tools().map(({ name }) => name)).toEqual(["kept", "later"]);
  });

  test("lets calls in flight finish in the generation in which they began", async () => {
    let finish = (_: unknown) => {};
    const host = createHost();
    const first = host.draft();
    first.addModule({ id: "old" }).coordinator.mount(
      "tools",
      tool(async (_, context) => {
        await new Promise((resolve) => (finish = resolve));
        return data((await context.call({ name: "helper" })).result.data);
      }),
    );
    first.addModule({ id: "helpers" }).coordinator.mount("tools", named("helper", "old helper"));
    await first.commit();
    const pending = host.call({ name: "probe" });
    await new Promise((resolve) => setImmediate(resolve));

    const second = host.draft();
    second.addModule({ id: "new" }).coordinator.mount("tools", named("helper", "new helper"));
    const { draining } = await second.commit();
    expect((await host.call({ name: "helper" })).result.data).toBe("new helper");
    finish(null);

    const { runId, result } = await pending;
    expect(result.data).toBe("old helper");
    expect(draining).toEqual([runId]);
  });

  /** A host with a call that runs in a module that a later draft replaced. */
  async function replacedWhileRunning() {
    const clock = createFakeClock();
    const warnings: unknown[] = [];
    const warn = (fields: object) => void warnings.push(fields);
    const host = createHost({ clock, logger: { ...silentLogger, warn } });
    const cleaned: string[] = [];
    let finish = (_: unknown) => {};
    const first = host.draft();
    const old = first.addModule({ id: "old" });
    old.coordinator.registerCleanup(() => void cleaned.push("old"));
    old.coordinator.mount(
      "tools",
      tool(async () => data(await new Promise((resolve) => (finish = resolve))), { timeout: 0 }),
    );
    await first.commit();
    const pending = host.call({ name: "probe" });
    await clock.advance(0);
    const committed = await host.draft().commit();
    return {
      host,
      clock,
      warnings,
      old,
      pending,
      committed,
      cleaned,
      finish: (word: string) => finish(word),
    };
  }

  test("a call of a replaced module ends in its own time, however long; the module is undone after it", async () => {
    const { clock, pending, committed, cleaned, finish } = await replacedWhileRunning();
    await clock.advance(3_600_000);
    expect(cleaned).toEqual([]);
    finish("late");

    expect(await pending).toMatchObject({ status: "ok", result: { data: "late" } });
    expect(committed).toMatchObject({ draining: [(await pending).runId], aborted: [] });
    await clock.advance(0);
    expect(cleaned).toEqual(["old"]);
  });

  test("a host that closes ends the calls of replaced modules, and undoes these modules once", async () => {
    const { host, clock, pending, cleaned } = await replacedWhileRunning();
    const closing = host.close();
    await clock.advance(20_000);

    expect((await pending).status).toBe("cancelled");
    expect(await closing).toMatchObject({ failures: [] });
    expect(cleaned).toEqual(["old"]);
  });

  test("a cleanup that fails after the last call of a replaced module is logged", async () => {
    const { clock, warnings, old, finish } = await replacedWhileRunning();
    old.coordinator.registerCleanup(() => Promise.reject(new Error("still open")));
    finish("late");
    await clock.advance(0);

    expect(warnings).toMatchObject([{ err: { message: "still open" } }]);
  });

  test("drains with a deadline: calls that do not finish are aborted and reported", async () => {
    const clock = createFakeClock();
    const host = createHost({ clock });
    const first = host.draft();
    first.addModule({ id: "old" }).coordinator.mount(
      "tools",
      tool(() => new Promise<never>(() => {}), { timeout: 0 }),
    );
    await first.commit();
    const pending = host.call({ name: "probe" });
    const committed = host.draft().commit({ drainMs: 1_000 });
    await clock.advance(1_200);

    const outcome = await pending;
    expect(outcome.status).toBe("cancelled");
    expect(await committed).toMatchObject({ aborted: [outcome.runId], abandoned: [outcome.runId] });
  });

  test("a failed mount leaves nothing behind", () => {
    const host = createHost();
    host.coordinator.mount("tools", named("a"));

    expect(() => host.coordinator.mount("tools", named("b"), { name: "a" })).toThrowError(
      expect.objectContaining({ code: "TOOL_DUPLICATE" }),
    );
    expect(host.tools().map(({ name }) => name)).toEqual(["a"]);
    host.coordinator.mount("tools", named("b"));
    expect(host.tools().map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

describe("closing", () => {
  test("is idempotent, waits for running calls, refuses new ones, and undoes modules in reverse", async () => {
    const order: string[] = [];
    let finish = (_: unknown) => {};
    const { host } = world([tool(() => new Promise((resolve) => (finish = resolve)))]);
    host.coordinator.registerCleanup(() => order.push("host"));
    const pending = host.call({ name: "probe" });

    const closing = host.close();
    expect(host.close()).toBe(closing);
    expect(await host.call({ name: "probe" })).toMatchObject({
      status: "failed",
      result: { code: "UNAVAILABLE" },
    });
    finish(data("in time"));

    expect(await pending).toMatchObject({ status: "ok" });
    expect(await closing).toEqual({ draining: [], aborted: [], abandoned: [], failures: [] });
    expect(order).toEqual(["host"]);
    expect(host.tools()).toEqual([]);
  });

  test("reports which calls it had to stop, and leaves no timer behind", async () => {
    const clock = createFakeClock();
    const { host } = world([tool(() => new Promise<never>(() => {}))], { clock });
    const pending = host.call({ name: "probe" });
    const closing = host.close({ graceMs: 100 });
    await clock.advance(300);

    const { runId, status } = await pending;
    expect(status).toBe("cancelled");
    expect(await closing).toMatchObject({ aborted: [runId], abandoned: [runId] });
    expect(clock.pending).toBe(0);
  });
});

describe("one session", () => {
  test("C16: has a call id in flight only once: DUPLICATE_CALL", async () => {
    let finish = (_: unknown) => {};
    const { host, eventsOf } = world([tool(() => new Promise((resolve) => (finish = resolve)))]);
    const first = host.call({ id: "x", name: "probe" }, { sessionId: "s" });

    const second = await host.call({ id: "x", name: "probe" }, { sessionId: "s" });
    expect(second).toMatchObject({ status: "failed", result: { code: "DUPLICATE_CALL" } });
    expect(eventsOf(second.runId)).toEqual(["tool:error"]);
    finish(failure("done"));
    expect(await first).toMatchObject({ status: "failed" });

    const third = host.call({ id: "x", name: "probe" }, { sessionId: "s" });
    await new Promise((resolve) => setImmediate(resolve));
    finish(data("again"));
    expect(await third).toMatchObject({ status: "ok" });
  });
});

describe("AMP-28, FORGE-N8: a tool without a host", () => {
  const add = tool((params) => data(Number(params["a"]) + 1), {
    schema: z.strictObject({ a: z.number() }) as never,
  });

  test("runs on its arguments alone", async () => {
    expect(await add.execute({ a: 1 })).toEqual({
      tool: "probe",
      fetchedAt: expect.stringMatching(/Z$/),
      data: 2,
    });
  });

  test("AMP-12: refuses invalid arguments", async () => {
    expect(await add.execute({})).toMatchObject({
      code: "INVALID_ARGUMENTS",
      error: "a is required",
    });
    expect(await add.execute(undefined)).toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(await add.execute(null)).toMatchObject({ code: "INVALID_ARGUMENTS" });
  });

  test("FORGE-30, FORGE-31: does nothing when its signal is already aborted", async () => {
    expect(await add.execute({ a: 1 }, { abortSignal: AbortSignal.abort() })).toMatchObject({
      error: "Request was cancelled",
    });
  });

  test("FORGE-23: never throws, and follows the contract", async () => {
    expect(
      await tool(() => {
        throw new Error("x");
      }).execute({}),
    ).toMatchObject({ code: "TOOL_FAILED" });
    expect(await tool(() => "text").execute({})).toMatchObject({ code: "CONTRACT_VIOLATION" });
  });
});
