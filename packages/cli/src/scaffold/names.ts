import { ToolmountError } from "@toolmount/core";

/** The name of a new tool in all forms in which its package needs it. */
export interface ToolNames {
  /** For plans: `send-mail`. */
  readonly id: string;
  readonly package: string;
  /** For the model: `send_mail`; a single word gets a verb: `get_weather`. */
  readonly tool: string;
  /** For code: `SendMail`. */
  readonly type: string;
  /** For sentences: `send mail`. */
  readonly words: string;
  /** The name in a plan that mounts the package: a short name, if the package has one. */
  readonly module: string;
}

/** Derives all forms from a given name. Throws `USAGE_INVALID` for a name that is not valid. */
export function nameTool(name: string, packageName: string | undefined): ToolNames {
  const id = name.replaceAll("_", "-");
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id) || id.length > 40)
    return refuse(
      `"${name}" is not a valid tool name; use at most 40 lower-case letters, digits and hyphens, beginning with a letter`,
    );
  const words = id.split("-");
  const verbal = words.length === 1 ? ["get", ...words] : words;
  const ownPackage = packageName === undefined ? `toolmount-tool-${id}` : requirePackage(packageName);
  return {
    id,
    package: ownPackage,
    tool: verbal.join("_"),
    type: verbal.map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`).join(""),
    words: words.join(" "),
    module: moduleName(id, ownPackage),
  };
}

function requirePackage(name: string): string {
  if (/^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/.test(name) && name.length <= 214) return name;
  return refuse(`"${name}" is not a valid npm package name`);
}

function moduleName(id: string, name: string): string {
  if (name === `toolmount-tool-${id}`) return id;
  return name.startsWith("@") ? `"${name}"` : `npm:${name}`;
}

function refuse(problem: string): never {
  throw new ToolmountError("USAGE_INVALID", { problem });
}
