import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sandboxIsTested, scratch, shell } from "./world.ts";

/** A home folder with keys. It is not in `/tmp`, which commands have a folder of their own for. */
function home(): string {
  const folder = mkdtempSync("/var/tmp/toolmount-home-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, ".ssh"));
  writeFileSync(join(folder, ".ssh/id_ed25519"), "a key");
  writeFileSync(join(folder, ".netrc"), "a password");
  writeFileSync(join(folder, ".npmrc"), "a token");
  writeFileSync(
    join(folder, ".gitconfig"),
    "[user]\n\tname = Ada\n\temail = ada@example.com\n[commit]\n\tgpgSign = true\n",
  );
  return folder;
}

const look = "cat ~/.ssh/id_ed25519 ~/.netrc ~/.npmrc; git config user.name";

test.runIf(sandboxIsTested)(
  "commands in a layer, about which no person is asked, do not see the user's credentials unless the plan names them",
  async () => {
    const folder = scratch();
    const HOME = home();
    const settings = {
      working_dir: folder,
      isolation: "auto" as const,
      allowed_read_paths: [join(HOME, ".npmrc")],
    };
    const { bash } = shell(settings, { layer: folder, environment: { ...process.env, HOME } });

    const { data, warnings } = await bash.execute({ command: look });
    expect(data).toMatchObject({
      stdout: "a tokenAda\n",
      stderr: expect.stringMatching(/id_ed25519: No such file[\s\S]*\.netrc: Permission denied/),
    });
    expect(warnings).toEqual([
      "commands in a layer do not see credentials: ${HOME}/.ssh, ${HOME}/.netrc; the plan can name one under allowed_read_paths",
    ]);
    const commit = "git init -q . && git commit -q --allow-empty -m one && git log --format=%an%G?";
    expect(await bash.execute({ command: commit })).toMatchObject({ data: { stdout: "AdaN\n", stderr: "" } });
  },
);

test.runIf(sandboxIsTested)("commands outside of a layer have the home of the user, read-only", async () => {
  const { bash } = shell({ isolation: "auto" }, { environment: { ...process.env, HOME: home() } });
  expect((await bash.execute({ command: look })).data).toMatchObject({
    stdout: "a keya passworda tokenAda\n",
    stderr: "",
  });
});
