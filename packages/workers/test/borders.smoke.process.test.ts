import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createHost, type JsonObject, type Logger } from "@toolmount/core";
import { config, mount } from "../src/index.ts";
import { world, type World } from "./world.ts";

const limits = { timeoutMs: 50_000, graceMs: 20_000 };

/** Node keeps the network from a process only where it has `--allow-net`. */
const nodeCoversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");

/** A world that ends with its test. Node 22, on which this file runs, too, does not know `await using`. */
async function open(...given: Parameters<typeof world>): Promise<World> {
  const own = await world(...given);
  onTestFinished(() => own[Symbol.asyncDispose]());
  return own;
}

let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-borders-")));
  for (const name of ["box", "outside"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "box", "inside.txt"), "inside");
  writeFileSync(join(folder, "outside", "secret.txt"), "secret");
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(["none", "permission", "bubblewrap", "srt"])("the border %s", (border) => {
  let far: World;
  beforeAll(async () => {
    const box = join(folder, "box");
    far = await world({ border, read: [box], write: [box] }, { limits, folder: box });
  });
  afterAll(() => far[Symbol.asyncDispose]());

  const reaches = async (act: string, value?: unknown) => {
    const { result } = await far.act(act, value);
    expect(result.error).toBeUndefined();
    return "got" in (result.data as object);
  };

  test("what a tool writes inside is there, and nothing is outside", async () => {
    const inside = join(folder, "box", `${border}-kept.txt`);
    const outside = [`${border}-kept.txt`, `${border}-kept.db`].map((name) => join(folder, "outside", name));
    expect(await reaches("write", inside)).toBe(true);
    await reaches("write", outside[0]);
    await reaches("sqlite", outside[1]);

    expect(existsSync(inside)).toBe(true);
    for (const path of outside) expect(existsSync(path), path).toBe(border === "none");
  });

  test("a tool sees no variable of the host but those that are passed", async () => {
    const canaries = Array.from({ length: 50 }, (_, at) => [
      `TOOLMOUNT_CANARY_${at}`,
      `bird ${at}/${"x".repeat(20)}`,
    ]);
    for (const [name, value] of canaries) process.env[name!] = value;
    process.env["TOOLMOUNT_PASSED"] = "passed";
    const logged: unknown[] = [];
    const logger = recordingLogger(logged);
    const own = await open({ border, env: ["TOOLMOUNT_PASSED"] }, { limits, logger });
    const { result } = await own.act("environment");
    await own.act("throw");
    await own.act("exit 1");
    for (const [name] of canaries) delete process.env[name!];
    const text = JSON.stringify([result, own.events, logged.map(String)]);
    expect(text).toContain('"TOOLMOUNT_PASSED":"passed"');
    for (const [name, value] of canaries) {
      expect(text).not.toContain(`${name}=`);
      for (const form of [
        value!,
        Buffer.from(value!).toString("base64"),
        Buffer.from(value!).toString("hex"),
        encodeURIComponent(value!),
      ])
        expect(text).not.toContain(form);
    }
  });
});

test("the host's environment cannot be read through /proc behind bubblewrap", async () => {
  const far = await open({ border: "bubblewrap" }, { limits });
  expect((await far.act("environment of the host", process.pid)).result.data).toHaveProperty("refused");
  expect((await far.act("processes")).result.data).toEqual({ got: expect.any(Number) });
  expect(((await far.act("processes")).result.data as { got: number }).got).toBeLessThanOrEqual(3);
});

test("processes that a tool left behind bubblewrap end with its process", async () => {
  const far = await open({ border: "bubblewrap" }, { limits });
  expect((await far.act("orphan")).result.data).toHaveProperty("got");
  expect((await far.act("exit 0")).status).toBe("failed");
  // The next process has its own process ids, so nothing of the former can be in it.
  expect(((await far.act("processes")).result.data as { got: number }).got).toBeLessThanOrEqual(3);
});

test("a grant of the whole disk does not show other processes behind bubblewrap", async () => {
  const far = await open({ border: "bubblewrap", read: ["/"] }, { limits });
  expect((await far.act("list", "/etc")).result.data).toEqual({ got: expect.any(Number) });
  expect(((await far.act("processes")).result.data as { got: number }).got).toBeLessThanOrEqual(3);
});

test("the plan's folder is not readable behind bubblewrap unless it is granted", async () => {
  const far = await open({ border: "bubblewrap" }, { limits, folder: join(folder, "outside") });
  expect((await far.act("list", ".")).result.data).toEqual({ got: 0 });
});

test("a process has no descriptors of its host", async () => {
  const far = await open({ border: "none" }, { limits });
  const { got } = (await far.act("descriptors")).result.data as { got: number };
  const again = await open({ border: "none" }, { limits });
  const opened = Array.from({ length: 50 }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(opened.map((each) => new Promise((resolve) => each.once("listening", resolve))));
  const later = (await again.act("descriptors")).result.data as { got: number };
  for (const each of opened) each.close();
  expect(later.got).toBe(got);
});

describe("the strictest border where bubblewrap is missing", () => {
  const { PATH } = process.env;
  beforeAll(() => void (process.env["PATH"] = "/nowhere"));
  afterAll(() => void (process.env["PATH"] = PATH));

  test("is Node's permission model, and the host says so once, with what to install", async () => {
    const warnings: unknown[] = [];
    const logger: Logger = {
      ...recordingLogger([]),
      warn: (...given) => void warnings.push(given.at(-1)),
      child: () => logger,
    };
    const host = createHost({ logger });
    const { coordinator } = host.draft().addModule({ id: "@toolmount/workers" });
    const entry = { in: "process", border: "strictest" };
    await mount(
      coordinator,
      config.parse({
        runners: [
          { name: "one", ...entry },
          { name: "two", ...entry },
        ],
      }),
    );
    await host.close();

    expect(warnings).toEqual([
      expect.stringMatching(
        /permission model, which is no wall.*bwrap is not on PATH; install the package bubblewrap/,
      ),
    ]);
  });
});

describe("a border that cannot be built", () => {
  test.each<[string, JsonObject, RegExp]>([
    [
      "bubblewrap with single hosts",
      { border: "bubblewrap", network: ["example.org"] },
      /cannot allow single hosts/,
    ],
    ["permission with single hosts", { border: "permission", network: ["example.org"] }, /hosts|network/],
    ["srt with the whole network", { border: "srt", network: "any" }, /listed hosts only/],
    [
      "bubblewrap with a folder that is not there",
      { border: "bubblewrap", read: ["/no/such/folder"] },
      /such/,
    ],
  ])("fails the plan instead of becoming a weaker one: %s", async (_, run, problem) => {
    const error = (await world(run).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    expect(error.message).toMatch(problem);
  });

  test.runIf(!nodeCoversNetwork)("so does permission without network, before Node 25", async () => {
    await expect(world({ border: "permission", network: "none" })).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
    });
  });
});

/** Keeps all that is logged, as JSON. */
function recordingLogger(logged: unknown[]): Logger {
  const write = (...given: readonly unknown[]) => void logged.push(JSON.stringify(given));
  return {
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    child: () => recordingLogger(logged),
  };
}
