/**
 * An S3 endpoint that begins every transfer and finishes none: for tests that cancel in the middle.
 * It verifies nothing and keeps nothing but a list of what it was asked.
 */
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The size of every object it claims to have. */
export const STALLED_SIZE = 100 * 1024 * 1024;

export interface StallingS3 {
  readonly endpoint: string;
  /** `METHOD /path?query` as requests come, and `closed METHOD …` when one is left unanswered. */
  readonly seen: readonly string[];
  /** Resolves once something seen matches. */
  waitFor(pattern: RegExp): Promise<void>;
  close(): Promise<void>;
}

/** Starts it on an ephemeral port. */
export async function startStallingS3(): Promise<StallingS3> {
  const seen: string[] = [];
  const events = new EventEmitter().setMaxListeners(0);
  const note = (line: string) => {
    seen.push(line);
    events.emit("seen");
  };
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    note(line);
    response.once("close", () => {
      if (!response.writableFinished) note(`closed ${line}`);
    });
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    waitFor: async (pattern) => {
      while (!seen.some((line) => pattern.test(line))) {
        const signal = AbortSignal.timeout(60_000);
        await once(events, "seen", { signal }).catch((cause: unknown) => {
          throw new Error(`never saw ${pattern}, but ${seen.join(", ")}`, { cause });
        });
      }
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const query = new URL(request.url ?? "/", "http://h").searchParams;
  const { method } = request;
  if (method === "POST" && query.has("uploads")) {
    response.setHeader("content-type", "application/xml");
    response.end(
      "<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>stalled</UploadId></InitiateMultipartUploadResult>",
    );
  } else if (method === "DELETE") {
    response.writeHead(204).end();
  } else if (method === "HEAD" && /^\/bucket\/(?!.*down)./.test(request.url ?? "")) {
    // Only what is downloaded is there.
    response.writeHead(404).end();
  } else if (method === "HEAD") {
    response.writeHead(200, { "content-length": STALLED_SIZE, etag: '"e"' }).end();
  } else if (method === "GET") {
    const [, start = "0", end = String(STALLED_SIZE - 1)] =
      /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    response.writeHead(request.headers.range === undefined ? 200 : 206, {
      "content-length": Number(end) - Number(start) + 1,
      "content-range": `bytes ${start}-${end}/${STALLED_SIZE}`,
      etag: '"e"',
    });
    response.write(Buffer.alloc(1024 * 1024));
  } else {
    // A PUT: read on, so that progress is made, and never answered.
    request.resume();
  }
}
