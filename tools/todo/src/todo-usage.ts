/** The usage text of `todo`, long guidance for a model about when and how to call the tool. */
export const todoUsage = `todo: keeps a list of tasks

Primary purpose
Keeps this session's list of tasks, so that none is forgotten and a person can see the progress.

Rules
- Use it when work has three steps or more, or the user asked for several things. Do not use it for one quick step, or to answer a question.
- create and update replace the whole list: pass every item each time, also completed ones.
- Keep at most one item in_progress. Mark an item completed immediately, and only when it is really done.
- The list belongs to the session. It is not a file, and no other agent executes it.

Arguments
- action (string, required): create for a new list, update for a changed one, list to see it.
- todos (array, for create and update): the whole list in the order of work, each item with content (Run the tests), activeForm (Running the tests) and status (pending, in_progress or completed).

Error codes
- INVALID_ARGUMENTS: the action is unknown, or an item lacks a field or has another status; the message says which item, counted from 0.
- TOO_MANY_TODOS: the list is longer than the host allows; combine small items.

Good usage
- {"action":"create","todos":[{"content":"Read the code","activeForm":"Reading the code","status":"in_progress"},{"content":"Fix the bug","activeForm":"Fixing the bug","status":"pending"}]}
- {"action":"list"} after a long pause.

Bad usage
- {"action":"update","todos":[{"content":"Fix the bug","activeForm":"Fixing the bug","status":"completed"}]} when the list had more items: the others are lost.
- a list of one item for a question that you can answer immediately.`;
