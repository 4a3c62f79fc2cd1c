import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getuid } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { namespaceProblem } from "../src/system/namespace-settings.ts";

/** The settings of a machine, as the kernel shows them. */
function machine(settings: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-settings-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, value] of Object.entries(settings)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), `${value}\n`);
  }
  return folder;
}

const said = "bwrap: setting up uid map: Permission denied";

test("a machine that makes user namespaces, or does not say, adds nothing to a problem", () => {
  const path = "kernel/apparmor_restrict_unprivileged_userns";
  for (const settings of [{}, { [path]: "0" }, { "kernel/unprivileged_userns_clone": "1" }])
    expect(namespaceProblem(said, machine(settings))).toBe(said);
});

test("the setting that refuses user namespaces is named, with what allows them", () => {
  const none = machine({ "user/max_user_namespaces": "0" });
  expect(namespaceProblem(said, none)).toBe(
    `${said} (this machine has user.max_user_namespaces=0, which refuses user namespaces; sudo sysctl -w user.max_user_namespaces=15000 allows them)`,
  );
});

test("a setting for users is not the reason of a problem of root", () => {
  const ubuntu = machine({ "kernel/apparmor_restrict_unprivileged_userns": "1" });
  const named = expect.stringContaining("kernel.apparmor_restrict_unprivileged_userns=1") as string;
  expect(namespaceProblem(said, ubuntu)).toEqual(getuid!() === 0 ? said : named);
});
