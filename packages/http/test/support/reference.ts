/** A JSON schema, as the OpenAPI document has it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly [limit: string]: unknown;
}

interface Body {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Body & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Body>>;
}

/** What the reference reads of an OpenAPI document. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly description: string; readonly license: object };
  readonly security: readonly object[];
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const limits = ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "default", "pattern"];

/** The pages' reference of an API: each operation by its group, the answers that all share, and the named shapes. */
export function referenceOf({ paths, tags, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${description}.\n\n${own.map(textOf).join("\n")}`;
  });
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) => `### ${name}\n\n${block(`${commentOf(schema)}${name} = ${typeOf(schema)}`)}`,
  );
  return [...groups, failuresOf(operations.map(({ operation }) => operation)), "## Shapes\n", ...shapes].join(
    "\n",
  );
}

function textOf({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const { summary, operationId, parameters = [], requestBody, responses } = operation;
  const given = parameters.map(
    ({ name, in: place, required, schema }) =>
      `${commentOf(schema)}${place} ${name}${required ? "" : "?"}: ${typeOf(schema)}`,
  );
  const answers = Object.entries(responses)
    .filter(([status]) => status < "400")
    .flatMap(([status, body]) => [`// ${body.description}`, `${status}: ${contentOf(body)}`]);
  const sent =
    requestBody === undefined ? [] : [`body${requestBody.required ? "" : "?"}: ${contentOf(requestBody)}`];
  return `### ${summary}\n\n\`${method.toUpperCase()} ${path}\`, in the document \`${operationId}\`.\n\n${block([...given, ...sent, ...answers].join("\n"))}`;
}

/** The answers of an operation that failed: the same for all of them. */
function failuresOf(operations: readonly Operation[]): string {
  const lines = new Set(
    operations.flatMap(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => status >= "400")
        .map(
          ([status, body]) =>
            `- ${status}: ${body.description}. \`${contentOf(body)}\`${"headers" in body ? `, headers \`${Object.keys(body["headers"] as object).join(", ")}\`` : ""}`,
        ),
    ),
  );
  return `## Answers to requests that fail\n\n${[...lines].toSorted().join("\n")}\n`;
}

function contentOf({ content = {} }: Body): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `${type} ${typeOf(schema)}`)
    .join(" | ");
}

function commentOf(schema: Schema): string {
  const bounds = limits
    .filter((limit) => limit in schema)
    .map((limit) => `${limit} ${String(schema[limit])}`);
  const words = [schema.description, bounds.join(", ")].filter((text) => text !== undefined && text !== "");
  return words.length === 0 ? "" : `// ${words.join("; ")}\n`;
}

/** The type as TypeScript writes it. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1)!;
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const several = schema.anyOf ?? schema.allOf;
  if (several !== undefined) return several.map(typeOf).join(schema.anyOf === undefined ? " & " : " | ");
  const types = [schema.type ?? "unknown"].flat();
  return types
    .map((type) => (type === "array" ? `${wrapped(schema.items ?? {})}[]` : objectOf(schema, type)))
    .join(" | ");
}

function wrapped(schema: Schema): string {
  const type = typeOf(schema);
  return / [&|] /.test(type) && !type.startsWith("{") ? `(${type})` : type;
}

function objectOf(schema: Schema, type: string): string {
  if (type !== "object") return type;
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.entries(properties).map(
    ([name, member]) => `${commentOf(member)}${name}${required.includes(name) ? "" : "?"}: ${typeOf(member)}`,
  );
  if (typeof additionalProperties === "object")
    members.push(`[name: string]: ${typeOf(additionalProperties)}`);
  if (members.length === 0) return "{}";
  return `{\n${members.join("\n").replaceAll(/^/gm, "  ")}\n}`;
}

function block(text: string): string {
  return `\`\`\`text shown\n${text}\n\`\`\`\n`;
}
