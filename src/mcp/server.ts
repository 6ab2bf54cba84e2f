/**
 * The one file that knows the SDK's server: hands it the tools and the object resource. Importing
 * it starts nothing.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  Server,
  type ServerContext,
  createRequestStateCodec,
  inputRequired,
} from "@modelcontextprotocol/server";
import { AppError, conflictError, usageError } from "../core/failures/errors.js";
import { parseArguments, understood } from "./arguments.js";
import { createCall } from "./call.js";
import { type Answer, Question } from "./consent.js";
import { errorResult } from "./errors.js";
import { type Flights, createFlights } from "./flight.js";
import { instructions } from "./instructions.js";
import { MAX_RESULT_BYTES } from "./limits.js";
import { logStack } from "./log.js";
import { type Offered, offer } from "./offer.js";
import { offers } from "./policy.js";
import { registerObjects } from "./resources.js";
import type { ServerOptions } from "./options.js";
import type { Services } from "./services.js";
import type { ToolResult } from "./tool.js";
import { getObjectTool } from "./tools/get-object.js";
import { TOOLS } from "./tools/index.js";

/** A person may take this long to answer a question. */
const ANSWER_TIMEOUT_MS = 10 * 60 * 1000;

/** Questions in one call; more means that what is asked about does not hold still. */
const MAX_QUESTIONS = 8;

export interface PailServer {
  readonly mcp: Server;
  /** Whether a call is running. */
  isBusy(): boolean;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
}

/** Answers that earlier rounds of a call brought; the client carries them, sealed, to the next. */
type Earlier = Readonly<Record<string, Answer>>;

/**
 * Makes a server for one client; connect it to a transport to start it. `flights` is told by that
 * transport which answers have left.
 */
export function createServer(
  services: Services,
  options: ServerOptions,
  flights: Flights = createFlights(),
): PailServer {
  const readsObjects = offers(options.policy, getObjectTool);
  const rounds = createRequestStateCodec<Earlier>({ key: options.secret });
  const mcp = new Server(
    { name: "pail", title: "pail object storage", version: options.version },
    {
      instructions: instructions(services, options),
      capabilities: { tools: {}, ...(readsObjects && { resources: {}, completions: {} }) },
      requestState: { verify: (state, context) => rounds.verify(state, context) },
    },
  );
  const running = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    const over = () => running.delete(work);
    running.add(work);
    work.then(over, over);
    return work;
  };

  const offered = new Map(
    TOOLS.filter((tool) => offers(options.policy, tool)).map((tool) => [
      tool.name,
      offer(tool, services.aliases, options.readLimit),
    ]),
  );
  mcp.setRequestHandler("tools/list", () => ({
    tools: [...offered.values()].map(({ listing }) => listing),
  }));
  mcp.setRequestHandler("tools/call", (request, context) => {
    const { name, arguments: args = {} } = request.params;
    const seal = (answers: Earlier) => rounds.mint(answers, context);
    const mine = { name, args, context, offered: offered.get(name), seal };
    return track(answerCall({ ...mine, services, options, mcp, flights }));
  });
  // Another way to the same bytes, so it is open only when that one is.
  if (readsObjects) {
    registerObjects(mcp, services, options, {
      track,
      onSent: (id, done) => flights.onSent(id, done),
    });
  }
  return {
    mcp,
    isBusy: () => running.size > 0,
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

interface Incoming {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly context: ServerContext;
  /** Undefined for a tool that is not offered. */
  readonly offered: Offered | undefined;
  readonly services: Services;
  readonly options: ServerOptions;
  readonly mcp: Server;
  readonly flights: Flights;
  seal(answers: Earlier): Promise<string>;
}

/**
 * Runs a call to its result. Where it needs an answer from a person, the client is asked in its
 * protocol's way, and the call is run again with the answer.
 */
async function answerCall(incoming: Incoming): Promise<CallToolResult | InputRequiredResult> {
  const { name, context, options, mcp } = incoming;
  const { log, redact } = options;
  const started = performance.now();
  const took = () => `${Math.round(performance.now() - started)} ms`;
  const audit = (outcome: string, undo: unknown) => {
    const { alias = incoming.services.aliases[0] } = incoming.args;
    try {
      options.audit?.({
        tool: name,
        alias: String(alias),
        args: incoming.args,
        outcome,
        ...(typeof undo === "string" ? { undo } : {}),
        ...(answers.size > 0 ? { answers: [...answers.values()].map(spoken) } : {}),
        ms: Math.round(performance.now() - started),
      });
    } catch (error) {
      log.error(`the audit log cannot be written: ${String(error)}`);
    }
  };
  const answers = new Map<string, Answer>([
    ...Object.entries(context.mcpReq.requestState<Earlier>() ?? {}),
    ...(Object.entries(context.mcpReq.inputResponses ?? {}) as [string, Answer][]),
  ]);
  try {
    for (;;) {
      try {
        const result = encode(await runTool(incoming, answers));
        log.debug(`${name}: done in ${took()}`);
        audit(result.isError ? "failed" : "done", undoOf(result));
        return result;
      } catch (error) {
        if (!(error instanceof Question)) throw error;
        if (answers.size >= MAX_QUESTIONS) throw tooManyQuestions(error);
        const params = form(redact(error.text));
        if (context.mcpReq.envelope !== undefined) {
          return inputRequired({
            inputRequests: { [error.id]: inputRequired.elicit(params) },
            requestState: await incoming.seal(Object.fromEntries(answers)),
          });
        }
        const timeout = { timeout: ANSWER_TIMEOUT_MS, signal: context.mcpReq.signal };
        answers.set(
          error.id,
          await mcp
            .elicitInput(params, { ...timeout, relatedRequestId: context.mcpReq.id })
            .catch(cannotAsk),
        );
      }
    }
  } catch (error) {
    const result = errorResult(error, redact);
    const text = result.content[0]?.text.split("\n", 1)[0];
    const { aborted } = context.mcpReq.signal;
    log.info(`${name}: ${aborted ? "cancelled" : text} after ${took()}`);
    if (result.structuredContent.error.kind === "bug") logStack(log, error);
    audit(aborted ? "cancelled" : result.structuredContent.error.code, undefined);
    return result;
  }
}

function undoOf({ structuredContent }: CallToolResult): unknown {
  return (structuredContent as { readonly undo?: unknown } | undefined)?.undo;
}

/** The answer of a person, in a word. */
function spoken({ action, content }: Answer): string {
  return action === "accept" ? (content?.["confirm"] === true ? "yes" : "no") : action;
}

async function runTool(incoming: Incoming, answers: ReadonlyMap<string, Answer>) {
  const { name, offered, context, services, options, mcp, flights } = incoming;
  if (offered === undefined) throw unknownTool(name);
  const { tool, schema, input } = offered;
  const args = parseArguments(
    schema,
    Object.keys(input.properties ?? {}),
    understood(incoming.args, input),
  );
  const call = createCall(services, options, {
    tool: name,
    alias: args["alias"] as string | undefined,
    signal: context.mcpReq.signal,
    canAsk: canAsk(capabilities(context, mcp)),
    answers,
    onSent: (done) => flights.onSent(context.mcpReq.id, done),
    notify: notifier(context, options),
  });
  return tool.handler(args, call);
}

/** From the connection's opening or, in the newer protocol, from the request itself. */
function capabilities({ mcpReq: { envelope } }: ServerContext, mcp: Server) {
  if (envelope === undefined) return mcp.getClientCapabilities();
  return (envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities })[
    CLIENT_CAPABILITIES_META_KEY
  ];
}

/** Whether a client shows forms; an empty declaration is from before there was anything else. */
function canAsk(declared: ClientCapabilities | undefined): boolean {
  const elicitation = declared?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

function form(message: string): ElicitRequestFormParams {
  return {
    mode: "form",
    message,
    requestedSchema: {
      type: "object",
      properties: { confirm: { type: "boolean", title: "Yes, do it", default: false } },
      required: ["confirm"],
    },
  };
}

function cannotAsk(error: unknown): never {
  throw new AppError({
    kind: "denied",
    code: "ConfirmationFailed",
    message: `not done; the client could not ask the person: ${error instanceof Error ? error.message : String(error)}`,
    hint: "ask the person to start the server with --confirm token, if this client cannot show questions",
    cause: error,
  });
}

function tooManyQuestions({ text }: Question): AppError {
  return conflictError(
    "PlanChanged",
    `not done; what the person was asked about kept changing. Last: ${text}`,
    "try again when nothing else writes there",
  );
}

function unknownTool(name: string): AppError {
  return usageError(
    "UnknownTool",
    `there is no tool ${name.slice(0, 100)}, or this server was started without it`,
    "see tools/list",
  );
}

function encode({ text, structured, content = [], failed }: ToolResult): CallToolResult {
  const result: CallToolResult = {
    content: [{ type: "text", text }, ...content.map((item) => ({ ...item }))],
    ...(structured === undefined ? {} : { structuredContent: { ...structured } }),
    ...(failed ? { isError: true } : {}),
  };
  // The longest JSON form of a text is six times as long; only what may be too long is measured.
  const may = structured !== undefined || text.length * 6 > MAX_RESULT_BYTES || content.length > 0;
  if (!may || Buffer.byteLength(JSON.stringify(result)) <= MAX_RESULT_BYTES) return result;
  throw usageError(
    "ResultTooLarge",
    "the answer is larger than a client takes",
    "ask for fewer entries or a smaller max_content_size",
  );
}

function notifier({ mcpReq }: ServerContext, { log, redact }: ServerOptions) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (note: { progress: number; total?: number; message?: string }) => {
    mcpReq
      .notify({ method: "notifications/progress", params: { ...note, progressToken } })
      .catch((error: unknown) => log.debug(`progress was not sent: ${redact(String(error))}`));
  };
}
