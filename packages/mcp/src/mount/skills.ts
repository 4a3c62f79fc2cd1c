import type {
  CallToolResult,
  Client,
  ListToolsResult,
  RequestOptions,
  Tool,
} from "@modelcontextprotocol/client";
import type { Skill } from "@modelcontextprotocol/client/ext/skills";
import { ToolError, type HostLink } from "@toolmount/core";
import { digestOf, isRecord } from "@toolmount/core/json";
import type { ServerSettings } from "./config.ts";
import { groupsOf, instructionsTool, listExposed, withoutExposed } from "./exposed-definitions.ts";
import { readChain } from "../wire/chain.ts";
import { encodePath, skillMetaKey, skillToolName, type OfferedSkill } from "../wire/skills.ts";

interface ListOptions extends RequestOptions {
  readonly onHosts?: ((behind: readonly HostLink[]) => void) | undefined;
}

/**
 * Returns what a server offers, each as a tool: its tools, its instructions, with `skills` its skills, and the prompts and
 * resources that `expose` names.
 */
export async function listOffered(
  client: Client,
  settings: ServerSettings,
  /** `onHosts` gets the hosts to which the server leads, and may refuse them. */
  { onHosts, ...options }: ListOptions = {},
): Promise<readonly Tool[]> {
  // The SDK would print a line if a server without tools were asked for them.
  const hasTools = client.getServerCapabilities()?.tools !== undefined;
  const { tools: own, _meta } = hasTools ? await client.listTools(undefined, options) : none;
  onHosts?.(readChain(_meta));
  const listed = own.map(withoutExposed);
  const exposed = await Promise.all(
    groupsOf(settings).map((group) => listExposed(client, settings, group, options)),
  );
  const tools = [...listed, ...exposed.flat(), ...instructionsTool(client, settings)];
  if (!settings.skills) return tools;
  const { SkillsClient } = await import("@modelcontextprotocol/client/ext/skills");
  const { skills } = await new SkillsClient(client, { skipInvalid: true }).list();
  return [...tools, ...skills.map(toTool)];
}

const none: ListToolsResult = { tools: [] };

/**
 * Returns the definition of the tool that reads a skill. It is locked, compared and mounted like those that the server lists.
 */
function toTool(skill: Skill): Tool {
  const { name, description } = skill.frontmatter;
  return {
    name: skillToolName(name),
    description: `Reads the skill "${name}": ${description.trim()} Call before such work, not for other work.`,
    inputSchema: {
      type: "object",
      properties: {
        file: {
          type: "string",
          minLength: 1,
          default: "SKILL.md",
          description: "A file of the skill; the instructions are in SKILL.md",
        },
      },
      additionalProperties: false,
    },
    _meta: { [skillMetaKey]: skill },
  };
}

/** Returns the skill that a tool reads; undefined for a tool of the server itself. */
export function skillOf({ _meta }: Pick<Tool, "_meta">): Skill | undefined {
  const skill = _meta?.[skillMetaKey];
  return isRecord(skill) ? (skill as Skill) : undefined;
}

/** Returns why the skill of a tool cannot be mounted; undefined if it can, and for a tool of the server itself. */
export function skillProblem(tool: Pick<Tool, "_meta">): string | undefined {
  const skill = skillOf(tool);
  if (skill?.resources === "dynamic")
    return "the server gives no digests of its files, so it cannot be locked";
  try {
    if (skill !== undefined) filesOf(skill);
    return undefined;
  } catch {
    return "the address of one of its files is not valid UTF-8";
  }
}

/** Describes a skill for the lock file and for clients of this host. */
export function toOffered(skill: Skill): OfferedSkill {
  const { frontmatter } = skill;
  const files = filesOf(skill);
  return { digest: `sha256:${digestOf({ frontmatter, files })}`, frontMatter: frontmatter, files };
}

function filesOf({ uri, resources }: Skill): OfferedSkill["files"] {
  const root = uri.slice(0, uri.lastIndexOf("/") + 1);
  return (resources === "dynamic" ? [] : resources).map((file) => ({
    path: decodeURIComponent(file.uri.startsWith(root) ? file.uri.slice(root.length) : file.uri),
    size: file.size,
    digest: file.digest,
  }));
}

/** Reads a file of a skill, and compares it with the digest that was accepted. */
export async function readSkill(
  client: Client,
  skill: Skill,
  { file = "SKILL.md" }: { readonly file?: unknown } = {},
  { signal }: RequestOptions = {},
): Promise<CallToolResult> {
  const { SkillsClient, SkillVerificationError } = await import("@modelcontextprotocol/client/ext/skills");
  const paths = filesOf(skill).map(({ path }) => path);
  if (typeof file !== "string" || !paths.includes(file)) throw noFile(skill, String(file));
  try {
    const read = await new SkillsClient(client).read(skill, encodePath(file), {
      cacheMode: "refresh",
      ...(signal !== undefined && { signal }),
    });
    const others = paths.filter((path) => path !== "SKILL.md");
    const structuredContent = {
      skill: skill.frontmatter.name,
      file,
      ...(read.text === undefined
        ? { base64: Buffer.from(read.bytes).toString("base64") }
        : { text: read.text }),
      ...(file === "SKILL.md" && others.length > 0 && { files: others }),
    };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    if (!(error instanceof SkillVerificationError)) throw error;
    const { name } = skill.frontmatter;
    throw new ToolError(
      `the file "${file}" of the skill "${name}" is not the one that was accepted (${error.reason}); compare with: toolmount lock --check`,
      { code: "SKILL_CHANGED", cause: error },
    );
  }
}

function noFile({ frontmatter: { name } }: Skill, file: string): ToolError {
  return new ToolError(`the skill "${name}" has no file "${file.slice(0, 200)}"`, {
    code: "SKILL_FILE_NOT_FOUND",
  });
}
