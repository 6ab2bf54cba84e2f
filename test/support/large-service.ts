/** A service with more in it than a test could store: a bucket of many keys, and one huge object. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface LargeService {
  readonly endpoint: string;
  /** The requests so far, as `GET /bucket/key?query`. */
  readonly asked: string[];
  /** Awaited before an answer is given. */
  hold: (line: string) => Promise<void> | undefined;
  close(): void;
}

/** The huge object's size: more than one request of S3 may copy. */
const HUGE = 6 * 1024 ** 3;

const CONTENT = "x";
const ETAG = `"${createHash("md5").update(CONTENT).digest("hex")}"`;
const keyOf = (index: number) => `k${String(index).padStart(8, "0")}`;

/** Starts it; every bucket has `count` small objects, `k00000000` and on, and the object `huge`. */
export async function startLargeService(count: number): Promise<LargeService> {
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    service.asked.push(line);
    void (async () => {
      await service.hold(line);
      for await (const _ of request);
      const { headers = {}, body = "" } = answerTo(request, count);
      response.writeHead(200, { "content-length": Buffer.byteLength(body), ...headers });
      response.end(request.method === "HEAD" ? undefined : body);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const service: LargeService = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    hold: () => undefined,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}

interface Canned {
  readonly headers?: Record<string, string | number>;
  readonly body?: string;
}

function answerTo({ method, url = "", headers }: IncomingMessage, count: number): Canned {
  const { pathname, searchParams: query } = new URL(url, "http://host");
  if (query.has("list-type")) return { body: page(query, count) };
  if (query.has("uploads")) return xml("InitiateMultipartUploadResult", "UploadId", "u1");
  if (query.has("partNumber")) return xml("CopyPartResult", "ETag", ETAG);
  if (query.has("uploadId")) return xml("CompleteMultipartUploadResult", "ETag", ETAG);
  if (query.has("tagging")) return { body: "<Tagging><TagSet></TagSet></Tagging>" };
  if (headers["x-amz-copy-source"] !== undefined) return xml("CopyObjectResult", "ETag", ETAG);
  const huge = method === "HEAD" && pathname.endsWith("/huge");
  return { headers: { etag: ETAG, "content-length": huge ? HUGE : 1 }, body: CONTENT };
}

function xml(document: string, name: string, value: string): Canned {
  return { body: `<${document}><${name}>${value}</${name}></${document}>` };
}

function page(query: URLSearchParams, count: number): string {
  const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
  const size = Number(query.get("max-keys") ?? 1000);
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (keyOf(middle) > after) to = middle;
    else from = middle + 1;
  }
  const end = Math.min(count, from + size);
  const rows: string[] = [];
  for (let index = from; index < end; index += 1) {
    rows.push(`<Contents><Key>${keyOf(index)}</Key><Size>1</Size><ETag>${ETAG}</ETag></Contents>`);
  }
  const more = end < count;
  const next = more ? `<NextContinuationToken>${keyOf(end - 1)}</NextContinuationToken>` : "";
  return `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${rows.join("")}</ListBucketResult>`;
}
