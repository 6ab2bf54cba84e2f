/**
 * Self-signed certificates for tests, made without any program: X.509 v3 (RFC 5280) in DER by
 * hand, signed with ECDSA by node:crypto.
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

type Bytes = Buffer | readonly Buffer[];

function tlv(tag: number, content: Bytes): Buffer {
  const body = Buffer.isBuffer(content) ? content : Buffer.concat(content);
  const size = body.length;
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...items: Buffer[]): Buffer => tlv(0x30, items);
const set = (...items: Buffer[]): Buffer => tlv(0x31, items);
const integer = (bytes: Buffer): Buffer => tlv(0x02, bytes);
const octets = (bytes: Buffer): Buffer => tlv(0x04, bytes);
const bits = (bytes: Buffer): Buffer => tlv(0x03, [Buffer.from([0]), bytes]);
const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text, "utf8"));
const explicit = (number: number, item: Buffer): Buffer => tlv(0xa0 | number, item);
const TRUE = tlv(0x01, Buffer.from([0xff]));

/** The parts of an object identifier below 2^14, which all of these are. */
function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const encoded = rest.flatMap((part) => {
    const groups = [part & 0x7f];
    for (let high = part >> 7; high > 0; high >>= 7) groups.unshift((high & 0x7f) | 0x80);
    return groups;
  });
  return tlv(0x06, Buffer.from([first * 40 + second, ...encoded]));
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/\D/g, "").slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`, "latin1"));
}

export interface Certificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

/** A certificate for 127.0.0.1 and localhost that is its own authority, good for an hour. */
export function selfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid("1.2.840.10045.4.3.2")); // ecdsa-with-SHA256
  const name = sequence(set(sequence(oid("2.5.4.3"), utf8("pail test"))));
  const now = Date.now();
  const extension = (id: string, value: Buffer, ...critical: Buffer[]): Buffer =>
    sequence(oid(id), ...critical, octets(value));
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))), // v3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(new Date(now - 60_000)), time(new Date(now + 3_600_000))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(
      3,
      sequence(
        extension("2.5.29.19", sequence(TRUE), TRUE), // basicConstraints: an authority
        extension(
          "2.5.29.17", // subjectAltName: an address and a name
          sequence(tlv(0x87, Buffer.from([127, 0, 0, 1])), tlv(0x82, Buffer.from("localhost"))),
        ),
      ),
    ),
  );
  const der = sequence(body, algorithm, bits(sign("sha256", body, privateKey)));
  const lines = der.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
