import { config, type Settings } from "@toolmount/tool-bash";
import { expect, test } from "vitest";
import { shellFolders, type ShellFolders } from "../src/config.ts";
import { openShell } from "../src/shell.ts";

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

test("hosts are listed only where a sandbox keeps commands to them", () => {
  const settings = { working_dir: "/work", isolation: "none" as const, network: ["registry.example.com"] };
  expect(() => openShell(settings)).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("remove isolation: none") as string,
    }),
  );
});

test.each(["https://registry.example.com", "registry.example.com/npm", "*", "", "a b", "user@host"])(
  "%j is no host that a plan can list",
  (host) => expect(config.safeParse({ network: [host] }).success).toBe(false),
);
