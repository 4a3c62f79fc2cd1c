/** The usage text of `tool_search`, long guidance for a model about when and how to call the tool. */
export const toolSearchUsage = `tool_search: finds tools by what they do

Primary purpose
Lists the tools that fit a task, the best first, among all tools of this session: ready and only available ones.

Rules
- Use it when no ready tool fits, and the list of available tools is long or has no fitting line.
- Describe the task in a few words. It searches names, arguments and guidance.
- Then activate those that fit with activate_tools. A tool that is marked active is ready already.
- Tools that are always ready, such as this one, are not listed.
- It runs nothing and changes nothing. A listed tool may still be refused: the policy decides about each call.

Arguments
- query (string, required): the task.
- limit (integer, optional): most tools to show.

Error codes
- INVALID_ARGUMENTS: query is missing or too long.

Good usage
- {"query":"rename a file"}
- {"query":"currency exchange rate","limit":3}

Bad usage
- {"query":"help me"}: it says nothing about the task.
- searching repeatedly with other words: after two searches continue without the tool.`;
