/** The long guidance for `todo`. */
export const todoUsage = `todo: keeps the list of work

Primary purpose
Keeps this session's list of what is to be done, so that nothing is forgotten and a person can see how far the work is.

Rules
- Use it when work has three steps or more, or several things were asked for at once. Do not use it for one quick step, or to answer a question.
- create and update replace the whole list: give every item each time, also those that are done.
- Keep at most one item in_progress. Mark an item completed as soon as it is, not several at the end, and only when it really is done.
- The list belongs to the session. It is not a file, and nobody else reads it as an order.

Arguments
- action (string, required): create for a new list, update for a changed one, list to see it.
- todos (array, for create and update): the whole list in the order of work, each item with content (Run the tests), activeForm (Running the tests) and status (pending, in_progress or completed).

Error codes
- INVALID_ARGUMENTS: the action is unknown, or an item lacks a field or has another status; the message says which item, counted from 0.
- TOO_MANY_TODOS: the list is longer than the host allows; put small items together.

Good usage
- {"action":"create","todos":[{"content":"Read the code","activeForm":"Reading the code","status":"in_progress"},{"content":"Mend the bug","activeForm":"Mending the bug","status":"pending"}]}
- {"action":"list"} after a long pause.

Bad usage
- {"action":"update","todos":[{"content":"Mend the bug","activeForm":"Mending the bug","status":"completed"}]} when the list had more items: the others are gone.
- a list of one item for a question that is answered at once.`;
