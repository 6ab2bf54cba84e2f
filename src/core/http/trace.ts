/** Requests and answers as they were on the wire, for somebody to read: all but what is secret. */
import type { HttpHandler } from "../../protocol/message.js";

type Headers = Readonly<Record<string, string>>;

/** Makes what goes around a handler; `say` gets the lines of one message at a time. */
export function tracing(say: (lines: readonly string[]) => void) {
  let count = 0;
  return (handler: HttpHandler): HttpHandler =>
    async (request, handling) => {
      const number = (count += 1);
      const { method, origin, path, query, headers } = request;
      const url = `${origin}${path}${query === "" ? "" : `?${query}`}`;
      say([`> ${number} ${method} ${withoutSecrets(url)}`, ...headerLines(">", number, headers)]);
      const started = performance.now();
      const spent = () => `${Math.round(performance.now() - started)} ms`;
      try {
        const answer = await handler(request, handling);
        const lines = headerLines("<", number, answer.headers);
        say([`< ${number} ${answer.status} after ${spent()}`, ...lines]);
        return answer;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        say([`< ${number} no answer after ${spent()}: ${JSON.stringify(why)}`]);
        throw error;
      }
    };
}

/** Headers that are a secret, or from which one follows. */
const SECRET = /(?:security-token|customer-key|customer-key-md5|cookie)$/;

function headerLines(sign: string, number: number, headers: Headers): string[] {
  return Object.entries(headers).map(([name, value]) => {
    const shown = SECRET.test(name) ? "***" : withoutSecrets(value);
    return `${sign} ${number} ${name}: ${JSON.stringify(shown).slice(1, -1)}`;
  });
}

/** A signature lets others repeat the request; half of the credentials may stand in an address. */
function withoutSecrets(text: string): string {
  return text
    .replaceAll(/(Signature=)[\w%+/=-]+/gi, "$1***")
    .replaceAll(/((?:Security-Token|AWSAccessKeyId)=)[^&]+/gi, "$1***");
}
