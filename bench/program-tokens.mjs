// What a model reads with programs, beside calls: the tables of docs/programs.md.
// Tools are livemcpbench's 527 where they stand beside this repository (../shared/fixtures/livemcpbench), and always 40 made
// ones. Run as `pnpm --filter @toolmount-workspace/bench program-tokens`.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHost, data } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-program";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

const here = dirname(fileURLToPath(import.meta.url));
const shared = join(here, "../../shared/fixtures/livemcpbench/tools.json");

const made = Array.from({ length: 40 }, (_, at) => ({
  server: "made",
  name: `read_record_${at}`,
  description: `Reads a record of the table ${at} by its number. Use it for one record.`,
  inputSchema: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
}));

await report("five made tools", made.slice(0, 5));
await report("forty made tools", made);
if (existsSync(shared)) await report("livemcpbench", JSON.parse(readFileSync(shared, "utf8")));
else console.log(`${shared} is not there`);

async function report(title, tools) {
  const calls = await openWith(tools, null);
  const programs = await openWith(tools, { when: "always", maxTokens: 0 });
  const each = tokensOf(await calls.host.offer());
  const alone = tokensOf(await programs.host.offer());
  console.log(
    `${title}: ${tools.length} tools; a request has ${each} tokens of definitions and guidance, with programs ${alone}`,
  );
  console.log("calls  result   one by one  side by side   one program      saved");
  const wanted = calls.host
    .tools()
    .slice(0, 3)
    .map(({ name }) => name);
  const { result } = await programs.host.call({ name: "describe_tools", arguments: { names: wanted } });
  const declared = result.data.declarations;
  for (const [count, bytes] of [
    [1, 500],
    [2, 500],
    [3, 500],
    [5, 500],
    [20, 500],
    [20, 20_000],
    [100, 2_000],
  ])
    row(count, bytes, { each, alone, declared, name: wanted[0] });
  await Promise.all([calls.host.close(), programs.host.close()]);
}

/** What all requests of a task send together: definitions and conversation so far, each time again. */
function row(count, bytes, { each, alone, declared, name }) {
  const prompt = "Read the records and say which one is the largest.";
  const result = resultOf(bytes);
  const call = JSON.stringify({
    type: "function_call",
    call_id: "call_123",
    name,
    arguments: '{"number":123}',
  });
  const output = JSON.stringify({ type: "function_call_output", call_id: "call_123", output: result });
  const pair = countTokens(call) + countTokens(output);
  const begin = countTokens(prompt);
  let inOrder = 0;
  for (let done = 0; done <= count; done++) inOrder += each + begin + done * pair;
  const atOnce = 2 * (each + begin) + count * pair;
  const source = `const all = await Promise.all(Array.from({ length: ${count} }, (_, number) => tools.${name}({ number })));\nreturn all.reduce((most, one) => (one.size > most.size ? one : most)).id;`;
  const said = countTokens(JSON.stringify({ type: "function_call", name: "run_program", arguments: source }));
  const described = countTokens(declared);
  // Three requests: it looks for tools, runs the program, and answers.
  const program = 3 * (alone + begin) + 2 * (described + 40) + said + 60;
  const shown = [inOrder, atOnce, program].map((tokens) => String(tokens).padStart(12)).join("  ");
  const saved = `${Math.round((1 - program / Math.min(inOrder, atOnce)) * 100)} %`;
  console.log(`${String(count).padStart(5)} ${String(bytes).padStart(7)} ${shown} ${saved.padStart(9)}`);
}

function resultOf(bytes) {
  const rows = [];
  for (let at = 0, size = 0; size < bytes; at++) {
    const one = `{"id":${at * 7919},"customer":"customer ${at % 97}","size":${(at * 31) % 1009}}`;
    rows.push(one);
    size += one.length + 1;
  }
  return `[${rows.join(",")}]`.slice(0, bytes);
}

function tokensOf({ tools, guidance }) {
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
  }));
  return countTokens(JSON.stringify(definitions)) + countTokens(guidance);
}

async function openWith(tools, programs) {
  const host = createHost();
  if (programs !== null) {
    host.coordinator.registerCapability("offer.programs", programs);
    await mount(host.coordinator, config.parse({}));
  }
  const names = new Set();
  for (const { server, name, description, inputSchema } of tools) {
    const own = names.has(name)
      ? `${server}_${name}`.replaceAll(/[^\w-]/g, "_")
      : name.replaceAll(/[^\w-]/g, "_");
    if (names.has(own)) continue;
    names.add(own);
    host.coordinator.mount("tools", {
      name: own,
      description: description || own,
      schema: asGiven(inputSchema),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: () => data(null),
    });
  }
  return { host };
}

/** A schema that is shown as it is; nothing is called here. */
function asGiven(schema) {
  const validate = () => ({ issues: [{ message: "it is not here to be called" }] });
  const jsonSchema = { input: () => schema, output: () => schema };
  return { "~standard": { version: 1, vendor: "sample", validate, jsonSchema } };
}
