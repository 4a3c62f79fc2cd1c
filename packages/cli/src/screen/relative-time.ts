const units = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
] as const;

/** How long ago something was, in its largest unit: `3 h ago`; of a time less than a minute ago, `just now`. */
export function ago(then: number, now: number): string {
  const passed = Math.max(0, now - then);
  const unit = units.find(({ ms }) => passed >= ms);
  return unit === undefined ? "just now" : `${Math.floor(passed / unit.ms)} ${unit.name} ago`;
}
