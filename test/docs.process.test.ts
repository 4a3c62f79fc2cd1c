import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { glob, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkTypes, followOnce, readBlocks, tryPage } from "./support/doc-blocks.ts";

const root = join(import.meta.dirname, "..");

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

/** Pages with steps: a test runs each block in order, as a reader would. The first two are in readme.smoke.process.test.ts. */
const pages = [
  ...(hasLayer ? ["docs/layer.md"] : []),
  "packages/core/README.md",
  "tools/modes/README.md",
  "docs/getting-started.md",
  "docs/mcp-gateway.md",
  "docs/mcp-serve.md",
  "docs/mcp-mount.md",
  "docs/observe.md",
  "docs/limits.md",
  "docs/reference/performance.md",
  "docs/tool-search.md",
  "docs/files.md",
  "docs/policy.md",
  "docs/learn-a-policy.md",
  "docs/flows.md",
  "docs/programs.md",
  "docs/rehearse-and-undo.md",
  "docs/command-hooks.md",
  "docs/command-line.md",
  "docs/mount-plans.md",
  "docs/approvals.md",
  "docs/audit.md",
  "docs/reference/model-conformance.md",
  "docs/modes.md",
  "docs/run-an-agent.md",
  "docs/resume.md",
  "docs/record-and-replay.md",
  "docs/evaluate-your-tools.md",
  "docs/deploy.md",
  "docs/serve-http.md",
  "docs/shell.md",
  "docs/isolation.md",
  "docs/fleet.md",
  "docs/web.md",
  "docs/write-a-tool.md",
  "docs/coming-from-libraries.md",
  "docs/coming-from-aptix.md",
  "docs/coming-from-amplifier.md",
  "docs/coming-from-tool-forge.md",
  "docs/use-with-agents.md",
  "docs/use-with-ai-sdk.md",
  "docs/use-with-anthropic.md",
  "docs/use-with-gemini.md",
  "docs/use-with-langchain.md",
  "docs/use-with-openai.md",
];

let base: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "toolmount docs ")));
});
afterAll(() => rm(base, { recursive: true }));

const follow = followOnce((page) => tryPage(root, page, base));

test.each(pages)("the steps of %s work as the page says", async (page) => {
  expect(await follow.one(page)).toBeGreaterThan(0);
});

test("the files that the pages above make have the types that the packages declare", async () => {
  await follow.all(pages);

  await expect(checkTypes(root, base)).resolves.toBeUndefined();
});

test("a block that does not say how it is run is refused", () => {
  expect(() => readBlocks("page.md", "# A page\n\n```sh\nrm -rf /\n```\n")).toThrow(
    "page.md:3: no test looks at ```sh",
  );
});

test("the guide has at most 60,000 words: what is looked up, or made by a run, is in the reference", async () => {
  const guide = globSync(["README.md", "docs/**/*.md"], {
    cwd: root,
    exclude: ["docs/reference/**"],
  });
  const texts = await Promise.all(guide.map((page) => readFile(join(root, page), "utf8")));
  const words = texts.map((text) => text.split(/\s+/).filter(Boolean).length);

  expect(guide).toContain("docs/getting-started.md");
  expect(words.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(60_000);
});

test("every link from one page to another leads to a file", async () => {
  const dead: string[] = [];
  for await (const page of glob(["*.md", "docs/**/*.md"], { cwd: root })) {
    const links = (await readFile(join(root, page), "utf8")).matchAll(/\]\((?!\w+:|#)([^)#]+)[^)]*\)/g);
    for (const [, link = ""] of links) {
      if (!existsSync(join(root, dirname(page), link))) dead.push(`${page}: ${link}`);
    }
  }
  expect(dead).toEqual([]);
});
