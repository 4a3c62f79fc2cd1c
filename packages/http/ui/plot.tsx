import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { durationsOf, percentileOf } from "./percentile.ts";
import type { CallSummary } from "./shapes.ts";

/** Calls, errors and durations over time: at most so many points. */
const points = 120;
/** Steps that are shown at least, so that the time of a single call is in seconds, not in years. */
const minSteps = 30;

/** Milliseconds between two drawings: calls can change in every frame. */
const drawMs = 500;

/** A plot of calls and errors for each step of time, and of p50, p95 and p99. */
export function Plot({ calls }: { readonly calls: readonly CallSummary[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  useEffect(() => {
    const element = place.current!;
    const sizeOf = () => ({ width: element.clientWidth, height: 180 });
    // A custom property keeps `light-dark(…)` as text; only a real property has the colour itself.
    const colour = (name: string) => {
      element.style.color = `var(${name})`;
      return getComputedStyle(element).color;
    };
    const axis = {
      stroke: colour("--text"),
      grid: { stroke: colour("--line") },
      ticks: { stroke: colour("--line") },
    };
    const line = (label: string, name: string, scale: string) => ({
      label,
      scale,
      stroke: colour(name),
      width: 1.5,
      points: { size: 5 },
    });
    const bars = (label: string, name: string) => ({
      ...line(label, name, "y"),
      fill: colour(name),
      width: 0,
      points: { show: false },
      paths: uPlot.paths.bars!({ size: [0.7, 24] }),
    });
    plot.current = new uPlot(
      {
        ...sizeOf(),
        scales: { ms: { auto: true } },
        axes: [
          axis,
          { ...axis, size: 56 },
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- uPlot's enum is a type only; its module has none
          { ...axis, scale: "ms", side: 1, size: 60, grid: { show: false } },
        ],
        series: [
          {},
          bars("calls", "--accent"),
          bars("errors", "--bad"),
          line("p50 ms", "--good", "ms"),
          line("p95 ms", "--warn", "ms"),
          line("p99 ms", "--text", "ms"),
        ],
      },
      seriesOf([]),
      element,
    );
    const observer = new ResizeObserver(() => plot.current?.setSize(sizeOf()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, []);
  const drawnAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, drawnAt.current + drawMs - Date.now());
    const timer = setTimeout(() => {
      drawnAt.current = Date.now();
      plot.current?.setData(seriesOf(calls));
    }, wait);
    return () => clearTimeout(timer);
  }, [calls]);
  return <div class="plot" ref={place} role="img" aria-label={`Plot of ${calls.length} calls over time`} />;
}

function seriesOf(calls: readonly CallSummary[]): uPlot.AlignedData {
  const first = calls.at(-1)?.startedAt ?? 0;
  const last = calls[0]?.startedAt ?? 0;
  const stepMs = Math.max(1_000, Math.ceil((last - first) / points / 1_000) * 1_000);
  const steps = new Map<number, CallSummary[]>();
  const end = Math.floor(last / stepMs) * stepMs;
  const begin = Math.min(Math.floor(first / stepMs) * stepMs, end - (minSteps - 1) * stepMs);
  if (calls.length > 0) for (let at = begin; at <= end; at += stepMs) steps.set(at, []);
  for (const call of calls) steps.get(Math.floor(call.startedAt / stepMs) * stepMs)?.push(call);
  const sorted = [...steps].toSorted(([a], [b]) => a - b);
  const durations = sorted.map(([, list]) => durationsOf(list));
  const share = (part: number) => durations.map((list) => percentileOf(list, part));
  return [
    sorted.map(([at]) => at / 1_000),
    sorted.map(([, list]) => list.length),
    sorted.map(([, list]) => list.filter(({ code }) => code !== null).length),
    share(0.5),
    share(0.95),
    share(0.99),
  ];
}
