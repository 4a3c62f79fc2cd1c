// Runs the checks of the modules that its words name, in whatever runtime it is started, and prints one JSON object a line.
import process from "node:process";

for (const word of process.argv.slice(2)) {
  const { checks } = await import(word);
  for (const [name, check] of Object.entries(checks)) {
    let problem = null;
    try {
      await check();
    } catch (error) {
      problem = `${error?.name}: ${error?.message ?? error}`;
    }
    console.log(JSON.stringify({ name, problem }));
  }
}
process.exit(0);
