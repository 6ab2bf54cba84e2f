import { Writable } from "node:stream";

/** A stream that is no terminal, and the text that was written to it. */
export function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      done();
    },
  }) as unknown as NodeJS.WriteStream;
  const bytes = () => Buffer.concat(chunks);
  return { stream, bytes, text: () => bytes().toString() };
}
