/** Sends one statement. Postgres runs it as a transaction, and a `pg_notify` in it is sent when it commits. */
export type Query = <Row>(sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;
