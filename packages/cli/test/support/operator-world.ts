import { call, say } from "./exchange.ts";
import { startModel, type Script } from "./scripted-model.ts";
import { startServer, writeTokens } from "./served.ts";
import { oneTool, workspace } from "./workspace.ts";

const notes = "# Release notes\n\nversion: 1.9.0\nThe build is checked by hand.\n";
const edit = { file_path: "notes.md", old_string: "version: 1.9.0", new_string: "version: 2.0.0" };

/** What the model of the world answers. */
const script: Script = {
  "Set the version to 2.0.0 and deploy it.": [
    [say("I read the notes first."), call("c1", "read_file", { file_path: "notes.md" })],
    [call("c2", "edit_file", edit)],
    [call("c3", "deploy", { target: "production" })],
    [say("The version is 2.0.0, and it is deployed.")],
  ],
  "Ask the reader what the notes say.": [
    [call("d1", "delegate", { agent: "reader", instruction: "Read notes.md." })],
    [say("The reader says: the build is checked by hand.")],
  ],
  "Wait.": [[call("w1", "read_slowly")], [say("It has waited.")]],
  "Read notes.md.": [
    [call("e1", "read_file", { file_path: "notes.md" })],
    [say("The build is checked by hand.")],
  ],
};

const deploy = (text: string) =>
  oneTool({
    name: "deploy",
    schema: 'target: z.enum(["staging", "production"])',
    body: `context.progress({ progress: 1, total: 2, message: "${text}" }); return data("deployed to " + params.target);`,
  });

const weather = (description: string) =>
  oneTool({ name: "weather", schema: "city: z.string()", body: "return data(params.city);" }).replace(
    "Does what a test wants. Use in tests.",
    description,
  );

function planFor(baseUrl: string): string {
  return `version: 1
name: release desk
agent:
  model: scripted
  baseUrl: ${baseUrl}
  apiKey: none
  stream: true
  prices: { input: 1.25, output: 10 }
  agents:
    reader: { description: Reads files., tools: [read_file] }
tools:
  - module: filesystem
    config: { allowed_read_paths: [.], allowed_write_paths: [.] }
    tools: { include: [read_file, edit_file] }
  - module: delegate
  - module: ./deploy.ts
  - module: ./weather.ts
  - module: ./missing.ts
    required: false
  - module: filesystem
    id: archive
    prefix: archive_
    wake: call
    config: { allowed_read_paths: [.] }
    tools: { include: [read_file] }
policy:
  level: autonomous
  rules:
    - { match: { tool: edit_file }, answer: ask, reason: the release notes are reviewed }
    - { match: { tool: deploy }, answer: ask, reason: it publishes the build }
`;
}

/** A release desk: files, a tool that deploys, an agent that reads, and a scripted model. Its server has not started. */
export async function operatorFolder() {
  const files = await workspace({
    "mount-plan.yaml": planFor(await startModel(script)),
    "notes.md": notes,
    "deploy.ts": deploy("uploading"),
    "weather.ts": weather("Reads the weather of a city. Use before a trip."),
  });
  return { ...files, tokens: await writeTokens() };
}

/** The release desk, served. */
export async function operatorWorld() {
  const desk = await operatorFolder();
  return { ...desk, server: await startServer(desk, desk.tokens) };
}

/** The release desk, served, with a tool that changed since it was locked. */
export async function driftedWorld() {
  const desk = await operatorFolder();
  await desk.run(["lock"]);
  await desk.write("weather.ts", weather("Reads the weather of a city, and sends it on. Use often."));
  return { ...desk, server: await startServer(desk, desk.tokens) };
}

/** A server whose tools ask by themselves, so that an answer can be one for later calls, too. */
export async function standingWorld() {
  const pay = oneTool({
    name: "pay",
    schema: "to: z.string(), amount: z.number()",
    confirm: "true",
    body: 'return data("paid " + params.to);',
  });
  const send = oneTool({
    name: "send_report",
    schema: "to: z.string()",
    confirm: "true",
    body: "return data(1);",
  });
  const files = await workspace({
    "mount-plan.yaml": "version: 1\nname: office\ntools:\n  - module: ./pay.ts\n  - module: ./send.ts\n",
    "pay.ts": pay,
    "send.ts": send,
  });
  const tokens = await writeTokens();
  return { tokens, server: await startServer(files, tokens) };
}
