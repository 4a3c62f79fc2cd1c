// Records calls, and replays them without running a tool
export {
  parseTape,
  printTapeAnswer,
  printTapeCall,
  TapeError,
  tapeHeader,
  type TapeAnswer,
  type Tape,
  type TapeCall,
  type TapeDecision,
  type TapeResult,
} from "./tape.ts";
export { addLine } from "./add-line.ts";
export { recordCalls, type RecordOptions } from "./record.ts";
export { createReplay, type Replay } from "./replay.ts";
