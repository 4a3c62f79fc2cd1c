import type { JsonObject } from "@toolmount/core";

type Settings = Readonly<Record<string, unknown>>;

/** Tests whether an application's settings of a server say that the server is switched off. */
export function isSwitchedOff({ disabled, enabled, isActive }: Settings): boolean {
  return disabled === true || enabled === false || isActive === false;
}

/** Returns a server's settings in Codex under the names that the lists of other applications use. */
export function asOthers({
  enabled_tools: includeTools,
  disabled_tools: disabledTools,
  http_headers: headers,
  bearer_token_env_var: token,
  ...rest
}: Settings): Settings {
  const bearer = typeof token === "string" ? { Authorization: `Bearer \${${token}}` } : undefined;
  return {
    ...rest,
    ...(includeTools !== undefined && { includeTools }),
    ...(disabledTools !== undefined && { disabledTools }),
    ...((headers !== undefined || bearer !== undefined) && {
      headers: { ...(headers as object), ...bearer },
    }),
  };
}

/** Returns the `tools` of a plan's entry, with the tools that a list includes or excludes; undefined if it names none. */
export function chosenTools({
  tools,
  includeTools = tools,
  excludeTools,
  disabledTools = excludeTools,
}: Settings): JsonObject | undefined {
  const names = (list: unknown) =>
    Array.isArray(list) && list.length > 0 && !list.includes("*") ? list.map(String) : undefined;
  const [include, exclude] = [names(includeTools), names(disabledTools)];
  if (include === undefined && exclude === undefined) return undefined;
  return { ...(include !== undefined && { include }), ...(exclude !== undefined && { exclude }) };
}

/** Returns the settings of a server that have no counterpart in its entry, each with the reason. */
export function settingsLeft(server: string, given: Settings): { name: string; because: string }[] {
  const left = Object.keys(given).filter((setting) => !isRead.has(setting));
  return left.map((setting) => ({
    name: `${server}, ${setting}`,
    because: reasons.get(setting) ?? "an entry has no such setting",
  }));
}

const isRead: ReadonlySet<string> = new Set(
  "args command cwd disabled disabledTools enabled env environment excludeTools headers httpUrl includeTools isActive serverUrl source tools transport type url".split(
    " ",
  ),
);

const approvals = "who approves is in the plan's policy";

const reasons: ReadonlyMap<string, string> = new Map([
  ["autoApprove", approvals],
  ["alwaysAllow", approvals],
  ["trust", approvals],
  ["timeout", "its unit differs; write timeoutMs in milliseconds"],
  ["envFile", "write its variables under env"],
  ["oauth", "write auth; toolmount auth signs in"],
]);
