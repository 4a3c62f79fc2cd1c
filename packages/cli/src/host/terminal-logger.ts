import type { Logger } from "@toolmount/core";
import { printable } from "../screen/printable.ts";
import type { Screen, Style } from "../screen/screen.ts";

/** Tells warnings and errors of a host to a person, a line each. */
export function createTerminalLogger(screen: Screen): Logger {
  const write = (style: Style, level: string) => (fields: object, message?: string) =>
    screen.line(
      `${screen.paint(style, `${level}:`)} ${printable(message ?? "")}${causeOf(fields)}`.trimEnd(),
    );
  const logger: Logger = {
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: write("yellow", "warning"),
    error: write("red", "error"),
    child: () => logger,
  };
  return logger;
}

const ignore = () => {};

function causeOf(fields: object): string {
  const { err } = fields as { readonly err?: unknown };
  return err instanceof Error ? ` (${printable(err.message)})` : "";
}
