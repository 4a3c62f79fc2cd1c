import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, silentLogger, type Host } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Files that a program of a developer's machine runs or obeys when it is started next, one for each name that is known. */
const obeyed = `
git: sub/.git .git/config .git/hooks/post-merge .gitmodules .gitconfig .gitattributes .lfsconfig .config/git/config .ssh/config
  .gnupg/gpg.conf .netrc store.git/config
git's hooks: .githooks/pre-push .husky/pre-commit .huskyrc.json .lefthook.yml .lefthook-local.yml lefthook.yml lefthook.yaml
  lefthook.toml lefthook.json lefthook-local.yml .lintstagedrc .lintstagedrc.mjs .overcommit.yml .pre-commit-config.yaml
  .pre-commit-hooks.yaml .simple-git-hooks.cjs
packages: .npmrc .pnpmfile.cjs .pnpmfile.mjs .yarnrc .yarnrc.yml .yarn/releases/yarn.cjs binding.gyp bunfig.toml
  node_modules/x/index.js npm-shrinkwrap.json package-lock.json pnpm-lock.yaml pnpm-workspace.yaml pnpmfile.js yarn.lock
editors: a.code-workspace a.sublime-project .devcontainer/x.json .devcontainer.json .dir-locals.el .dir-locals-2.el .emacs
  .emacs.d/init.el .exrc .fleet/run.json .helix/config.toml .idea/workspace.xml .nvim/init.lua .nvim.lua .nvimrc .vim/vimrc
  .vimrc .vs/tasks.json .vscode/tasks.json .zed/tasks.json
agents: .agents/x.md .aider.conf.yml .amazonq/x.json .augment/x.md .claude/settings.json .claude.json .cline/x.json .clinerules
  .codeium/x.json .codex/config.toml .continue/config.json .continuerc.json .cursor/mcp.json .cursorrules .gemini/settings.json
  .goose/x.yaml .goosehints .junie/x.md .kilocode/x.json .kiro/x.json .mcp.json .opencode/x.json .openhands/x.json .qwen/x.json
  .roo/mcp.json .roomodes .roorules .rules .trae/x.md .windsurf/x.md .windsurfrules mcp.json opencode.json opencode.jsonc
servers of checks: .appveyor.yml .azure-pipelines/a.yml .buildkite/pipeline.yml .circleci/config.yml .cirrus.yml .drone.yml
  .forgejo/a.yml .gitea/a.yml .github/workflows/a.yml .gitlab/a.yml .gitlab-ci.yml .semaphore/a.yml .teamcity/a.kts .travis.yml
  .woodpecker.yml .woodpecker/a.yml Jenkinsfile appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml buildspec.yml
  cloudbuild.yaml
shells: .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .config/fish/config.fish .config/mise/config.toml
  .docker/config.json .envrc .gdbinit .inputrc .lldbinit .mise.toml .pdbrc .profile .zlogin .zlogout .zprofile .zshenv .zshrc
  mise.toml mise.local.toml
`;
const files = obeyed.split(/\s+/).filter((word) => /[.A-Z]/.test(word));

/** Files whose names are nearly such. */
const plain =
  "git/config .gitignore husky.md lintstagedrc.json my.netrc deep/package.json vscode.json claude.md ci.yml";

let folder: string;
let host: Host;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-obeyed-names-")));
  const filesystem = join(import.meta.dirname, "../../tools/filesystem");
  const plan = { version: 1, tools: [{ module: "filesystem", source: `file:${filesystem}` }] };
  await writeFile(join(folder, "plan.json"), JSON.stringify(plan));
  host = await openHost(join(folder, "plan.json"), { logger: silentLogger, store: createMemoryStore() });
});

afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

async function write(file_path: string) {
  const { result } = await host.call({ name: "write_file", arguments: { file_path, content: "x" } });
  return result.code;
}

test.each(files)("%s is not written, in the plan's folder and below", async (file) => {
  expect(await write(file)).toBe("ACCESS_DENIED");
  expect(await write(`deep/er/${file}`)).toBe("ACCESS_DENIED");
});

test.each(plain.split(" "))("%s is written", async (file) => {
  expect(await write(file)).toBeUndefined();
});

test("the entries that make a folder a repository are written one by one, but the last is not", async () => {
  for (const [at, set] of ["HEAD objects/x refs/x", "HEAD commondir"].entries()) {
    const entries = set.split(" ").map((entry) => `bare-${at}/${entry}`);
    for (const entry of entries.slice(0, -1)) expect(await write(entry), entry).toBeUndefined();
    expect(await write(entries.at(-1)!), entries.at(-1)).toBe("ACCESS_DENIED");
  }
});
