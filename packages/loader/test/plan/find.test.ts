import { expect, test } from "vitest";
import { findPlan } from "../../src/plan/find-plan.ts";
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

test("a search stops at the folder with a package.json, so a plan above it is not found", async () => {
  const { path } = await workspace({ "mount-plan.yaml": "tools: []", "project/package.json": "{}" });

  await expect(findPlan(undefined, path("project"))).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
});

test.each(["gone.yaml", "empty"])("no plan at %s is PLAN_NOT_FOUND", async (name) => {
  const { folder } = await workspace({ "empty/readme.md": "" });

  await expect(findPlan(name, folder)).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
});
