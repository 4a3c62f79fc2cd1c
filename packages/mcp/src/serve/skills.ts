import { ProtocolError, ProtocolErrorCode, type Resource, type Server } from "@modelcontextprotocol/server";
import type { SessionCallContext, ToolInfo } from "@toolmount/core";
import { z } from "zod";
import type { ResourceSource } from "../wire/exposed-source.ts";
import { isRecord } from "@toolmount/core/json";
import { publishedOn } from "../wire/published.ts";
import { encodePath, skillToolName, type OfferedSkill } from "../wire/skills.ts";
import { RefusedRequest } from "./exposed-calls.ts";
import type { ServedSession } from "./served-session.ts";
import type { Era } from "./tool-list.ts";

/** The extension's name among a server's capabilities. Source: SEP-2640. */
export const skillsExtension = "io.modelcontextprotocol/skills";

/** A skill that a session is offered, and the tool that reads it. */
interface ServedSkill extends OfferedSkill {
  readonly tool: string;
  /** The address of the skill's folder, with a `/` at the end. */
  readonly root: string;
}

/** Serves the skills of a session. Files are read by calls of the skill's tool, so that policy, lock and audit see them. */
interface SkillService {
  /** The SKILL.md files, for `resources/list` and `resources/read`. */
  readonly source: ResourceSource;
  /** Registers the methods of the extension. */
  attach(server: Server, era: Era): void;
}

/** Makes the service; returns undefined if no module offers skills. */
export async function findSkills(
  served: ServedSession,
  context: SessionCallContext,
): Promise<SkillService | undefined> {
  const published = await publishedOn(served.host, "skills");
  const offered = published.flat().filter((one) => isRecord(one));
  if (offered.length === 0) return undefined;
  const list = async () => skillsOf(await served.tools(), offered);
  return {
    source: createSource(list, async (tool, file) => {
      const { result } = await served.call({ name: tool, arguments: { file } }, context);
      return result;
    }),
    attach: (server, era) => attach(server, era, list),
  };
}

/** Returns the skills that the session's tools read, in the version that the modules offer now. */
function skillsOf(tools: readonly ToolInfo[], offered: readonly OfferedSkill[]): readonly ServedSkill[] {
  return tools
    .filter(({ tags }) => tags.includes("skill"))
    .flatMap(({ name: tool, version }) => {
      const skill = offered.find(({ digest }) => digest === version);
      if (skill === undefined) return [];
      const { name } = skill.frontMatter;
      const isPlain = tool === skillToolName(name);
      // The last part of the path is the skill's name. If its tool has a prefix, the tool's name comes before that.
      return [{ ...skill, tool, root: isPlain ? `skill://${name}/` : `skill://${tool}/${name}/` }];
    });
}

type ReadFile = (
  tool: string,
  file: string,
) => Promise<{
  readonly data?: unknown;
  readonly error?: string | undefined;
  readonly truncated?: object | undefined;
}>;

function createSource(list: () => Promise<readonly ServedSkill[]>, read: ReadFile): ResourceSource {
  const refuse = async () => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "skills have no prompts and no subscriptions");
  };
  return {
    name: "skills",
    listResources: async () => (await list()).map(toResource),
    listResourceTemplates: async () => [],
    readResource: async (uri) => {
      for (const skill of await list()) {
        const file = skill.files.find(({ path }) => uriOf(skill, path) === uri);
        if (file === undefined) continue;
        const { data, error, truncated } = await read(skill.tool, file.path);
        if (error !== undefined || !isRecord(data) || truncated !== undefined)
          throw new RefusedRequest(
            error ?? "the file is larger than what the plan's limits let through (limits: outputBytes)",
            {},
          );
        return { contents: [contentsOf(uri, file.path, data)] };
      }
      return { contents: [] };
    },
    subscribe: refuse,
    unsubscribe: refuse,
  };
}

function toResource(skill: ServedSkill): Resource {
  const { name, description } = skill.frontMatter;
  return { uri: uriOf(skill, "SKILL.md"), name, description, mimeType: "text/markdown" };
}

function contentsOf(uri: string, path: string, { text, base64 }: Readonly<Record<string, unknown>>) {
  if (typeof text !== "string") return { uri, blob: String(base64) };
  return { uri, mimeType: path.endsWith(".md") ? "text/markdown" : "text/plain", text };
}

function uriOf({ root }: ServedSkill, path: string): string {
  return root + encodePath(path);
}

function toEntry(skill: ServedSkill) {
  return {
    uri: uriOf(skill, "SKILL.md"),
    frontmatter: skill.frontMatter,
    resources: skill.files.map(({ path, size, digest }) => ({ uri: uriOf(skill, path), size, digest })),
  };
}

const listParams = z.looseObject({ cursor: z.string().optional() });
const getParams = z.looseObject({ uri: z.string() });

function attach(server: Server, era: Era, list: () => Promise<readonly ServedSkill[]>): void {
  // The skills of a session may change with each reload, mode and activation.
  const cache = era === "modern" ? { ttlMs: 0, cacheScope: "private" } : {};
  server.setRequestHandler("skills/list", { params: listParams.optional() }, async () => ({
    skills: (await list()).map(toEntry),
    ...cache,
  }));
  server.setRequestHandler("skills/get", { params: getParams }, async ({ uri }) => {
    const skill = (await list()).find((one) => uriOf(one, "SKILL.md") === uri);
    if (skill !== undefined) return { skill: toEntry(skill), ...cache };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no skill is served at ${uri.slice(0, 200)}`);
  });
}
