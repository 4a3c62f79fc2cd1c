import { expect, test } from "vitest";
import { workspace } from "./support/workspace.ts";

// Inputs that people get wrong. Of each: the exit code; what is wrong, where (for a file its line and column), and what to do
// about it, each as a part of what is said; no stack; and every file as it was. A kind of mistake that is missing is a row here.

const weather = `import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
export const getWeather = defineTool({
  name: "get_weather",
  description: "Gets the weather of a city. Use when asked.",
  schema: z.strictObject({ city: z.string().min(1), days: z.number().optional() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async ({ city }) => data({ city }),
});
`;
const files = `version: 1
tools:
  - module: filesystem
    config: { allowed_read_paths: [.], allowed_write_paths: [./out] }
`;
const both = `${files}  - module: ./weather.ts\n`;

type Row = readonly [
  title: string,
  words: string,
  code: number,
  said: readonly (string | RegExp)[],
  given?: Readonly<Record<string, string>>,
  more?: { readonly env?: Readonly<Record<string, string>>; readonly input?: string },
];

/** The plan of the files tools, with more lines. */
const plan = (more: string) => ({ "mount-plan.yaml": files + more });
const whole = (text: string) => ({ "mount-plan.yaml": text });
/** The plan with the module of the weather, as another text. */
const module = (text: string) => ({ "mount-plan.yaml": both, "weather.ts": text });
const tool = module(weather);
const key = { env: { OPENAI_API_KEY: "x" } };

const commands: readonly Row[] = [
  ["no tool", "call", 2, ["the name of the tool is missing", "toolmount list"]],
  [
    "an argument without =",
    "call get_weather city",
    2,
    ["not JSON", "  ^", "write toolmount call get_weather"],
    tool,
  ],
  ["arguments as a list", `call get_weather ["Oslo"]`, 1, ["INVALID_ARGUMENTS", "not an object"], tool],
  [
    "a name twice in JSON",
    `call get_weather {"city":"Oslo","city":"Rome"}`,
    2,
    ["city is given twice", "give it once"],
    tool,
  ],
  [
    "a name twice in words",
    "call get_weather city=Oslo city=Rome",
    2,
    ["city is given twice", "give it once"],
    tool,
  ],
  [
    "JSON that is cut",
    `call get_weather {"city":"Oslo"`,
    2,
    ["not JSON", "  ^", "get_weather city=Oslo"],
    tool,
  ],
  [
    "JSON with NaN",
    `call get_weather {"city":"Oslo","days":NaN}`,
    2,
    ["not JSON", "  ^", "write toolmount call"],
    tool,
  ],
  [
    "a number that JSON changes",
    `call get_weather {"city":"Oslo","days":1e999}`,
    2,
    ["1e999", "at days", "in quotes"],
    tool,
  ],
  [
    "a file that is not there as an argument",
    "call get_weather city=@gone.txt",
    2,
    ["the file of city", "gone.txt"],
    tool,
  ],
  ["no standard input", "call get_weather -", 2, ["standard input is empty", "echo '{"], tool],
  [
    "JSON and words",
    `call get_weather {"city":"Oslo"} days=2`,
    2,
    ["as JSON or as name=value", "not both"],
    tool,
  ],
  ["a category", "list --tool category:reed", 2, ["--tool", `"reed"`, `did you mean "read"`]],
  ["a tool to list", "list --tool read_fiel", 2, ["--tool", `did you mean "read_file"`]],
  ["a module to list", "list --module filesytem", 2, ["--module", `did you mean "filesystem"`]],
  ["a mode", "list --mode reveiw", 2, ["--mode", `"reveiw"`, "there is"]],
  ["an option without its value", "list --mode", 2, ["--mode", "argument missing", "toolmount list --help"]],
  ["a time in words", "audit --since yesterdy", 2, ["--since", "'yesterdy'", "30m, 2h, 7d"]],
  ["a status", "audit --status denyed", 2, ["--status", "'denyed'", "denied"]],
  ["an answer without its question", "approvals approve", 2, ["'id'", "toolmount approvals approve --help"]],
  [
    "a plan that is not there",
    "approvals list nothere.yaml",
    78,
    ["PLAN_NOT_FOUND", "nothere.yaml", "toolmount init"],
  ],
  ["two ways to serve", "serve --stdio --http", 2, ["either --stdio or --http"]],
  ["an address that others reach", "serve --http 0.0.0.0:0", 2, ["0.0.0.0", "keep the server on 127.0.0.1"]],
  ["a port that is too large", "serve --http 127.0.0.1:99999", 2, ["127.0.0.1:99999", "127.0.0.1:4680"]],
  [
    "milliseconds in words",
    "serve --http 127.0.0.1:0 --grace soon",
    2,
    ["--grace", "'soon'", "milliseconds"],
  ],
  [
    "tokens that are not there",
    "serve --http 127.0.0.1:0 --tokens /gone/t.json",
    2,
    ["/gone/t.json", "toolmount serve tokens add"],
  ],
  [
    "tokens where tools write",
    "serve --http 127.0.0.1:0 --tokens t.json",
    2,
    ["t.json", "below the plan's folder", "keep it elsewhere"],
    { "t.json": "{}" },
  ],
  ["help of no command", "help chekc", 2, [`"chekc"`, "did you mean check"]],
  ["no application", "guard", 2, ["'client'", "toolmount guard --help"]],
  ["an unknown application", "guard emacs", 2, ["'emacs'", "codex, cursor"]],
  [
    "an application without a list",
    "guard cursor --yes",
    2,
    ["cursor has no list", ".cursor/mcp.json", "toolmount alone"],
  ],
  ["one plan to compare", "diff mount-plan.yaml", 2, ["'now'", "toolmount diff --help"]],
  ["a word below a command", "policy sugest", 2, ["'sugest'", "Did you mean suggest"]],
  ["what to create", "package create tol weather", 2, ["'tol'", "Allowed choices are tool"]],
  ["the name of a package", "package create tool My!", 2, [`"My!"`, "lower-case letters"]],
  ["a budget of tokens in words", "list cost --max many", 2, ["--max", "'many'", "whole number of tokens"]],
  ["a form", "list cost --format gpt", 2, ["--format", "'gpt'", "openai, chat, anthropic"]],
  [
    "a folder without a plan",
    "list --plan out",
    78,
    ["PLAN_NOT_FOUND", "/out", "mount-plan.yaml", "toolmount init"],
    { "out/a.txt": "" },
  ],
  ["a program that is not there", "program gone.ts", 2, ["gone.ts", "cannot be read"]],
  ["a tool to describe", "describe read_fiel", 1, [`"read_fiel"`, `did you mean "read_file"`]],
  ["an error code", "help LOCK_DRFT", 2, [`"LOCK_DRFT"`, "did you mean LOCK_DRIFT"]],
  [
    "an address of models without http",
    "run --model m hi",
    2,
    ["OPENAI_BASE_URL", "http://127.0.0.1:8080/v1"],
    {},
    { env: { OPENAI_API_KEY: "x", OPENAI_BASE_URL: "localhost" } },
  ],
  ["no prompt", "run --model m ", 2, ["the prompt is empty"], {}, key],
  ["a provider of models", "run --model antropic:claude hi", 1, [`"antropic"`, `did you mean "anthropic"`]],
  ["a recording that is not there", "run --model replay:gone.json hi", 1, ["gone.json", "cannot be read"]],
  ["no ticket", "resume", 2, ["'ticket'", "toolmount resume --help"]],
  ["a session to undo", "undo s-404", 2, [`"s-404"`, "--session"]],
  [
    "a list without servers",
    "import package.json",
    2,
    [`"mcpServers"`, "toolmount alone"],
    { "package.json": "{}" },
  ],
  ["a module to add", "add ./gone.ts", 78, ["SOURCE_NOT_FOUND", "./gone.ts", "relative to the plan"]],
  ["an entry to remove", "remove filesytem", 78, [`"filesytem"`, `did you mean "filesystem"`]],
  ["a second plan", "init --yes", 2, ["mount-plan.yaml exists already", "toolmount add"]],
  ["a folder that cannot be made", "types --out /proc/none", 2, ["/proc/none", "name another place"]],
  ["a server without a name", "package publish", 2, ["--name", "mcpName"]],
  ["no test", "test", 0, ["0 tests", "tests: [{ call:"]],
  [
    "a test of another form",
    "test",
    78,
    ["mount-plan.yaml:6:11", "call is a map", "such as {"],
    plan("tests:\n  - call: read_file\n"),
  ],
];

const plans: readonly Row[] = [
  [
    "a tab",
    "check",
    78,
    ["mount-plan.yaml:3:1", "a tab", "indent with spaces"],
    whole("version: 1\ntools:\n\t- module: filesystem\n"),
  ],
  [
    "a key twice",
    "check",
    78,
    ["mount-plan.yaml:5:1", `"tools" is there twice`, "remove one"],
    plan("tools: []\n"),
  ],
  [
    "an open quote",
    "check",
    78,
    ["mount-plan.yaml:2:7", "is not closed", `add "`],
    whole('version: 1\nname: "my plan\ntools: []\n'),
  ],
  [
    "an open bracket",
    "check",
    78,
    ["mount-plan.yaml:2:8", "is not closed", "add ]"],
    whole("version: 1\ntools: [\n  { module: filesystem }\n"),
  ],
  ["an alias", "check", 78, ["mount-plan.yaml:2:8", "the alias *mine"], whole("version: 1\ntools: *mine\n")],
  [
    "a module without a name",
    "check",
    78,
    ["mount-plan.yaml:3:12", "module must be a string"],
    whole("version: 1\ntools:\n  - module:\n"),
  ],
  [
    "an entry as a text",
    "check",
    78,
    ["mount-plan.yaml:2:9", `write "module: filesystem"`],
    whole("version: 1\ntools: [filesystem]\n"),
  ],
  [
    "entries as a text",
    "check",
    78,
    ["mount-plan.yaml:2:8", "a list of entries", `"- module:"`],
    whole("version: 1\ntools: filesystem\n"),
  ],
  [
    "rules as a map",
    "check",
    78,
    ["mount-plan.yaml:6:10", "allow must be a list"],
    plan("policy:\n  allow: { read_file: yes }\n"),
  ],
  [
    "a rule with an open bracket",
    "check",
    78,
    ["mount-plan.yaml:6:10", "bracket of read_file(a is not closed", "end the line with )"],
    plan('policy:\n  deny: ["read_file(a"]\n'),
  ],
  [
    "a rule about no argument",
    "check",
    78,
    ["mount-plan.yaml:6:10", `read_file has no argument "town"`, "file_path"],
    plan('policy:\n  deny: ["read_file(town: Oslo)"]\n'),
  ],
  [
    "rules in another place",
    "check",
    78,
    ["mount-plan.yaml:5:1", `unknown key "allow"`, "write it in policy:"],
    plan("allow: [read_file]\n"),
  ],
  [
    "a limit with a unit",
    "check",
    78,
    ["mount-plan.yaml:5:24", "whole number of milliseconds", "5000"],
    plan("    limits: { timeout: 5s }\n"),
  ],
  [
    "a limit below zero",
    "check",
    78,
    ["mount-plan.yaml:5:24", "whole number of milliseconds"],
    plan("    limits: { timeout: -1 }\n"),
  ],
  [
    "a tool that is chosen",
    "check",
    78,
    ["mount-plan.yaml:5:24", `"raed_file"`, `did you mean "read_file"`],
    plan("    tools: { include: [raed_file] }\n"),
  ],
  [
    "a prefix with a blank",
    "check",
    78,
    ["mount-plan.yaml:5:13", "letters, digits"],
    plan("    prefix: my tools\n"),
  ],
  [
    "a module twice",
    "check",
    78,
    ["mount-plan.yaml:5:13", "is mounted by both", "rename one with a prefix"],
    plan("  - module: filesystem\n    id: more\n"),
  ],
  [
    "an open variable",
    "check",
    78,
    ["mount-plan.yaml:5:8", "not a variable", "write ${NAME}"],
    plan("name: '${CITY'\n"),
  ],
  [
    "a variable that is not set",
    "check",
    78,
    ["NOT_SET_HERE is not set", "set it, or write"],
    whole(
      "version: 1\ntools:\n  - module: filesystem\n    config: { allowed_read_paths: ['${NOT_SET_HERE}'] }\n",
    ),
  ],
  [
    "a state without its kind",
    "check",
    78,
    ["mount-plan.yaml:5:8", "sqlite:<path>"],
    plan("state: ./state.db\n"),
  ],
  [
    "an audit",
    "check",
    78,
    ["mount-plan.yaml:6:8", `"durable"`],
    plan("state: sqlite:./s.db\naudit: verbose\n"),
  ],
  [
    "an overlay that is not there",
    "check",
    78,
    ["mount-plan.yaml:5:10", "no mount plan at", "gone.yaml"],
    plan("extends: ./gone.yaml\n"),
  ],
  [
    "a circle of plans",
    "check",
    78,
    ["mount-plan.yaml:5:10", "in a circle"],
    plan("extends: ./mount-plan.yaml\n"),
  ],
  [
    "a model as a number",
    "check",
    78,
    ["mount-plan.yaml:5:17", "model must be a string"],
    plan("agent: { model: 5 }\n"),
  ],
  [
    "a source without its package",
    "check",
    78,
    ["mount-plan.yaml:6:13", "npm:@acme/tools@^1"],
    plan("  - module: x\n    source: 'npm:'\n"),
  ],
  [
    "a place to run",
    "check",
    78,
    ["mount-plan.yaml:5:16", `must be one of "inline", "process", "fleet"`],
    plan("    run: { in: box }\n"),
  ],
  [
    "a version as a text",
    "check",
    78,
    ["mount-plan.yaml:1:10", "the version of the plan format is 1"],
    whole(files.replace("1", '"1"')),
  ],
  [
    "bytes that are no text",
    "check",
    78,
    ["mount-plan.yaml:1:11", "a zero byte"],
    whole("version: 1\u0000\ntools: []\n"),
  ],
  [
    "a lock file that is broken",
    "check",
    78,
    ["mount-plan.lock.json:1:1", "not JSON", "toolmount lock --accept"],
    { "mount-plan.lock.json": "{ no" },
  ],
  [
    "a lock file of another program",
    "check",
    78,
    ["mount-plan.lock.json:1:1", "toolmount lock --accept"],
    { "mount-plan.lock.json": '{"lockfileVersion":3}' },
  ],
  [
    "a lock file with a conflict",
    "check",
    78,
    ["merge conflict", "toolmount lock"],
    { "mount-plan.lock.json": "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n" },
  ],
  [
    "a key of a server",
    "check",
    78,
    ["mount-plan.yaml:6:22", `did you mean "command"`],
    plan("  - module: notes\n    source: { mcp: { comand: node } }\n"),
  ],
  [
    "a server's program that is not there",
    "list",
    78,
    ["mount-plan.yaml:6:5", "there is no program no-such-program", "install it"],
    plan("  - module: notes\n    source: { mcp: { command: no-such-program } }\n"),
  ],
  [
    "a budget in words",
    "check",
    78,
    ["mount-plan.yaml:6:21", "budgets.calls must be a number"],
    plan("policy:\n  budgets: { calls: ten }\n"),
  ],
  [
    "a hook without its program",
    "check",
    78,
    ["mount-plan.yaml:6:5", "the command of a hook is a text"],
    plan("hooks:\n  - events: [tool:pre]\n"),
  ],
  [
    "an event of a hook",
    "check",
    78,
    ["mount-plan.yaml:7:14", `"tool:pre", "tool:post"`],
    plan("hooks:\n  - command: ./guard.sh\n    events: [tool:before]\n"),
  ],
];

const modules: readonly Row[] = [
  [
    "a package that is not there",
    "list",
    78,
    ["weather.ts:1:9", "left-pad-xyz", "correct the import"],
    module(`import "left-pad-xyz";\n${weather}`),
  ],
  [
    "a file that is not there",
    "list",
    78,
    ["weather.ts:1:11", "helper.ts"],
    module(`import "./helper.ts";\n${weather}`),
  ],
  [
    "an error at its start",
    "list",
    78,
    ["weather.ts:13:7", "no database"],
    module(`${weather}\nthrow new Error("no database");\n`),
  ],
  [
    "no export",
    "list",
    78,
    ["mount-plan.yaml:5:13", "exports no tool", "defineTool or toolsFrom"],
    module("const a = 1;\n"),
  ],
  [
    "a date in a schema",
    "list",
    78,
    ["mount-plan.yaml:5:13", "does not describe JSON", "inside execute"],
    module(weather.replace("z.number().optional()", "z.date()")),
  ],
  [
    "no execute",
    "list",
    78,
    ["mount-plan.yaml:5:13", `"get_weather"`, "it has no execute"],
    module(weather.replace(/ {2}execute.*\n/, "")),
  ],
  [
    "no description",
    "list",
    78,
    ["mount-plan.yaml:5:13", `"get_weather"`, "its description is missing"],
    module(weather.replace(/ {2}description.*\n/, "")),
  ],
  [
    "a category",
    "list",
    78,
    ["mount-plan.yaml:5:13", `"reads"`, "read, write, delete or side_effect"],
    module(weather.replace('"read"', '"reads"')),
  ],
  [
    "two tools of a name",
    "list",
    78,
    ["mount-plan.yaml:5:13", "is mounted by both", "rename one"],
    module(`${weather}export const again = { ...getWeather };\n`),
  ],
  [
    "a file that is no code",
    "check",
    78,
    ["mount-plan.yaml:3:13", "ends with .ts"],
    { ...whole("version: 1\ntools:\n  - module: ./tools.json\n"), "tools.json": "{}" },
  ],
  [
    "a folder without an index",
    "check",
    78,
    ["mount-plan.yaml:3:13", "index.ts", "relative to the plan"],
    { ...whole("version: 1\ntools:\n  - module: ./tools\n"), "tools/a.txt": "" },
  ],
  [
    "another letter case",
    "check",
    78,
    ["mount-plan.yaml:3:13", "did you mean weather.ts"],
    { ...tool, ...whole("version: 1\ntools:\n  - module: ./Weather.ts\n") },
  ],
  [
    "a file without ./",
    "check",
    78,
    ["mount-plan.yaml:3:13", "did you mean ./weather.ts"],
    { ...tool, ...whole("version: 1\ntools:\n  - module: weather.ts\n") },
  ],
  [
    "an error when it is mounted",
    "list",
    78,
    ["weather.ts:1:33", "no database"],
    module("export function mount() { throw new Error('no database'); }\n"),
  ],
  [
    "a config that it does not take",
    "list",
    78,
    ["mount-plan.yaml:6:13", "takes no config"],
    { ...tool, ...whole(`${both}    config: { city: Oslo }\n`) },
  ],
  [
    "an answer that is no result",
    "call get_weather city=Oslo",
    1,
    ["get_weather", "returned a value of type undefined", "return data(…) or failure(…)"],
    module(weather.replace("data({ city })", "undefined as never")),
  ],
];

const rows = [...commands, ...plans, ...modules].map(([title, words, code, said, given = {}, more = {}]) => ({
  name: `${title}: ${words}`,
  words: words.split(" "),
  code,
  said,
  given: { "mount-plan.yaml": files, ...given },
  more,
}));

test.each(rows)("$name", async ({ words, code, said, given, more }) => {
  const { here, folder, read } = await workspace(given);
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, ...more.env };
  const ended = await here(words, { ...more, env });
  const text = ended.stderr + ended.stdout;

  for (const part of said) expect(text).toMatch(part);
  expect(ended.code, text).toBe(code);
  expect(text).not.toMatch(/^\s+at .*:\d+:\d+\)?$|INTERNAL|ZodError/m);
  for (const [path, before] of Object.entries(given)) expect(await read(path)).toBe(before);
});
