import { useSignal } from "@preact/signals";
import { filterBy, route } from "../route.ts";
import type { CallSummary } from "../shapes.ts";

const bars = 96;
/** Minimum number of milliseconds that a bar covers, so that a single call does not fill the whole width. */
const minStepMs = 1_000;
const height = 48;

/** Shows calls over time, with their errors. A click on a bar, or a drag over several, chooses the calls of that time. */
export function Histogram({ calls }: { readonly calls: readonly CallSummary[] }) {
  const stroke = useSignal<readonly [number, number] | null>(null);
  if (calls.length === 0) return null;
  const steps = stepsOf(calls);
  const { filter } = route.value;
  const choose = ([a, b]: readonly [number, number]) => {
    const [from, to] = [Math.min(a, b), Math.max(a, b) + 1];
    filterBy({
      ...filter,
      from: String(steps.begin + from * steps.stepMs),
      to: String(steps.begin + to * steps.stepMs),
    });
  };
  const barOf = (event: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(bars - 1, Math.floor(((event.clientX - left) / width) * bars)));
  };
  const isChosen = filter["from"] !== undefined;
  return (
    <div class="histogram">
      <svg
        viewBox={`0 0 ${bars} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${calls.length} calls over time`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const bar = barOf(event);
          stroke.value = [bar, bar];
        }}
        onPointerMove={(event) => {
          if (stroke.value !== null) stroke.value = [stroke.value[0], barOf(event)];
        }}
        onPointerUp={() => {
          if (stroke.value !== null) choose(stroke.value);
          stroke.value = null;
        }}
        onPointerCancel={() => (stroke.value = null)}
      >
        <Chosen steps={steps} stroke={stroke.value} />
        {steps.counts.map(({ all, bad }, at) => (
          <Bar key={at} at={at} all={all} bad={bad} most={steps.most} />
        ))}
      </svg>
      <p>
        <span>{timeText(steps.begin)}</span>
        {isChosen ? (
          <button
            type="button"
            class="plain"
            onClick={() =>
              filterBy(Object.fromEntries(Object.entries(filter).filter(([name]) => !isTime(name))))
            }
          >
            {timeText(Number(filter["from"]))} – {timeText(Number(filter["to"]))}: show all times
          </button>
        ) : (
          <StepKeys steps={steps} choose={choose} />
        )}
        <span>{timeText(steps.begin + bars * steps.stepMs)}</span>
      </p>
    </div>
  );
}

function isTime(name: string): boolean {
  return name === "from" || name === "to";
}

interface Steps {
  readonly begin: number;
  readonly stepMs: number;
  readonly counts: readonly { readonly all: number; readonly bad: number }[];
  readonly most: number;
}

function stepsOf(calls: readonly CallSummary[]): Steps {
  let [first, last] = [Infinity, 0];
  for (const { startedAt } of calls) {
    first = Math.min(first, startedAt);
    last = Math.max(last, startedAt);
  }
  const stepMs = Math.max(minStepMs, Math.ceil((last - first + 1) / bars / 1_000) * 1_000);
  const begin = (Math.floor(last / stepMs) + 1 - bars) * stepMs;
  const counts = Array.from({ length: bars }, () => ({ all: 0, bad: 0 }));
  for (const { startedAt, code } of calls) {
    const count = counts[Math.max(0, Math.floor((startedAt - begin) / stepMs))]!;
    count.all += 1;
    if (code !== null) count.bad += 1;
  }
  return { begin, stepMs, counts, most: Math.max(1, ...counts.map(({ all }) => all)) };
}

interface BarProps {
  readonly at: number;
  readonly all: number;
  readonly bad: number;
  readonly most: number;
}

function Bar({ at, all, bad, most }: BarProps) {
  if (all === 0) return null;
  const tall = Math.max(3, (height * all) / most);
  const low = bad === 0 ? 0 : Math.max(2, (height * bad) / most);
  return (
    <>
      <rect x={at + 0.12} width={0.76} y={height - tall} height={tall} />
      {low > 0 && <rect class="bad" x={at + 0.12} width={0.76} y={height - low} height={low} />}
    </>
  );
}

interface ChosenProps {
  readonly steps: Steps;
  readonly stroke: readonly [number, number] | null;
}

function Chosen({ steps, stroke }: ChosenProps) {
  const { from, to } = route.value.filter;
  const at = (time: string) => (Number(time) - steps.begin) / steps.stepMs;
  const [a, b] =
    stroke ?? (from === undefined || to === undefined ? [Number.NaN, Number.NaN] : [at(from), at(to) - 1]);
  if (Number.isNaN(a)) return null;
  return <rect class="chosen" x={Math.min(a, b)} width={Math.abs(b - a) + 1} y={0} height={height} />;
}

interface StepKeysProps {
  readonly steps: Steps;
  readonly choose: (range: readonly [number, number]) => void;
}

/** Lists the times that have calls, for people who do not use a pointer. */
function StepKeys({ steps, choose }: StepKeysProps) {
  return (
    <label>
      <span class="quiet">Calls of one time</span>
      <select
        value=""
        onChange={(event) => {
          const at = Number(event.currentTarget.value);
          choose([at, at]);
        }}
      >
        <option value="">all times</option>
        {steps.counts.map(({ all, bad }, at) =>
          all === 0 ? null : (
            <option value={at}>
              {`${timeText(steps.begin + at * steps.stepMs)}: ${all} calls${bad === 0 ? "" : `, ${bad} errors`}`}
            </option>
          ),
        )}
      </select>
    </label>
  );
}

function timeText(at: number): string {
  return new Date(at).toLocaleTimeString();
}
