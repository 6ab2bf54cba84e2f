import { AppError } from "../failures/errors.js";

/** The error of a body that yields more or fewer bytes than were announced for it. */
export function sourceChanged(length: number, sent: number): AppError {
  const how = sent < length ? "ended early" : "has grown";
  const message = `the source ${how} while it was being read: ${length} bytes were announced`;
  return new AppError({ kind: "conflict", code: "SourceChanged", message });
}
