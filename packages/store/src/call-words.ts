import type { SoughtWord } from "@toolmount/core/record";
import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** The words of a call, which is identified by its number in the table of calls. */
export interface WordsOfCall {
  readonly sequence: number;
  readonly words: ReadonlySet<string>;
}

/** The index of the words of calls, which is different for each kind of database. */
export interface CallWords {
  /** Replaces the words of these calls. */
  put(db: Transaction<Tables>, calls: readonly WordsOfCall[]): Promise<void>;
  /** The column of the index that has the number of a call. The index is joined under the name `found`. */
  readonly sequence: RawBuilder<number>;
  /** Returns the condition that a row of `found` has all these words. */
  has(sought: readonly SoughtWord[]): RawBuilder<boolean>;
  /** Deletes the words of calls that are no longer in the table. */
  drop(db: Transaction<Tables>, sequences: readonly number[]): Promise<void>;
}

/** Creates the index. */
export async function createWords(db: Kysely<Tables>, isPostgres: boolean): Promise<void> {
  const statement = isPostgres
    ? sql`create table call_words (sequence bigint primary key, words tsvector not null)`
    : // Stores only which words a call has, without the texts and the places of words. Beginnings are indexed, because reading
      // every word with a beginning takes 100 times as long.
      sql`create virtual table call_words using fts5(words, content='', contentless_delete=1, detail=none,
          prefix='1 2 3 4 5 6', tokenize="unicode61 remove_diacritics 0 tokenchars '_'")`;
  await statement.execute(db);
  if (isPostgres) await sql`create index call_words_index on call_words using gin (words)`.execute(db);
}

export const sqliteWords: CallWords = {
  sequence: sql`found.rowid`,
  async put(db, calls) {
    if (calls.length === 0) return;
    const rows = calls.map(({ sequence, words }) => sql`(${sequence}, ${[...words].join(" ")})`);
    await sql`insert or replace into call_words (rowid, words) values ${sql.join(rows)}`.execute(db);
  },
  has(sought) {
    const query = sought.map(({ word, isStart }) => `"${word}"${isStart ? "*" : ""}`).join(" ");
    return sql<boolean>`found.call_words match ${query}`;
  },
  async drop(db, sequences) {
    await sql`delete from call_words where rowid in (${sql.join(sequences)})`.execute(db);
  },
};

export const postgresWords: CallWords = {
  sequence: sql`found.sequence`,
  async put(db, calls) {
    if (calls.length === 0) return;
    const rows = calls.map(
      ({ sequence, words }) => sql`(${sequence}::bigint, array_to_tsvector(${[...words]}::text[]))`,
    );
    await sql`insert into call_words (sequence, words) values ${sql.join(rows)}
      on conflict (sequence) do update set words = excluded.words`.execute(db);
  },
  has(sought) {
    const query = sought.map(({ word, isStart }) => `'${word}'${isStart ? ":*" : ""}`).join(" & ");
    return sql<boolean>`found.words @@ ${query}::tsquery`;
  },
  async drop(db, sequences) {
    await sql`delete from call_words where sequence in (${sql.join(sequences)})`.execute(db);
  },
};
