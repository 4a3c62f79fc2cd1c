import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, type Coordinator, type Host, type JsonObject, type ToolInfo } from "@toolmount/core";

const folder = join(import.meta.dirname, "../../tools");

/** A package below `tools/`. */
export interface ToolPackage {
  readonly id: string;
  readonly manifest: {
    readonly dependencies?: object;
    readonly toolmount?: { readonly tools?: readonly { name: string }[] };
  };
  readonly exports: Readonly<Record<string, unknown>>;
  /** The text of each of its files, by path below `src`. */
  readonly sources: ReadonlyMap<string, string>;
  readonly readme: string;
}

/** Folders below `tools/`, and whether each lists its tools in a manifest. */
export async function listToolPackages(): Promise<
  readonly { readonly id: string; readonly hasManifest: boolean }[]
> {
  const ids = (await readdir(folder)).filter((id) => existsSync(join(folder, id, "package.json")));
  return Promise.all(ids.map(async (id) => ({ id, hasManifest: "toolmount" in (await readManifest(id)) })));
}

/** Every package that ships tools, from its sources. */
export async function readToolPackages(): Promise<readonly ToolPackage[]> {
  const listed = await listToolPackages();
  return Promise.all(listed.filter(({ hasManifest }) => hasManifest).map(({ id }) => readToolPackage(id)));
}

async function readManifest(id: string): Promise<ToolPackage["manifest"]> {
  return JSON.parse(await readFile(join(folder, id, "package.json"), "utf8")) as ToolPackage["manifest"];
}

async function readToolPackage(id: string): Promise<ToolPackage> {
  const manifest = await readManifest(id);
  const source = join(folder, id, "src");
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const texts = await Promise.all(files.map((file) => readFile(join(source, file), "utf8")));
  const sources = new Map(files.map((file, index) => [file, texts[index]!]));
  return {
    id,
    manifest,
    exports: (await import(join(source, "index.ts"))) as ToolPackage["exports"],
    sources,
    readme: await readFile(join(folder, id, "README.md"), "utf8"),
  };
}

/** Mounts packages into one host, each as its defaults are. */
export async function mountAll<Into extends Pick<Host, "coordinator"> = Host>(
  packages: readonly ToolPackage[],
  host: Into = createHost() as unknown as Into,
): Promise<Into> {
  host.coordinator.registerCapability("session.working_dir", tmpdir());
  for (const { exports } of packages) {
    const { config, mount } = exports as {
      config: { parse(value: unknown): JsonObject };
      mount(coordinator: Coordinator, settings: JsonObject): Promise<void>;
    };
    await mount(host.coordinator, config.parse({}));
  }
  return host;
}

/** A usage text in its parts. */
export interface Usage {
  readonly title: string;
  readonly sections: ReadonlyMap<string, string>;
  /** As it describes them. */
  readonly arguments: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
  /** Arguments of its good examples, as JSON. */
  readonly examples: readonly string[];
}

/** The layout that AGN-005 recommends, in its order. */
export const layout = ["Primary purpose", "Rules", "Arguments", "Error codes", "Good usage", "Bad usage"];

/** Reads a usage text that has the layout. */
export function readUsage({ usage = "" }: ToolInfo): Usage {
  const [title = "", ...rest] = usage.split("\n");
  const heading = new RegExp(`^(${layout.join("|")})$`, "m");
  const [, ...parts] = rest.join("\n").split(heading);
  const sections = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) sections.set(parts[at]!, parts[at + 1]!.trim());
  return {
    title,
    sections,
    arguments: readArguments(sections.get("Arguments") ?? ""),
    examples: readExamples(sections.get("Good usage") ?? ""),
  };
}

function readArguments(text: string): Usage["arguments"] {
  return [...text.matchAll(/^- (\S+) \((\w+)([^)]*)\)/gm)].map(([, name = "", type = "", facts = ""]) => ({
    name,
    type,
    required: facts.includes("required"),
  }));
}

function readExamples(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const from = line.indexOf("{");
    return from < 0 ? [] : [firstObject(line.slice(from))];
  });
}

/** The JSON object at the beginning of a line. */
function firstObject(text: string): string {
  for (let end = text.indexOf("}") + 1; end > 0; end = text.indexOf("}", end) + 1) {
    try {
      JSON.parse(text.slice(0, end));
      return text.slice(0, end);
    } catch {
      if (text.indexOf("}", end) < 0) return text;
    }
  }
  return text;
}
