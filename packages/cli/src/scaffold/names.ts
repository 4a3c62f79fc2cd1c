import { readFile } from "node:fs/promises";
import { ToolmountError } from "@toolmount/core";

/** What a new tool is called, and what its code calls it. */
export interface ToolNames {
  /** In plans: `send-mail`. */
  readonly id: string;
  readonly package: string;
  /** For the model: `send_mail`; a single word gets a verb: `get_weather`. */
  readonly tool: string;
  /** In code: `SendMail`. */
  readonly type: string;
  /** In sentences: `send mail`. */
  readonly words: string;
}

/** Reads the name that somebody gave a new tool. Throws `USAGE_INVALID`. */
export function nameTool(name: string, packageName: string | undefined): ToolNames {
  const id = name.replaceAll("_", "-");
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id) || id.length > 40)
    return refuse(
      `"${name}" is no name for a tool: at most 40 small letters, digits and hyphens, a letter first`,
    );
  const words = id.split("-");
  const verbal = words.length === 1 ? ["get", ...words] : words;
  return {
    id,
    package: packageName === undefined ? `toolmount-tool-${id}` : requirePackage(packageName),
    tool: verbal.join("_"),
    type: verbal.map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`).join(""),
    words: words.join(" "),
  };
}

function requirePackage(name: string): string {
  if (/^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/.test(name) && name.length <= 214) return name;
  return refuse(`"${name}" is no name of an npm package`);
}

function refuse(problem: string): never {
  throw new ToolmountError("USAGE_INVALID", { problem });
}

/** Ranges of the packages that a new tool is made with. */
export type Ranges = Readonly<Record<string, string>>;

/** Libraries that this command's own package does not depend on. A test compares them with the workspace's catalog. */
export const libraries: Ranges = {
  "@arethetypeswrong/cli": "^0.18.5",
  "@types/node": "^24.0.0",
  publint: "^0.3.25",
  typescript: "~7.0.2",
  zod: "^4.6.7",
};

/** Ranges as this command was published with them; whatever there is, where it runs from its sources. */
export async function readRanges(): Promise<Ranges> {
  const manifest = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
    dependencies: Readonly<Record<string, string>>;
  };
  const own = Object.entries({ ...manifest.dependencies, toolmount: `^${manifest.version}` });
  const ranges = own.map(([name, range]) => [name, manifest.version === "0.0.0" ? "*" : range]);
  return { ...(Object.fromEntries(ranges) as Ranges), ...libraries };
}
