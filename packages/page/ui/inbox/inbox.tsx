import { useLayoutEffect } from "preact/hooks";
import { Empty, Top } from "../parts/frame.tsx";
import { waitingSessions } from "../layer/layers.ts";
import { go, linkTo, route } from "../route.ts";
import { approvals, answered, cards, dropEnded, hasMore, maySeeQuestions, me } from "../state.ts";
import { countText } from "../value.tsx";
import { watchPlaces } from "../steady.ts";
import { listenToKeys } from "./keys.ts";
import { QuestionList } from "./list.tsx";
import { clearMarks, Marked, marked } from "./marked.tsx";
import { NothingYet } from "./nothing-yet.tsx";
import { Notifications } from "../notifications.tsx";
import { Question } from "./question.tsx";
import { findQuestion, shownId } from "./shown.ts";
import { Standing } from "./standing.tsx";

/** Shows the list of questions on the left, and one question with its answers on the right. */
export function InboxView() {
  return (
    <>
      <Top title="Inbox" about={aboutText()}>
        <div class="end">
          <Notifications />
        </div>
      </Top>
      {me.value !== null && !maySeeQuestions.value ? (
        <Empty icon="inbox" title="This token may not see questions">
          <p>
            Open the page with a token that has the role approve, or view. The person who runs the server
            makes one:
          </p>
          <pre>toolmount serve tokens add FILE NAME --role approve</pre>
        </Empty>
      ) : (
        <Questions />
      )}
    </>
  );
}

function aboutText(): string {
  const waiting = approvals.value;
  if (waiting === null) return "";
  const ended = answered.value.length === 0 ? "" : ` · ${answered.value.length} answered`;
  const files = waitingSessions.value.length;
  if (files > 0) return `${waiting.length + files} wait${ended}`;
  return `${waiting.length === 0 ? "nothing waits" : `${waiting.length}${hasMore.value ? " and more" : ""} wait`}${ended}`;
}

/**
 * Shows the list and one question. A question that ends stays in its place until another view is opened, so that nothing moves
 * under the pointer. Only the person changes which question is shown.
 */
function Questions() {
  useLayoutEffect(() => {
    dropEnded();
    const stops = [watchPlaces(), listenToKeys()];
    return () => {
      for (const stop of stops) stop();
      shownId.value = null;
      clearMarks();
    };
  }, []);
  const { open } = route.value;
  useLayoutEffect(() => {
    if (open !== null) shownId.value = open;
  }, [open]);
  // The first question that arrives is shown without a click. Later ones do not replace it.
  const first = approvals.value?.[0]?.id;
  useLayoutEffect(() => {
    if (open === null && first !== undefined && shownId.value === null) shownId.value = first;
  }, [open, first]);
  if (approvals.value === null)
    return (
      <Empty icon="warn" title="The server does not answer now">
        <p>So it is not known what waits. The page connects again by itself.</p>
      </Empty>
    );
  const shown = findQuestion(shownId.value);
  const shownHere = cards.value.length + answered.value.length + waitingSessions.value.length;
  if (shownHere === 0 && open === null) return <NothingYet />;
  return (
    <div class={open === null && marked.value.length === 0 ? "two" : "two opened"}>
      <div class="list">
        {approvals.value.length + waitingSessions.value.length === 0 && <NothingWaits />}
        <WaitingFiles />
        <QuestionList />
        <Standing />
      </div>
      <div class="pane">
        {marked.value.length > 0 ? (
          <Marked />
        ) : shown === undefined ? (
          <NoneShown isNamed={open !== null} />
        ) : (
          <Question key={shown.id} approval={shown} />
        )}
      </div>
    </div>
  );
}

/** Lists the sessions with file changes that wait. A person answers them in the view of the session. */
function WaitingFiles() {
  const sessions = waitingSessions.value;
  if (sessions.length === 0) return null;
  return (
    <section aria-label="Changes of files">
      <h2>Changes of files</h2>
      <ul>
        {sessions.map(({ session, changes }) => (
          <li key={session}>
            <a class="item" href={linkTo("sessions", session)}>
              <span class="t">
                <span>{changes === null ? "Changes may wait" : `Keep ${countText(changes, "change")}?`}</span>
              </span>
              <span class="s">session {session}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NothingWaits() {
  return <p class="nothing">Nothing waits for an answer.</p>;
}

function NoneShown({ isNamed }: { readonly isNamed: boolean }) {
  if (!isNamed)
    return (
      <Empty icon="inbox" title="Choose a question">
        <p>
          <kbd>j</kbd> and <kbd>k</kbd> go through them.
        </p>
      </Empty>
    );
  return (
    <Empty icon="inbox" title="This question is no longer here">
      <p>It was answered before this server started, or it belongs to another host.</p>
      <button type="button" onClick={() => go("inbox")}>
        All questions
      </button>
    </Empty>
  );
}
