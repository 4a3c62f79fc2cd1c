/** The usage text of `run_program`, long guidance for a model about when and how to call the tool. */
export const runProgramUsage = `run_program: runs a TypeScript program that calls tools

Primary purpose
Does work of many calls in one step: loops over files or records, joins results, computes totals. Only what the program returns comes back.

Rules
- The source is the body of an async function: use await, and end with return.
- Tools are members of tools, and take one object: const file = await tools.read_file({ file_path: "a.txt" });
- Call describe_tools first for the names and types of tools that you do not know. findTools("…") and describeTools(["…"]) do the same inside a program.
- Run independent calls side by side with Promise.all.
- A call that fails throws a ToolError with message, code and tool. Catch it where the program can continue.
- Each call is checked and decided as if you had made it. One that needs a person makes the whole program wait; then it continues, and no call is made twice.
- There is no file, network, timer or import: only tools. Date stands still while the program runs.
- The same program makes its calls again: do not run it twice to be sure.
- Return a small summary, not the data that you read. console.log is for notes of a line.

Arguments
- source (string, required): TypeScript or JavaScript. Types are ignored; enum and namespace are not possible.

Error codes
- PROGRAM_FAILED: the program threw an error, or its source is wrong; the message has the line. Calls before it were made.
- PROGRAM_LIMIT: it made too many calls, computed too long, or used too much memory.

Good usage
- {"source":"const { files } = await tools.glob({ pattern: \\"*.csv\\" });\\nconst texts = await Promise.all(files.map((file_path) => tools.read_file({ file_path })));\\nreturn texts.length;"}

Bad usage
- a program for one call: call the tool itself.
- {"source":"return await tools.read_file({ file_path: \\"big.log\\" })"}: it returns all of the file.`;

/** The usage text of `describe_tools`, long guidance for a model about when and how to call the tool. */
export const describeToolsUsage = `describe_tools: shows the tools that a program may call

Primary purpose
Gives the TypeScript declarations of tools, for the source of run_program.

Rules
- Use it before run_program, for tools whose arguments you do not know. It calls nothing.
- Without arguments it lists all tools by name, with their types while they are few.
- With names it declares those in full; with query it finds the tools that fit best.

Arguments
- names (array of strings, optional): tools to declare.
- query (string, optional): what is to be done, in a few words.

Error codes
- NO_SUCH_TOOL: no tool has one of the names; the message has the nearest.

Good usage
- {"query":"send a mail"}
- {"names":["read_file","grep"]}

Bad usage
- calling it again for tools whose declarations you have.`;
