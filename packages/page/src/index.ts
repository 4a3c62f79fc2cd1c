// The page, for a server that gives its files to browsers
export { readPage, type PageFile, type PageFiles } from "./files.ts";
