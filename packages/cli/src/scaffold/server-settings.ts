import type { JsonObject } from "@toolmount/core";
import { isRecord, withoutUndefined } from "@toolmount/core/json";

/** Returns the prefix of the tools of an imported server, from the server's name: at most 32 characters and `_`. */
export function prefixOf(name: string): string {
  return `${
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .slice(0, 32) || "mcp"
  }_`;
}

type Settings = Readonly<Record<string, unknown>>;

/** Tests whether an application's settings of a server say that the server is switched off. */
export function isSwitchedOff({ disabled, enabled, isActive }: Settings): boolean {
  return disabled === true || enabled === false || isActive === false;
}

/** Names of settings in the lists of applications, by the name that is read here. The first one that is written counts. */
const spellings = {
  address: ["httpUrl", "url", "serverUrl", "uri"],
  command: ["command", "cmd"],
  env: ["env", "environment", "envs"],
  excludeTools: ["excludeTools", "disabledTools", "disabled_tools"],
  headers: ["headers", "http_headers"],
  includeTools: ["includeTools", "tools", "enabled_tools", "available_tools"],
  passed: ["env_vars", "env_keys"],
} as const;

/**
 * Returns a server's settings in one spelling, and its limits in milliseconds under our names. Variables that a list names
 * become references.
 */
export function inOneSpelling(given: Settings): Settings {
  const written = Object.entries(spellings).flatMap(([name, others]): [string, string][] => {
    const isChoice = name.endsWith("Tools");
    const found = others.find((other) =>
      isChoice ? chooses(other, given[other]) : given[other] !== undefined,
    );
    return found === undefined ? [] : [[found, name]];
  });
  const names = new Map(written);
  const spelled = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [names.get(name) ?? name, value]),
  );
  const {
    env,
    headers,
    passed,
    env_http_headers: headerVariables,
    bearer_token_env_var: token,
    startup_timeout_sec: startSeconds,
    startup_timeout_ms: startTimeoutMs = msOf(startSeconds),
    tool_timeout_sec: callSeconds,
    timeoutMs = msOf(callSeconds),
    ...rest
  } = spelled;
  const bearer = typeof token === "string" ? { Authorization: `Bearer \${${token}}` } : undefined;
  const variables = (Array.isArray(passed) ? passed : []).map((one) =>
    String(isRecord(one) ? one["name"] : one),
  );
  const all = {
    env: mapOf(Object.fromEntries(variables.map((name) => [name, `\${${name}}`])), env),
    headers: mapOf(headers, referencesOf(headerVariables), bearer),
    timeoutMs,
  };
  return { ...withoutUndefined({ startTimeoutMs }), ...rest, ...withoutUndefined(all) };
}

/** Tests whether a setting chooses tools. An empty list of Goose chooses nothing; that of another application no tool. */
function chooses(name: string, value: unknown): boolean {
  return Array.isArray(value) && (value.length > 0 || name !== "available_tools");
}

/** Returns the limits of a server that are written under our names, in milliseconds. */
export function limitsOf({ startTimeoutMs, timeoutMs }: Settings) {
  const positive = (ms: unknown) => (typeof ms === "number" && ms >= 1 ? Math.round(ms) : undefined);
  return { startTimeoutMs: positive(startTimeoutMs), timeoutMs: positive(timeoutMs) };
}

function msOf(seconds: unknown): number | undefined {
  return typeof seconds === "number" ? Math.round(seconds * 1_000) : undefined;
}

function referencesOf(variables: unknown): Settings {
  return isRecord(variables)
    ? Object.fromEntries(Object.entries(variables).map(([key, name]) => [key, `\${${String(name)}}`]))
    : {};
}

/** Joins maps; undefined if none has a member. */
function mapOf(...maps: readonly unknown[]): Settings | undefined {
  const joined = Object.assign({}, ...maps.filter(isRecord)) as Settings;
  return Object.keys(joined).length === 0 ? undefined : joined;
}

/**
 * Reads which tools the list of opencode switches off, such as `tools: { "jira_*": false }`. Adds them to the settings of their
 * servers. Names those that need a rule of the policy, because the pattern is about some tools of a server.
 */
export function switchOff(servers: Settings, tools: unknown): { servers: Settings; left: Left[] } {
  const patterns = isRecord(tools) ? Object.entries(tools) : [];
  const left: Left[] = [];
  const changed = Object.entries(servers).map(([name, server]): [string, unknown] => {
    const prefix = `${name.replaceAll(/[^\w-]/g, "_")}_`;
    const isOfAll = (pattern: string) => pattern.endsWith("*") && prefix.startsWith(pattern.slice(0, -1));
    const own = patterns.filter(([pattern]) => isOfAll(pattern) || pattern.startsWith(prefix));
    const off = own.filter(([, isOn]) => isOn === false).map(([pattern]) => pattern);
    if (off.length === 0 || !isRecord(server)) return [name, server];
    if (own.length === off.length && off.some(isOfAll)) return [name, { ...server, enabled: false }];
    const isName = (pattern: string) => /^[\w-]+$/.test(pattern);
    for (const each of off.filter((one) => !isName(one))) {
      const because = `under policy, write deny: ["${prefixOf(name)}${each.slice(prefix.length)}"]`;
      left.push({ name: `${name}, ${each}`, because });
    }
    const excludeTools = off.filter(isName).map((each) => each.slice(prefix.length));
    return [name, { excludeTools, ...server }];
  });
  return { servers: Object.fromEntries(changed), left };
}

interface Left {
  readonly name: string;
  readonly because: string;
}

/** Returns the `tools` of a plan's entry, with the tools that a list includes or excludes; undefined if it names none. */
export function chosenTools({ includeTools, excludeTools }: Settings): JsonObject | undefined {
  const names = (list: unknown) => (Array.isArray(list) ? list.map(String) : undefined);
  const [include, exclude = []] = [names(includeTools), names(excludeTools)];
  const isAll = include === undefined || include.includes("*");
  if (isAll && exclude.length === 0) return undefined;
  return { ...(!isAll && { include }), ...(exclude.length > 0 && { exclude }) };
}

/** Returns the settings of a server that have no counterpart in its entry, each with the reason. */
export function settingsLeft(server: string, given: Settings): Left[] {
  const left = Object.keys(given).filter((setting) => !isRead.has(setting));
  return left.map((setting) => ({
    name: `${server}, ${setting}`,
    because: reasons.get(setting) ?? "an entry has no such setting",
  }));
}

const isRead: ReadonlySet<string> = new Set(
  "address args available_tools command cwd disabled enabled env excludeTools headers includeTools isActive source startTimeoutMs timeoutMs transport type".split(
    " ",
  ),
);

const approvals = "who approves is in the plan's policy";

const reasons: ReadonlyMap<string, string> = new Map([
  ["autoApprove", approvals],
  ["alwaysAllow", approvals],
  ["trust", approvals],
  ["default_tools_approval_mode", approvals],
  ["timeout", "its unit differs; write timeoutMs in milliseconds"],
  ["envFile", "write its variables under env"],
  ["oauth", "write auth; toolmount auth signs in"],
]);
