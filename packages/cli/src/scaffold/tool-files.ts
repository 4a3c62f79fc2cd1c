import type { Ranges, ToolNames } from "./names.ts";
import { packageJson } from "./package-json.ts";
import { readme } from "./readme.ts";
import { testFile, toolFile, usageFile } from "./tool-code.ts";

/** The files of a package of one tool, by path. */
export function toolFiles(names: ToolNames, ranges: Ranges): Readonly<Record<string, string>> {
  return {
    "package.json": packageJson(names, ranges),
    "tsconfig.json": tsconfig,
    "README.md": readme(names),
    ".gitignore": "node_modules/\ndist/\n",
    "src/index.ts": indexFile(names),
    [`src/${names.id}.ts`]: toolFile(names),
    "src/usage.ts": usageFile(names),
    [`test/${names.id}.test.ts`]: testFile(names),
  };
}

const tsconfig = `${JSON.stringify(
  {
    include: ["src"],
    compilerOptions: {
      rootDir: "src",
      outDir: "dist",
      target: "es2024",
      lib: ["es2024"],
      types: ["node"],
      module: "nodenext",
      declaration: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      skipLibCheck: true,
    },
  },
  null,
  2,
)}\n`;

function indexFile({ id, type }: ToolNames): string {
  return `import type { Coordinator } from "@toolmount/core";
import { config, create${type}, type Settings } from "./${id}.ts";

export { config, create${type}, type Settings };

/** Mounts the tool, with what the plan set. */
export async function mount(coordinator: Coordinator, settings: Settings): Promise<void> {
  coordinator.mount("tools", create${type}(settings));
}
`;
}
