/**
 * `node bench/delay.mjs PORT TARGET RTT WINDOW`: a line between PORT and the server at port TARGET,
 * both here, with a round trip of RTT milliseconds. A connection costs a round trip, as a handshake
 * does, and has at most WINDOW bytes under way in each direction: bytes that arrived make room half
 * a round trip later. The line itself is as wide as this machine is quick.
 */
import { connect, createServer } from "node:net";

const [port, target, rtt, window] = process.argv.slice(2).map(Number);
const half = rtt / 2;
/** At most this much is read at once, so that a window of any size is filled. */
const CHUNK = 64 * 1024;

const server = createServer(
  { allowHalfOpen: true, noDelay: true, highWaterMark: CHUNK },
  (near) => {
    const options = { port: target, host: "127.0.0.1", allowHalfOpen: true, noDelay: true };
    const far = connect({ ...options, highWaterMark: CHUNK });
    const open = performance.now() + rtt;
    carry(near, far, open);
    carry(far, near, open);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      one.on("error", () => other.destroy());
      one.on("close", (failed) => failed && other.destroy());
    }
  },
);
server.listen(port, "127.0.0.1");

/** Carries bytes from one end to the other, each chunk half a round trip after it came. */
function carry(from, to, open) {
  let underWay = 0;
  const arrive = inTime();
  const acknowledge = inTime();
  const arrival = () => Math.max(performance.now(), open) + half;
  from.on("data", (chunk) => {
    underWay += chunk.length;
    if (underWay >= window) from.pause();
    arrive(arrival(), () => {
      to.write(chunk);
      acknowledge(performance.now() + half, () => {
        underWay -= chunk.length;
        if (underWay < window) from.resume();
      });
    });
  });
  from.on("end", () => arrive(arrival(), () => to.end()));
}

/** Does one thing after the other, each at its time; the times must be given in order. */
function inTime() {
  const waiting = [];
  const next = () => {
    while (waiting.length > 0 && waiting[0].at <= performance.now()) waiting.shift().act();
    if (waiting.length > 0) setTimeout(next, Math.max(1, waiting[0].at - performance.now()));
  };
  return (at, act) => {
    waiting.push({ at, act });
    if (waiting.length === 1) setTimeout(next, Math.max(1, at - performance.now()));
  };
}
