import { config, type Settings } from "@toolmount/tool-bash";
import { expect, test } from "vitest";
import { shellFolders, type ShellFolders } from "../src/config.ts";

test("settings that a plan leaves out have these values", () => {
  expect(config.parse({})).toEqual({
    denied_write_paths: [],
    allowed_read_paths: [],
    timeout: 30,
    max_timeout: 600,
    require_approval: true,
    safety_profile: "strict",
    allowed_commands: [],
    denied_commands: [],
    safety_overrides: { allow: [], block: [] },
    max_output_bytes: 100_000,
    keep_output_bytes: 4_194_304,
    stop_output_bytes: 67_108_864,
    max_processes: 1_024,
    max_background: 16,
    env: {},
    pass_env: [],
    shell: "bash",
    isolation: "auto",
    network: false,
  });
});

test.each([
  ["timeout", 0.1, 86_400, 0.01],
  ["max_timeout", 0.1, 86_400, 0.01],
  ["max_output_bytes", 1_000, 1_073_741_824, 1],
  ["keep_output_bytes", 1_000, 1_073_741_824, 1],
  ["stop_output_bytes", 1_000, 1_073_741_824, 1],
  ["max_processes", 8, 1_000_000, 1],
  ["max_concurrent", 1, 1_000, 1],
  ["max_background", 0, 1_000, 1],
])("%s is from %d to %d", (name, least, most, step) => {
  const takes = (value: number) => config.safeParse({ [name]: value }).success;

  expect([least - step, least, most, most + step].map(takes)).toEqual([false, true, true, false]);
});

test.each<[string, unknown[], unknown[]]>([
  ["allowed_commands", [["ls *"], ["x".repeat(1_000)]], [[" "], ["x".repeat(1_001)], "ls"]],
  ["env", [{ A_1: "x" }], [{ "1A": "x" }, { "A-B": "x" }, { A: 1 }]],
  ["pass_env", [["_A"]], [["A B"], [""]]],
  ["safety_profile", ["strict", "standard", "permissive", "unrestricted"], ["none"]],
  ["isolation", ["auto", "none", "bubblewrap"], ["docker"]],
  ["shell", ["/bin/bash"], [""]],
  ["colour", [], [true]],
])("the setting %s takes some values and refuses others", (name, good, bad) => {
  const takes = (value: unknown) => config.safeParse({ [name]: value }).success;

  expect(good.map(takes)).toEqual(good.map(() => true));
  expect(bad.map(takes)).toEqual(bad.map(() => false));
});

test.each<[Settings, string | null, Partial<ShellFolders>]>([
  [{}, "/plan", { workingDir: "/plan", write: ["/plan"], denied: [], read: [] }],
  [{ working_dir: "work" }, "/plan", { workingDir: "/plan/work", write: ["/plan/work"] }],
  [{ working_dir: "/work/." }, "/plan", { workingDir: "/work", write: ["/work"] }],
  [{ working_dir: "/work/a/.." }, null, { workingDir: "/work", write: ["/work"] }],
  [
    {
      working_dir: "work",
      allowed_write_paths: ["out", "/tmp/x"],
      denied_write_paths: ["out/kept"],
      allowed_read_paths: ["../docs"],
    },
    "/plan",
    {
      workingDir: "/plan/work",
      write: ["/plan/out", "/tmp/x"],
      denied: ["/plan/out/kept"],
      read: ["/docs"],
    },
  ],
  [
    { working_dir: "/work", allowed_write_paths: [], denied_write_paths: ["kept"] },
    null,
    { write: [], denied: ["/work/kept"] },
  ],
])("the folders of %j in a plan of %s are %j", (settings, planFolder, folders) => {
  expect(shellFolders(config.parse(settings), planFolder)).toMatchObject(folders);
});

test.each([
  [{}, "not set"],
  [{ working_dir: "work" }, "relative"],
])("without a plan's folder, settings %j have a working_dir that is %s", (settings, problem) => {
  expect(() => shellFolders(config.parse(settings), null)).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      details: {
        module: "@toolmount/tool-bash",
        problem: `working_dir is ${problem}, and no session.working_dir is there`,
      },
    }),
  );
});
