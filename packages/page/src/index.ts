// Reads the files of the page, for a server that sends them to browsers
export { readPage, type PageFile, type PageFiles } from "./files.ts";
