/**
 * A tool is plain data. Nothing here knows the SDK, so another major version of it, or another
 * protocol, is a new adapter and not new tools.
 */
import type { z } from "zod";

import type { BucketService, BucketStorage } from "../core/storage/s3-types.js";
import type { TransferListener } from "../core/engine/events.js";
import type { Journal } from "../core/journal/file.js";
import type { Consent } from "./consent.js";
import type { FileGuard } from "./files/guard.js";
import { defined, facts } from "./text.js";

/** Whether a call changes what is stored. Local files have their own guard. */
export type Access = "read" | "write";

/** Groups of tools that rarely help. */
export const TOOLSETS = ["edit", "admin"] as const;

export type Toolset = (typeof TOOLSETS)[number];

/** Hints for a client; a hint left out has the protocol's default. */
export interface Annotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
}

/** One piece of a result, as the protocol writes it. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };

export interface ToolResult {
  /** For the model to read; complete in itself. */
  readonly text: string;
  /** The same facts for a program. */
  readonly structured?: Readonly<Record<string, unknown>> | undefined;
  /** Follows the text. */
  readonly content?: readonly Content[] | undefined;
  /** True when some of the items failed. */
  readonly failed?: boolean | undefined;
}

/** A folder on the local disk. Names in it are keys; each is judged by itself. */
export interface Folder {
  /** Its real path. */
  readonly root: string;
  /** Throws UnsafeKey for a key that names nothing inside it, and what the guard throws. */
  reading(key: string): ReturnType<FileGuard["reading"]>;
  writing(key: string): ReturnType<FileGuard["writing"]>;
}

/** The local disk, for one call: it asks the person where that is needed. */
interface LocalFiles {
  reading(path: string): ReturnType<FileGuard["reading"]>;
  /** `replace` says that the caller means to replace what is there; it does not permit it. */
  writing(path: string, replace?: boolean): ReturnType<FileGuard["writing"]>;
  /** A folder whose files may be taken, or new ones put into it, without a question for each. */
  folder(path: string, use: "read" | "write"): Promise<Folder>;
}

/** The means that one call may use; every door checks the guards again. */
export interface Call {
  /** Aborted when the client cancels or goes away. */
  readonly signal: AbortSignal;
  readonly files: LocalFiles;
  /** Asks before something is destroyed. */
  readonly consent: Consent;
  /** The name of the tool that was called. */
  readonly tool: string;
  /** Every change by an agent is written down here before it is made. */
  readonly journal: Journal;
  /** The name under which this call's changes are undone together. */
  group(): string;
  /** Bytes that a reading gives unless it asks for another number. */
  readonly readLimit: number;
  /** The alias of this call. */
  readonly alias: string;
  /** The buckets that may be touched on the alias of this call; undefined when all may. */
  readonly allowedBuckets: readonly string[] | undefined;
  /** Whether the call is about the embedded store, which only this machine can reach. */
  readonly isEmbedded: boolean;

  /** Opens a bucket. Throws AccessDenied when `--read-only` or `--bucket` forbids it. */
  bucket(name: string, access: Access, alias?: string): Promise<BucketStorage>;
  /** The service itself. Throws AccessDenied when `--read-only` forbids writing. */
  service(access: Access, alias?: string): Promise<BucketService>;
  /** How a person names a bucket: `local/photos`. */
  label(bucket: string, alias?: string): string;
  /** Where an alias leads, for the result of a write: `env (https://s3.example.com)`. */
  at(alias?: string): string;

  /** The origin an alias leads to, for the journal. */
  endpoint(alias: string): string;

  /** Waits for room for an answer of so many bytes; the room is given back when it has been sent. */
  room(bytes: number): Promise<void>;
  /** Listens to a transfer, and tells the client how far it is when it asked to know. */
  readonly onTransfer: TransferListener;
  /** Tells the client how far a call is; throttled, and never goes backwards. */
  report(done: number, total?: number, message?: string): void;
}

export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  /** Few words: every client pays for them in every conversation. */
  readonly description: string;
  readonly access: Access;
  /** `service` when it is about buckets themselves: not offered under a bucket allow-list. */
  readonly scope?: "bucket" | "service" | undefined;
  /** Offered only when `--toolset` names it. */
  readonly toolset?: Toolset | undefined;
  readonly schema: Shape;
  /** Parameters that are understood but not shown: other words for what is. */
  readonly unlisted?: readonly string[] | undefined;
  /** Parameters that name an alias; offered only when several are served. Default `alias`. */
  readonly aliasParameters?: readonly string[] | undefined;
  /** Default: that a tool which reads does so, and no more. */
  readonly annotations?: Annotations | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  handler(args: z.output<z.ZodObject<Shape>>, call: Call): Promise<ToolResult>;
}

/** Declares a tool; the handler's arguments are typed by the schema. */
export function defineTool<Shape extends z.ZodRawShape>(tool: Tool<Shape>): Tool {
  return tool;
}

/** The result of one thing that was done: a word for it, and its facts. */
export function told(word: string, record: Readonly<Record<string, unknown>>): ToolResult {
  const structured = defined(record);
  return { text: `${word}\n${facts(structured)}`, structured };
}
