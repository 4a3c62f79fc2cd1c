/** The long guidance for `agent_hello_world`. */
export const usage = `agent_hello_world: greets a person by name

Primary purpose
Creates one friendly greeting sentence for a named person. It is the smallest complete tool, so it also serves to check that calling tools works.

Rules
- Use it when the user asks to be greeted by name, or asks to try the tools out.
- Do not use it for ordinary conversation, nor when the name is unknown: ask for the name first.
- It changes nothing and may be called again; the same name gives the same greeting.

Arguments
- name (string, required): whom to greet, as they call themselves. It may not be blank; space around it is left out.

The result has Message, and the ConversationId and SessionId of the call, null where there is none.

Error codes
- INVALID_ARGUMENTS: the name is missing or blank. Ask the user for it, then call again.

Good usage
- The user says "I'm Ada, say hello": {"name":"Ada"}

Bad usage
- {"name":""} or {}: the name is missing.
- {"name":"the user"} because the real name is unknown: ask instead.`;
