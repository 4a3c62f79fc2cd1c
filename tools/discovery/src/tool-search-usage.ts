/** The long guidance for `tool_search`. */
export const toolSearchUsage = `tool_search: finds tools by what they do

Primary purpose
Tells which tools fit a task, the best first, among all that this session may have: those that are ready and those that are only available.

Rules
- Use it when no tool at hand fits, and the list of available tools is long or has no line that fits.
- Say what is to be done in a few words. Names, arguments and guidance of tools are searched.
- Then activate those that fit with activate_tools. A tool that is marked active is ready already.
- What is offered always, such as this tool, is not told.
- It runs nothing and changes nothing. That a tool is found does not mean that it may be used: policy decides about each call.

Arguments
- query (string, required): what is to be done.
- limit (integer, optional): how many tools to show at most.

Error codes
- INVALID_ARGUMENTS: query is missing or too long.

Good usage
- {"query":"rename a file"}
- {"query":"currency exchange rate","limit":3}

Bad usage
- {"query":"help me"}: it says nothing about the task.
- searching again and again with other words for a tool that is not there: after two searches go on without it.`;
