/** The usage text of `agent_change_mode`, long guidance for a model about when and how to call the tool. */
export const changeModeUsage = `agent_change_mode: work in another mode

Primary purpose
Changes the mode of this session. The new mode counts from the next turn on; the rest of this turn stays in the old one.

Rules
- Use it only after the user has chosen to switch. First offer three ways: stay, switch here, or switch in a new session.
- Do not use it to find out which modes there are (agent_list_modes), nor when the session is in that mode already.
- A person is asked to confirm before it runs.
- Never invent a mode: take a key that agent_list_modes gave.
- Changing to the mode that the session has changes nothing, so do not repeat it.

Arguments
- mode (string, required): the key of the mode.
- branch (boolean, required): false changes this session; true when the user wants a new session in that mode, and then this one stays as it is.
- reason (string, required): why, in a sentence. It is logged.

Session and user are known from the call; they are not arguments.

The result has success, mode, branch, reason, previousMode and changed.

Error codes
- UNKNOWN_MODE: the mode does not exist; the message names the existing ones.
- SESSION_MISSING: the call belongs to no session, so there is no mode to change.
- MODE_NOT_CHANGED: the modes could not be read, and nothing was changed.
- INVALID_ARGUMENTS: an argument is missing or blank.

Good usage
- The user says "yes, plan it with me first": {"mode":"planning","branch":false,"reason":"The user wants to plan before anything is built"}

Bad usage
- {"mode":"planning","branch":false,"reason":""}: the reason is missing.
- Calling it because planning seems wise: ask the user first.`;
