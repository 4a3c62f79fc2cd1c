import type { ToolInfo } from "@toolmount/core";
import { nearestNames } from "@toolmount/core/text";
import { fitsTool } from "../match/match.ts";
import { ownSources, trustsOf, type FlowLine, type FlowsConfig, type ResultLine } from "./schema.ts";

interface Found {
  readonly path: readonly (string | number)[];
  readonly problem: string;
}

/** Finds the parts of `flows` that can have no effect, because no tool of the plan fits the line, argument or field. */
export function lintFlows(flows: FlowsConfig | undefined, tools: readonly ToolInfo[]): readonly Found[] {
  if (flows === undefined) return [];
  return [
    ...flows.into.flatMap((line, at) => lintInto(line, tools).map(below("into", at))),
    ...flows.results.flatMap((line, at) => lintResult(line, tools).map(below("results", at))),
    ...flows.into.flatMap((line, at) => lintSources(line, flows).map(below("into", at))),
  ];
}

const below =
  (list: "into" | "results", at: number) =>
  ({ path, problem }: Found): Found => ({ path: ["flows", list, at, ...path], problem });

const dead = "this line can never match: the plan offers no tool that fits it";

function lintInto(line: FlowLine, tools: readonly ToolInfo[]): readonly Found[] {
  const own = tools.filter((tool) => fitsTool(line.match, tool));
  if (own.length === 0) return [{ path: ["match"], problem: dead }];
  const known = own.flatMap(argumentsOf);
  return (["control", "content", "audience"] as const).flatMap((key) =>
    [line[key] ?? []].flat().flatMap((name, at): Found[] =>
      known.includes(name) || line[key] === "user"
        ? []
        : [
            {
              path: [key, at],
              problem: `no tool of this line has the argument "${name}"${near(name, known)}`,
            },
          ],
    ),
  );
}

function argumentsOf({ inputSchema }: ToolInfo): readonly string[] {
  return Object.keys((inputSchema["properties"] as object | undefined) ?? {});
}

function lintResult(line: ResultLine, tools: readonly ToolInfo[]): readonly Found[] {
  const { match } = line;
  const own = tools.filter((tool) => fitsTool(match, tool));
  if (own.length === 0) return [{ path: ["match"], problem: dead }];
  if (line.fields === undefined || own.some(({ outputSchema }) => outputSchema === undefined)) return [];
  const known = [...new Set(own.flatMap(({ outputSchema }) => fieldsIn(outputSchema)))];
  return Object.keys(line.fields).flatMap((field): Found[] => {
    const name = field.split(".").findLast((part) => /^\w+$/.test(part));
    if (name === undefined || known.includes(name)) return [];
    return [
      {
        path: ["fields", field],
        problem: `no result of these tools has the field "${name}"${near(name, known)}`,
      },
    ];
  });
}

/** Returns the names of all members in an output schema, at any depth. */
function fieldsIn(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, inner]) => [
    ...(key === "properties" ? Object.keys((inner as object | null) ?? {}) : []),
    ...fieldsIn(inner),
  ]);
}

/** The sources that only a line of `results`, or the plan's `identity`, can give. */
const ofResults: ReadonlySet<string> = new Set(["identity", "trusted", "structured", "contact"]);

/** Finds sources of a line that no line and no value of the plan can give. */
function lintSources({ from }: FlowLine, { identity, results }: FlowsConfig): readonly Found[] {
  const said = new Set<string>(results.flatMap(trustsOf));
  if (identity.length > 0) said.add("identity");
  // A line with the default sources is not checked, because its author did not choose them.
  if (ownSources.every((one) => from.includes(one))) return [];
  return from.flatMap((source, at): Found[] => {
    if (!ofResults.has(source) || said.has(source)) return [];
    return [
      {
        path: ["from", at],
        problem: `nothing is ${source}: no line of results says it${source === "identity" ? ", and identity is empty" : ""}`,
      },
    ];
  });
}

function near(name: string, known: readonly string[]): string {
  const [best] = nearestNames(name, known);
  return best === undefined ? "" : `; did you mean "${best}"?`;
}
