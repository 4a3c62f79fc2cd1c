// What `npm run demo` shows, run with the workspace built.
console.log("nothing to show yet");
