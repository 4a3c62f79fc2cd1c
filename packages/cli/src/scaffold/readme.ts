import { summary } from "./tool-code.ts";
import type { ToolNames } from "./names.ts";

/** A page for whoever finds the package. */
export function readme(names: ToolNames): string {
  const { id, tool } = names;
  return `# ${names.package}

${summary(names)}

\`\`\`sh
npm install ${names.package}
\`\`\`

\`\`\`yaml
version: 1
tools:
  - module: ${moduleName(names)}
    config: { entries: { Vienna: sunny } }
\`\`\`

| tool | arguments | answer |
| --- | --- | --- |
| \`${tool}\` (read, low) | \`name\` required | \`name\`, \`value\` |

| code | means |
| --- | --- |
| \`NOT_FOUND\` | there is no entry of that name |
| \`INVALID_ARGUMENTS\` | the name is missing or blank |

## Work on it

\`npm test\` builds it, runs its tests and compares what it mounts with its manifest; after a change, \`npx toolmount manifest .\` writes
the manifest anew. \`npm run check\` looks at the package as others will install it. The tool is in \`src/${id}.ts\`.
`;
}

/** Packages named by the rule have a short name in plans. */
export function moduleName({ id, package: name }: ToolNames): string {
  if (name === `toolmount-tool-${id}`) return id;
  return name.startsWith("@") ? `"${name}"` : `npm:${name}`;
}
