const paths = {
  inbox: "M2 9.5 4 3.5h8l2 6v3H2zM2 9.5h3.8l.9 1.6h2.6l.9-1.6H14",
  calls: "M2 4h12M2 8h12M2 12h7",
  sessions: "M2 3h12v8H6.5L3 13.5V11H2z",
  plan: "M3.5 2h9v12h-9zM6 5h4M6 8h4M6 11h2.5",
  servers: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.1M5 11h.1",
  try: "M5 3.5 12.5 8 5 12.5z",
  check: "m3 8.5 3.2 3.2L13 4.8",
  cross: "m4 4 8 8m0-8-8 8",
  back: "M10 3 5 8l5 5",
  next: "m6 3 5 5-5 5",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  link: "M6.5 9.5l3-3M7 5l1.6-1.6a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.6 1.6a2.8 2.8 0 0 1-4-4L5 7",
  out: "M6.5 2.5h-4v11h4M6 8h7.5m-3-3 3 3-3 3",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.7 14h2.6",
  edit: "m3 13 .6-2.8L10.8 3l2.2 2.2-7.2 7.2z",
  warn: "M8 2.5 14.5 13h-13zM8 6.5v3m0 1.8v.2",
  reload: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3",
  rule: "M3 3h10v4H3zM3 9.5h10M3 13h6",
} as const;

export type IconName = keyof typeof paths;

/** Shows a picture next to a word. Screen readers skip it, because the word says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
