/**
 * The workloads. A row has `args(client)`, undefined where the client cannot do it; `references`,
 * the same work done by less (`local`: without the server); `clear`, which removes what the client
 * before has left; and `setup`, the client's own preparation. A client that skips work fails:
 * `seen` gives what the sink must have counted, `written` what must be on the disk, as [is, must be
 * at least].
 */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const RAW = fileURLToPath(new URL("raw.mjs", import.meta.url));
const SMALL_BYTES = 4096;

/** The names the sink's canned listing gives, so that what goes up can be listed and removed. */
export function nameOf(i) {
  return `events-2025-01-01-${String(i).padStart(9, "0")}`;
}

/**
 * `many` objects of 4 KiB, trees as `{bucket, title, dir, count, bytes}`, one object of `large` MiB, a
 * listing of `keys` keys (which only the sink can invent), from the endpoints' objects to files in `scratch`.
 */
export function rows({ many, large, keys, trees, isSink, scratch, endpoint, otherEndpoint }) {
  const largeFile = join(scratch, "large.bin");
  const files = join(scratch, "small");
  const objects = `small-${many}/data`;
  const downFile = join(scratch, "down.bin");
  const downDir = join(scratch, "down");
  const bytes = large * 1024 * 1024;
  const allBytes = many * SMALL_BYTES;

  const node = { name: "node -e 0", command: process.execPath, args: ["-e", "0"], local: true };
  const raw = (...words) => ({
    name: "raw sockets",
    command: process.execPath,
    args: [RAW, ...words],
  });
  const largeDown = (place) => ({
    args: (c) => c.down?.(place, downFile),
    clear: () => rmSync(downFile, { force: true }),
    seen: ({ main }) => ({ bytes: [main.out, bytes] }),
    written: () => ({ bytes: [statSync(downFile).size, bytes] }),
    references: [
      raw("down", endpoint, place, downFile),
      ...["1", "2"].map((threads) => ({
        ...raw("down-ranges", endpoint, place, downFile, String(bytes), threads),
        name: `raw sockets, ranges and CRC32, ${threads} thread${threads === "1" ? "" : "s"}`,
      })),
      { name: "cp", command: "cp", args: [largeFile, downFile], local: true },
    ],
  });

  const empty = () => {
    rmSync(downDir, { recursive: true, force: true });
    mkdirSync(downDir);
  };
  const ofTree = ({ bucket, title, dir, count, bytes }) => [
    {
      title: `${title} up`,
      sinkOnly: true,
      args: (c) => c.upAll?.(dir, `up-${bucket}/data`),
      seen: ({ main }) => ({ bytes: [main.in, bytes] }),
      references: [],
    },
    {
      title: `${title} down`,
      sinkOnly: true,
      args: (c) => c.downAll?.(`${bucket}/data`, downDir),
      clear: empty,
      seen: ({ main }) => ({ bytes: [main.out, bytes] }),
      written: () => {
        const found = readdirSync(downDir, { recursive: true, withFileTypes: true });
        return { files: [found.filter((entry) => entry.isFile()).length, count] };
      },
      references: [],
    },
  ];

  const table = [
    { title: "--version", args: (c) => c.ls && c.version, references: [node] },
    { title: "ls, 10 keys", args: (c) => c.ls?.("list-10/data/"), references: [node] },
    {
      title: `${many} × 4 KiB up`,
      args: (c) => c.upAll?.(files, objects),
      seen: ({ main }) => ({ puts: [main.puts, many], bytes: [main.in, allBytes] }),
      references: [raw("up-all", endpoint, objects, files)],
    },
    {
      title: `${many} × 4 KiB down`,
      args: (c) => c.downAll?.(objects, downDir),
      clear: empty,
      seen: ({ main }) => ({ gets: [main.gets, many], bytes: [main.out, allBytes] }),
      written: () => {
        const sizes = readdirSync(downDir).map((name) => statSync(join(downDir, name)).size);
        const sum = sizes.reduce((left, right) => left + right, 0);
        return { files: [sizes.length, many], bytes: [sum, allBytes] };
      },
      references: [raw("down-all", endpoint, objects, files, downDir)],
    },
    {
      title: `${many} deletes`,
      args: (c) => c.removeAll?.(objects),
      // A real server gets back the objects that the client before this one removed.
      setup: isSink ? undefined : (c) => c.upAll?.(files, objects),
      // Either a request each, or their names in the bodies of a few.
      seen: ({ main }) =>
        main.posts > 0
          ? { bytes: [main.in, many * nameOf(0).length] }
          : { deletes: [main.deletes, many] },
      references: [],
    },
    ...trees.flatMap(ofTree),
    {
      title: `${large} MiB up`,
      args: (c) => c.up?.(largeFile, "big/up.bin"),
      seen: ({ main }) => ({ bytes: [main.in, bytes] }),
      references: [
        raw("up", endpoint, "big/raw.bin", largeFile),
        { name: "sha256sum", command: "sha256sum", args: [largeFile], local: true },
      ],
    },
    {
      title: isSink ? `${large} MiB down, verified` : `${large} MiB down`,
      ...largeDown("big/large.bin"),
    },
    { title: `${large} MiB down, no checksum`, sinkOnly: true, ...largeDown("big/plain.bin") },
    {
      title: `server-side copy, ${large} MiB`,
      args: (c) => c.copy?.("big/large.bin", "big/copy.bin"),
      seen: ({ main }) => ({ puts: [main.puts, 1] }),
      references: [node],
    },
    {
      title: `cross-alias copy, ${large} MiB`,
      args: (c) => c.relay?.("big/large.bin", "big/copy.bin"),
      seen: ({ main, other }) => ({ fetched: [main.out, bytes], sent: [other.in, bytes] }),
      references: [raw("relay", endpoint, "big/large.bin", otherEndpoint, "big/raw.bin")],
    },
    {
      title: `ls -r, ${keys} keys`,
      args: (c) => c.lsr?.(`list-${keys}`),
      sinkOnly: true,
      seen: ({ main }) => ({ pages: [main.lists, Math.ceil(keys / 1000)] }),
      references: [raw("list", endpoint, `list-${keys}`)],
    },
  ];
  return table.filter((row) => isSink || row.sinkOnly !== true);
}
