// Zod in one file, for every module of the command's process; see `share-zod.ts`.
export * from "zod";
// oxlint-disable-next-line import/no-default-export -- zod has one, and modules import it
export { default } from "zod";
