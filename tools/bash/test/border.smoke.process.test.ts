import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import { config, mount, type Settings } from "@toolmount/tool-bash";
import { expect, onTestFinished, test } from "vitest";
import { fakeBubblewrap, works } from "./fake-bubblewrap.ts";
import { scratch, shell } from "./world.ts";

const isLinux = process.platform === "linux";

/** A host over a folder of its own, before the module is mounted. */
function unmounted(settings: Settings) {
  const folder = scratch();
  const host = createHost();
  onTestFinished(() => void host.close());
  host.coordinator.registerCapability("session.working_dir", folder);
  const bash = async (command: string) => (await host.call({ name: "bash", arguments: { command } })).result;
  return { host, folder, bash, mounted: () => mount(host.coordinator, config.parse(settings)) };
}

test.runIf(isLinux)(
  "a plan that insists on a sandbox which does not work is refused, with the reason",
  async () => {
    const { PATH } = fakeBubblewrap("echo no namespaces >&2; exit 1");
    const { mounted } = unmounted({ isolation: "bubblewrap", env: { PATH } });
    await expect(mounted()).rejects.toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        details: {
          module: "@toolmount/tool-bash",
          problem: "isolation: bubblewrap does not work here: no namespaces",
        },
      }),
    );
  },
);

test.runIf(isLinux)(
  "where the sandbox does not work a command fails, and the next one tries it again",
  async () => {
    const environment = fakeBubblewrap(
      `[ -e "$(dirname "$0")/ok" ] || { echo not yet >&2; exit 1; }; ${works}`,
    );
    const { bash } = shell({ isolation: "bubblewrap" }, { environment });
    const { error, code, details } = await bash.execute({ command: "echo a" });
    expect([error, code, details]).toEqual([
      "The sandbox does not work here: not yet",
      "ISOLATION_UNAVAILABLE",
      undefined,
    ]);
    writeFileSync(join(environment.HOME, "ok"), "");
    expect((await bash.execute({ command: "echo a" })).data).toEqual({
      stdout: "a\n",
      stderr: "",
      returncode: 0,
    });
  },
);

test.runIf(isLinux)(
  "a redirection that leads outside by a link is refused before anything runs",
  async () => {
    const { bash, folder } = shell();
    const other = scratch();
    // What the link leads to is not there yet, so the text of the command alone looks harmless.
    symlinkSync(join(other, "a"), join(folder, "out"));
    const { error, code, details } = await bash.execute({ command: "touch ran; echo x > out" });
    expect([error, code, details]).toEqual([
      `Command denied for safety: a redirection leads outside\n  Hint: Access denied: ${join(folder, "out")} is not within allowed write paths`,
      "COMMAND_DENIED",
      { kind: "redirect" },
    ]);
    expect([existsSync(join(folder, "ran")), existsSync(join(other, "a"))]).toEqual([false, false]);
  },
);

test.runIf(isLinux).each<[string, unknown, boolean]>([
  ["a list with the path", ["plan.yaml"], false],
  ["a text", "plan.yaml", true],
  ["a list with a number", ["plan.yaml", 7], true],
  ["nothing", null, true],
])(
  "what a host protects, given as %s, is kept by a command: it is written: %s",
  async (_, given, isWritten) => {
    const { host, folder, bash, mounted } = unmounted({ isolation: "none", require_approval: false });
    const paths = Array.isArray(given)
      ? given.map((one: unknown) => (typeof one === "string" ? join(folder, one) : one))
      : given;
    host.coordinator.registerCapability("session.protected_paths", paths as readonly string[]);
    await mounted();
    const { code } = await bash("echo x > plan.yaml");
    expect([code, existsSync(join(folder, "plan.yaml"))]).toEqual([
      isWritten ? undefined : "COMMAND_DENIED",
      isWritten,
    ]);
  },
);
