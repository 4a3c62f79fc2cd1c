import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { Ended, workspace } from "./workspace.ts";

/** One request to the API of a host, and its answer. */
type Ask = (
  method: string,
  path: string,
  body?: unknown,
  options?: { readonly as?: string; readonly host?: string; readonly signal?: AbortSignal },
) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;

/** A file of tokens outside every plan's folder: `call` calls, `ops` may do everything, `ana` calls for herself. */
export async function writeTokens() {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-tokens-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "tokens.json");
  const make = () => `tm_${randomBytes(32).toString("base64url")}`;
  const tokens = { call: make(), ops: make(), ana: make() };
  const record = (name: keyof typeof tokens, roles: readonly string[], more = {}) => ({
    name,
    sha256: createHash("sha256").update(tokens[name]).digest("hex"),
    roles,
    ...more,
  });
  const records = [
    record("call", ["call"]),
    record("ops", ["call", "approve", "admin"]),
    record("ana", ["call"], { user: "ana" }),
  ];
  await writeFile(file, JSON.stringify({ version: 1, tokens: records }), { mode: 0o600 });
  return { file, ...tokens };
}

/** A stream of events, read one by one. */
export async function* readEvents(
  response: Response,
): AsyncGenerator<{ event: string; id: string; data: Record<string, unknown> }> {
  let rest = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fieldOf = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const data = JSON.parse(fieldOf("data") ?? "null") as Record<string, unknown>;
      yield { event: fieldOf("event") ?? "", id: fieldOf("id") ?? "", data };
    }
  }
}

interface ServerOptions {
  readonly address?: string;
  /** Another command than that of the repository. */
  readonly program?: readonly string[] | undefined;
}

/** Starts `toolmount serve --http` without a terminal, as a service manager does, and waits until it listens. */
export async function startServer(
  { start }: Awaited<ReturnType<typeof workspace>>,
  tokens: Awaited<ReturnType<typeof writeTokens>>,
  words: readonly string[] = [],
  { address = "127.0.0.1:0", program }: ServerOptions = {},
) {
  const serve = ["serve", "--http", address, "--tokens", tokens.file, "--json"];
  const { child, ended } = start([...serve, ...words], { ...(program !== undefined && { program }) });
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      // A server that cannot start says why in lines of its own.
      if (line.startsWith('{"listening"')) resolve((JSON.parse(line) as { listening: string }).listening);
    });
    createInterface({ input: child.stderr! }).on("line", (line) => lines.push(line));
    const refuse = ({ stdout, stderr }: Ended) => reject(new Error(`the server ended: ${stdout}${stderr}`));
    void ended.then(refuse, reject);
  });
  const ask: Ask = async (method, path, body, { as = tokens.ops, host = "default", signal } = {}) => {
    const response = await fetch(`${url}/api/v1/hosts/${host}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${as}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { child, ended, url, ask, log: () => lines.join("\n") };
}
