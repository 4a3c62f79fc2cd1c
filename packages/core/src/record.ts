// Reads past calls and programs, searches them, and describes them in a line. For packages of toolmount itself.
export { hasWords, searchProblem, soughtWords, wordsOf, type SoughtWord } from "./pending/call-words.ts";
export { isWanted, joinRecord, kindOf, lineOf, newestFirst, pastCalls } from "./pending/past-calls.ts";
export { readProgram, type PastProgram, type ProgramLine } from "./pending/past-program.ts";
export { argumentAt, confirmedValues, withoutContent } from "./call/kept-result.ts";
export { placeText } from "./pending/place.ts";
