/** Returns how long ago something was, in its largest unit: `3 h ago`; for less than a minute, `just now`. */
export function agoOf(at: number, now: number): string {
  return now - at >= 60_000 ? `${timeOf(now - at)} ago` : "just now";
}

/** Returns a duration in its largest unit: `6 d`. */
export function timeOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 1_440 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}
