import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const site = join(import.meta.dirname, "../site");
const importFile = async (path: string) => (await import(pathToFileURL(path).href)) as { default: unknown };

/** Questions as people type them, each with the guides that answer it. */
const questions: readonly (readonly [question: string, guides: RegExp])[] = [
  ["pause a turn until a person decides", /^(?:approvals|run-an-agent|resume)/],
  ["lock tools of an mcp server", /^(?:mcp-gateway|mcp-mount|mount-plans)/],
  ["write access only in one folder", /^(?:files|isolation|policy)/],
  ["fetch a web page", /^web/],
  ["switch off a tool", /^(?:mount-plans|policy|modes)/],
  ["run a tool on another machine", /^fleet/],
  ["cancel a running call", /^limits/],
  ["test a tool package", /^(?:write-a-tool|validate|first-tool)/],
  ["claude desktop", /^(?:mcp-gateway|mcp-serve)/],
  ["redis", /^fleet/],
  ["sign the audit", /^audit/],
  ["delete old sessions", /^(?:resume|run-an-agent|audit)/],
  ["prometheus metrics", /^(?:observe|serve-http)/],
  ["approve only once", /^(?:rehearse-and-undo|approvals)/],
  ["todo list tool", /^files/],
  ["shell command timeout", /^(?:shell|limits)/],
  ["evaluate an agent", /^evaluate-your-tools/],
  ["record calls and replay them in a test", /^record-and-replay/],
  ["gemini", /^(?:use-with-gemini|models)/],
  ["what can an attacker do", /^security-boundary/],
];

interface Search {
  search(question: string): readonly { readonly id: string }[];
}

/** The search that the browser makes of the built site's index, with the options of the site. */
async function searchOf(): Promise<Search> {
  const { miniSearch } = (await importFile(join(site, "search.mjs"))) as unknown as {
    miniSearch: { options: object; searchOptions: object };
  };
  const fromTheme = createRequire(
    createRequire(join(site, "package.json")).resolve("vitepress/package.json"),
  );
  const { default: MiniSearch } = (await importFile(fromTheme.resolve("minisearch"))) as unknown as {
    default: { loadJSON(json: string, options: object): Search };
  };
  const [index = ""] = globSync("dist/site/assets/chunks/@localSearchIndex*.js", { cwd: site });
  const { default: json } = await importFile(join(site, index));
  return MiniSearch.loadJSON(json as string, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions: miniSearch.searchOptions,
    ...miniSearch.options,
  });
}

test("the site's search finds a guide that answers first, for 17 of 20 questions, and no page of the reference before it", async () => {
  execFileSync(process.execPath, [join(site, "build.mjs")], { stdio: "pipe" });
  const search = await searchOf();
  const first = questions.map(([question, guides]) => {
    const [found = { id: "nothing" }] = search.search(question);
    const id = found.id.replace(/^\//, "");
    return { question, id, isRight: guides.test(id) };
  });

  const wrong = first.filter(({ isRight }) => !isRight).map(({ question, id }) => `${question}: ${id}`);
  expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(3);
  expect(first.filter(({ id }) => id.startsWith("reference/"))).toEqual([]);
});
