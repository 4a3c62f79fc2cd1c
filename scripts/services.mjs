// Starts what many test files need, once for all of them: Postgres. Prints its address as a line of JSON, and
// stops it when its standard input ends, so also when the process that started it was killed. What cannot be started is
// said; the tests that need it then say so, too. Run by check.mjs, with `node -C @toolmount/source`.
import { startPostgres } from "../packages/store/test/postgres.ts";

const addresses = {};
const stops = [];

await start("Postgres", async () => {
  const server = await startPostgres();
  addresses.TOOLMOUNT_POSTGRES = await server.database("shared");
  stops.push(() => server.stop());
});
console.log(JSON.stringify(addresses));

process.stdin.resume().on("end", async () => {
  await Promise.allSettled(stops.map((stop) => stop()));
  process.exit(0);
});

async function start(name, work) {
  try {
    await work();
  } catch (error) {
    console.error(`⚠ ${name} was not started for the tests: ${error.message.split("\n")[0]}`);
  }
}
