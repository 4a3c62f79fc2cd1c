import { isRecord } from "@toolmount/core/json";
import { prefixOf } from "./server-settings.ts";

/** The names of the lists in a plan's policy. */
type PolicyList = "allow" | "ask" | "deny";

/** The rules of another application, as lines for a plan's policy. */
export interface PermissionRules {
  readonly lists: Readonly<Record<PolicyList, readonly string[]>>;
  /** Rules that cannot be expressed as lines, each with the reason. */
  readonly left: readonly { readonly rule: string; readonly because: string }[];
}

const listNames: readonly PolicyList[] = ["deny", "ask", "allow"];

/** Our tools that do the same as each tool of Claude Code. Source: code.claude.com/docs/en/permissions, tools reference. */
const toolsOf: Readonly<Record<string, readonly string[]>> = {
  Bash: ["bash"],
  Read: ["read_file"],
  Edit: ["edit_file", "multi_edit_file", "write_file"],
  MultiEdit: ["multi_edit_file"],
  Write: ["write_file"],
  Glob: ["glob"],
  Grep: ["grep"],
  LS: ["list_directory"],
  WebFetch: ["web_fetch"],
  WebSearch: ["web_search"],
  Task: ["delegate"],
  Agent: ["delegate"],
  TodoWrite: ["todo"],
};

const fileTools: ReadonlySet<string> = new Set(["Read", "Edit", "MultiEdit", "Write"]);

/**
 * Reads the rules in the settings of Claude Code: `permissions: { allow, ask, deny }`. Returns undefined if the settings have
 * none.
 */
export function readPermissions(settings: unknown): PermissionRules | undefined {
  const permissions = isRecord(settings) ? settings["permissions"] : undefined;
  if (!isRecord(permissions)) return undefined;
  const left: { rule: string; because: string }[] = [];
  const linesOf = (list: PolicyList): string[] => {
    const rules = permissions[list];
    if (!Array.isArray(rules)) return [];
    return rules.flatMap((rule: unknown) => {
      const read = typeof rule === "string" ? readRule(rule, list) : "it is not a text";
      if (typeof read !== "string") return read;
      left.push({ rule: String(rule), because: read });
      return [];
    });
  };
  const [deny, ask, allow] = listNames.map((list) => [...new Set(linesOf(list))]);
  return { lists: { deny: deny!, ask: ask!, allow: allow! }, left };
}

/** Returns the lines for one rule, or the reason why it has no line. */
function readRule(rule: string, list: PolicyList): readonly string[] | string {
  const [, name = rule, inner] = /^([^(]+)\((.*)\)$/s.exec(rule) ?? [];
  const server = /^mcp__([^_].*?)(?:__(.+))?$/.exec(name);
  if (server !== null) return [`${prefixOf(server[1]!)}${server[2] ?? "*"}`];
  const tools = toolsOf[name];
  if (tools === undefined) return "no tool of toolmount does the same";
  if (inner === undefined || inner === "" || inner === "*") return tools;
  const glob = globOf(name, inner, list);
  return glob === undefined ? "its pattern has no equal" : tools.map((tool) => `${tool}(${glob})`);
}

function globOf(name: string, inner: string, list: PolicyList): string | undefined {
  if (name === "Bash") return inner.replace(/:\*$/, " *").replace(/^[!<>]/, String.raw`\$&`);
  if (name === "WebFetch") {
    const [, domain] = /^domain:([\w.*-]+)$/.exec(inner) ?? [];
    return domain === undefined ? undefined : `http*://${domain}/*`;
  }
  if (fileTools.has(name)) return pathGlob(inner, list);
  return list === "allow" ? undefined : inner;
}

/**
 * Converts a path of Claude Code to a glob for the path of a call, which may be relative or absolute. In the lists `deny` and
 * `ask`, the glob matches after any beginning; in `allow`, only as written. Returns undefined for `~`, because the home folder is
 * not known here.
 */
function pathGlob(written: string, list: PolicyList): string | undefined {
  if (written.startsWith("~") || written.startsWith("!")) return undefined;
  const plain = written.replaceAll("**/", "*").replaceAll("**", "*");
  if (plain.startsWith("//")) return plain.slice(1);
  const relative = plain.replace(/^\.?\//, "");
  return list === "allow" || relative.startsWith("*") ? relative : `*${relative}`;
}
