// Reports what Vitest does to the process that started it, event by event, so that this one can show it, count it, and
// still print a table when a run is stopped or killed.
import { relative } from "node:path";

const send = (event) => process.send?.(event);

// oxlint-disable-next-line import/no-default-export -- Vitest takes a reporter's default export
export default class {
  #root = "";

  onInit({ config }) {
    this.#root = config.root;
  }

  onTestRunStart(files) {
    send({ kind: "start", files: files.map(({ moduleId }) => this.#path(moduleId)) });
  }

  onTestCaseResult() {
    send({ kind: "test" });
  }

  onTestModuleStart({ moduleId }) {
    send({ kind: "file-start", file: this.#path(moduleId) });
  }

  onTestModuleEnd(module) {
    const tests = [...module.children.allTests()];
    const having = (state) => tests.filter((test) => test.result().state === state);
    const failures = having("failed").map((test) => failureOf(test.fullName, test.result().errors));
    const suites = [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
    const broken = suites.map((suite) => failureOf(suite.fullName ?? "", suite.errors()));
    send({
      kind: "file",
      file: this.#path(module.moduleId),
      passed: having("passed").length,
      skipped: having("skipped").length,
      failures: [...failures, ...broken],
      // A file that cannot be loaded has no time at which its tests began.
      seconds: (Date.now() - (module.task.result?.startTime ?? Date.now())) / 1000,
      work: module.meta().work,
    });
  }

  onTestRunEnd(_modules, errors) {
    send({ kind: "end", failures: errors.map((error) => failureOf("outside any test", [error])) });
  }

  #path(moduleId) {
    return relative(this.#root, moduleId).replaceAll("\\", "/");
  }
}

/** A failure as a person reads it: its title, what was wrong, and where. */
function failureOf(title, errors) {
  const [{ message = "failed", diff, stacks = [] } = {}] = errors ?? [];
  const at = stacks[0] === undefined ? "" : `${stacks[0].file}:${stacks[0].line}`;
  return { title, message, diff, at };
}
