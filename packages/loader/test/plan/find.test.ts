import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findPlan, planFileNames } from "../../src/plan/find-plan.ts";
import { workspace } from "../workspace.ts";

test("a plan is a file, the first known name in a folder, or found from the working folder upwards", async () => {
  const { path, folder } = await workspace({
    "package.json": "{}",
    "mount-plan.yaml": "tools: []",
    "deep/er/x.txt": "",
    "plans/toolmount.yml": "tools: []",
    "plans/mine.yaml": "tools: []",
  });

  expect(await findPlan("plans/mine.yaml", folder)).toBe(path("plans/mine.yaml"));
  expect(await findPlan("plans", folder)).toBe(path("plans/toolmount.yml"));
  expect(await findPlan(undefined, folder)).toBe(path("mount-plan.yaml"));
  expect(await findPlan(undefined, path("deep/er"))).toBe(path("mount-plan.yaml"));
  expect(await findPlan(new URL(`file://${encodeURI(path("mount-plan.yaml"))}`), "/")).toBe(
    path("mount-plan.yaml"),
  );
});

test("two plans in one folder are refused, and a path names one", async () => {
  const { path, folder } = await workspace({
    "mount-plan.yaml": "tools: []",
    "toolmount.json": "{}",
    "package.json": "{}",
    "deep/x.txt": "",
  });

  for (const cwd of [folder, path("deep")])
    await expect(findPlan(undefined, cwd)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("two plans, mount-plan.yaml and toolmount.json"),
    });
  expect(await findPlan("mount-plan.yaml", folder)).toBe(path("mount-plan.yaml"));
});

test.each([
  ["plan.yaml", "; there is plan.yaml"],
  ["conf/mount-plan.yaml", "; there is conf/mount-plan.yaml"],
  ["conf/other.yaml", ""],
])("where no plan is found, %s is named as one that may be meant", async (file, end) => {
  const { folder } = await workspace({ [file]: "tools: []", "package.json": "{}" });

  await expect(findPlan(undefined, folder)).rejects.toThrow(
    new RegExp(`toolmount.config.yaml\\)${end.replaceAll(".", "\\.")}$`),
  );
});

test("a search stops at the folder with a package.json, so a plan above it is not found", async () => {
  const { path } = await workspace({ "mount-plan.yaml": "tools: []", "project/package.json": "{}" });

  await expect(findPlan(undefined, path("project"))).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
});

test("a search continues from a package of a workspace up to the workspace's root, and no further", async () => {
  const { path } = await workspace({
    "mount-plan.yaml": "tools: []",
    "pnpm/pnpm-workspace.yaml": "packages: [packages/*]",
    "pnpm/package.json": "{}",
    "pnpm/toolmount.yaml": "tools: []",
    "pnpm/packages/a/package.json": "{}",
    "pnpm/packages/a/src/x.txt": "",
    "npm/package.json": '{ "workspaces": ["a"] }',
    "npm/a/package.json": "{}",
  });

  expect(await findPlan(undefined, path("pnpm/packages/a/src"))).toBe(path("pnpm/toolmount.yaml"));
  const message = await findPlan(undefined, path("npm/a")).catch(String);
  expect(message).toContain(`or in a folder above it, up to ${path("npm")}`);
  expect(message).toContain("toolmount.yaml");
});

test.each([
  ".toolmountrc",
  ".toolmountrc.yaml",
  ".toolmountrc.yml",
  ".toolmountrc.json",
  ".config/toolmount.yaml",
  ".config/toolmount.yml",
  ".config/toolmount.json",
  ".config/toolmountrc",
  ".config/toolmountrc.yaml",
  ".config/toolmountrc.yml",
  ".config/toolmountrc.json",
  "toolmount.json",
  "toolmount.config.yaml",
  "toolmount.config.yml",
  "toolmount.config.json",
])("a plan is found as %s, from a folder below and from its own", async (name) => {
  const { path, folder } = await workspace({ "package.json": "{}", [name]: "{}", "deep/x.txt": "" });

  expect(await findPlan(undefined, folder)).toBe(path(name));
  expect(await findPlan(undefined, path("deep"))).toBe(path(name));
  expect(await findPlan(folder, "/")).toBe(path(name));
});

test("a package.json names no plan: a tool that writes one decides nothing about the next command", async () => {
  const { path } = await workspace({
    "package.json": '{ "workspaces": ["a"] }',
    "mount-plan.yaml": "tools: []",
    "a/package.json": '{ "toolmount": { "plan": "p.yml" } }',
    "a/p.yml": "tools: [{ module: ../evil.mjs }]",
  });

  expect(await findPlan(undefined, path("a"))).toBe(path("mount-plan.yaml"));
  await expect(findPlan("a", path("."))).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
});

test.each(["gone.yaml", "empty"])("no plan at %s is PLAN_NOT_FOUND", async (name) => {
  const { folder } = await workspace({ "empty/readme.md": "" });

  await expect(findPlan(name, folder)).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
});

test("the message names each form of a plan, and the page of the error has every name", async () => {
  const { folder } = await workspace({ "readme.md": "" });
  const message = await findPlan(folder, folder).catch(String);
  const page = await readFile(join(import.meta.dirname, "../../../../docs/reference/errors.md"), "utf8");
  const section = page.slice(page.indexOf("## PLAN_NOT_FOUND"), page.indexOf("## PLAN_INVALID"));

  for (const form of [
    "mount-plan.yaml",
    "toolmount.yaml",
    ".toolmountrc",
    ".config/toolmount.yaml",
    "toolmount.config.yaml",
  ])
    expect(message).toContain(form);
  const stems = new Set(planFileNames.map((name) => name.replace(/\.(?:yaml|yml|json)$/, "")));
  expect(section).toContain([...stems].map((stem) => `\`${stem}\``).join(", "));
  for (const part of [".yaml", ".yml", ".json"]) expect(section).toContain(part);
});

test("without a package.json above it, a folder is searched up to the root of the disk", async () => {
  const { path } = await workspace({ "mount-plan.yaml": "tools: []", "deep/er/x.txt": "" });

  expect(await findPlan(undefined, path("deep/er"))).toBe(path("mount-plan.yaml"));
});
