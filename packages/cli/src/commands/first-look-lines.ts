import { isDirect, type FoundList } from "../clients/found-servers.ts";
import type { FoundText, FoundTexts } from "../clients/found-texts.ts";
import { homeOf } from "../clients/mcp-clients.ts";
import type { PlannedTool, PlanOutlook } from "./plan-outlook.ts";
import type { FoundPackage } from "../install/tool-packages.ts";
import type { Shell } from "../process/shell.ts";
import { shortPath } from "../render/problems.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import { cutText, widthOf } from "../screen/table.ts";

/** What `toolmount` without a command found: a plan, lists of servers, skills and agents, and packages with tools. */
export interface Look {
  readonly plan: PlanOutlook | undefined;
  readonly lists: readonly FoundList[];
  readonly texts: FoundTexts;
  readonly packages: readonly FoundPackage[];
}

/** A line: its subject, and the text about it. */
type Fact = readonly [about: string, text: string];

/** Writes what was found. With the question that follows, it fits a terminal of 80 columns and 24 lines. */
export async function writeLook({ plan, lists, texts, packages }: Look, shell: Shell): Promise<void> {
  const { out } = shell;
  const below = [
    ...listFacts(lists, plan === undefined ? 4 : 2, shell),
    ...serverFacts(lists),
    ...(await textFact("skills", texts.skills)),
    ...(await textFact("agents", texts.agents)),
    ...(plan === undefined ? await packageFacts(packages) : []),
  ];
  out.line(planSentence(plan, shell));
  writeFacts(plan === undefined ? [] : await planFacts(plan), shell);
  out.line("");
  if (below.length === 0) out.line("No application here lists MCP servers.");
  writeFacts(below, shell);
  out.line("");
}

/** Columns for the subject at the beginning of a line. */
const aboutWidth = 16;

function writeFacts(facts: readonly Fact[], { out }: Shell): void {
  const room = (out.columns ?? Number.POSITIVE_INFINITY) - aboutWidth;
  for (const [about, text] of facts)
    out.line(out.paint("dim", about.padEnd(aboutWidth)) + cutText(text, room));
}

function planSentence(plan: PlanOutlook | undefined, { cwd }: Shell): string {
  if (plan === undefined) return "No plan is in this folder, or above it.";
  const name = printable(shortPath(plan.file, cwd));
  if (plan.problems === 0) return `The plan here is ${name}.`;
  return `The plan here is ${name}. It cannot be mounted: it has ${countOf(plan.problems, "problem")}.`;
}

async function planFacts({ tools, unknown, waiting, problems }: PlanOutlook): Promise<readonly Fact[]> {
  const waits: Fact = ["waiting", waiting === null ? "toolmount approvals shows it" : waitingText(waiting)];
  if (problems > 0) return waiting === 0 ? [] : [waits];
  const unseen = `${fewOf(unknown)}: only starting ${unknown.length === 1 ? "it" : "them"} shows the tools`;
  return [
    ...(await toolFact(tools)),
    ...callFacts(tools),
    ...(unknown.length === 0 ? [] : [["not seen", unseen] as const]),
    waits,
  ];
}

function waitingText(count: number): string {
  return count === 0 ? "no call waits for an answer" : `${countOf(count, "call")} for an answer`;
}

type CountedTool = Pick<PlannedTool, "name" | "description" | "category" | "inputSchema">;

/** Categories of tools in the order of a line: those that can do the most damage first. */
const categories = ["delete", "side_effect", "write", "read"];

/** Returns a line with the number of tools by category, and the tokens that their definitions cost. */
async function toolFact(tools: readonly CountedTool[]): Promise<readonly Fact[]> {
  if (tools.length === 0) return [];
  const kinds = countBy(tools, ({ category }) => String(category ?? "unknown"), categories);
  const definitions = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name, description, inputSchema }),
  );
  return [["tools", `${tools.length}: ${kinds}; ${await costOf(definitions)}`]];
}

const verdicts = ["runs", "may ask", "asks", "denied", "changed", "not locked"];

/** Returns a line about what happens to calls, and one about tools that run without a question and do more than read. */
function callFacts(tools: readonly PlannedTool[]): readonly Fact[] {
  if (tools.length === 0) return [];
  const unasked = tools.filter(({ category, calls = "runs" }) => category !== "read" && calls === "runs");
  const counted: Fact = ["their calls", countBy(tools, ({ calls }) => calls ?? "runs", verdicts)];
  if (unasked.length === 0) return [counted];
  const names = fewOf(unasked.map(({ name }) => name));
  return [counted, ["unasked", `${unasked.length} that may change something: ${names}`]];
}

function countBy<Thing>(
  things: readonly Thing[],
  keyOf: (thing: Thing) => string,
  order: readonly string[],
): string {
  const groups = Map.groupBy(things, keyOf);
  const others = [...groups.keys()].filter((key) => !order.includes(key));
  const keys = [...order.filter((key) => groups.has(key)), ...others];
  return keys.map((key) => `${groups.get(key)!.length} ${printable(key)}`).join(", ");
}

async function costOf(texts: readonly string[]): Promise<string> {
  const { countText } = await import("../carried/tokenizer.ts");
  const tokens = texts.reduce((sum, text) => sum + countText(text), 0);
  return `about ${tokens.toLocaleString("en-US")} tokens in each request`;
}

/**
 * Returns a line for each of the first `most` lists, a line that names the rest, and one about the first list that cannot be
 * read.
 */
function listFacts(lists: readonly FoundList[], most: number, shell: Shell): readonly Fact[] {
  const read = lists.filter(({ problem }) => problem === undefined);
  const rest = read.slice(most).map(({ client }) => client);
  const [broken] = lists.filter(({ problem }) => problem !== undefined);
  return [
    ...read
      .slice(0, most)
      .map(({ client, servers, file }): Fact => [
        client,
        `${fewOf(servers.map(nameOf))} – ${placeOf(file, shell)}`,
      ]),
    ...(rest.length === 0 ? [] : [["more lists", fewOf([...new Set(rest)])] as const]),
    ...(broken === undefined
      ? []
      : [
          [
            "cannot read",
            printable(`${placeOf(broken.file, shell)}: ${broken.problem?.replace(broken.file, "it")}`),
          ] as const,
        ]),
  ];
}

function nameOf({ name, isPlan }: FoundList["servers"][number]): string {
  return isPlan ? `${name} (toolmount)` : name;
}

/** Returns a path relative to this folder or to the user's home folder. */
function placeOf(file: string, shell: Shell): string {
  const short = shortPath(file, shell.cwd);
  const own = `${homeOf(shell)}/`;
  return printable(short.startsWith(own) ? `~/${short.slice(own.length)}` : short);
}

function serverFacts(lists: readonly FoundList[]): readonly Fact[] {
  const direct = lists.flatMap(({ servers }) => servers.filter(isDirect));
  const unpinned = [...new Set(direct.flatMap((server) => server.unpinned ?? []))];
  const asks = `${countOf(direct, "server")}: no call is checked, asked about or recorded`;
  return [
    ...(direct.length === 0 ? [] : [["no plan", asks] as const]),
    ...(unpinned.length === 0
      ? []
      : [["unpinned", `${countOf(unpinned, "package")}: ${fewOf(unpinned)}`] as const]),
  ];
}

async function textFact(about: string, texts: readonly FoundText[]): Promise<readonly Fact[]> {
  if (texts.length === 0) return [];
  const names = texts.map(({ name, head }) => (head === null ? `${name} (cannot be read)` : name));
  const cost = await costOf(texts.flatMap(({ head }) => head ?? []));
  return [[about, `${texts.length}, ${cost}: ${fewOf(names)}`]];
}

/** Returns lines about packages in `package.json` that have tools. The tools are known from the packages' manifests. */
async function packageFacts(packages: readonly FoundPackage[]): Promise<readonly Fact[]> {
  if (packages.length === 0) return [];
  const names = packages.map(({ name, isUnpinned }) => (isUnpinned ? `${name} (unpinned)` : name));
  return [
    ["packages", `${packages.length}: ${fewOf(names)}`],
    ...(await toolFact(packages.flatMap(({ tools }) => tools ?? []))),
  ];
}

/** Columns for the names in one line. */
const namesWidth = 34;

/** Returns the first names that fit, at least one, and the number of the others. */
function fewOf(names: readonly string[]): string {
  const texts = names.map((name) => cutText(printable(name), namesWidth));
  let [count, width] = [0, 0];
  while (count < texts.length && (count === 0 || width + widthOf(texts[count]!) <= namesWidth))
    width += widthOf(texts[count++]!) + ", ".length;
  const more = texts.length - count;
  return texts.slice(0, count).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
