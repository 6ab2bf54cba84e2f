/**
 * The contract on another vendor's server, when one is named:
 * `PAIL_TEST_ENDPOINT=http://KEY:SECRET@127.0.0.1:9000`, with what it is known to lack in
 * `PAIL_TEST_LACKS`, separated by commas.
 */
import { describe, it } from "vitest";

import { clientFor } from "../support/client.js";
import { newBucket } from "./bucket-place.js";
import { bucketContract } from "./bucket.js";
import { type Lack, contract } from "./storage.js";

const { PAIL_TEST_ENDPOINT: given, PAIL_TEST_LACKS: lacking = "" } = process.env;

if (given === undefined) {
  describe("another vendor's server", () => {
    it.skip("PAIL_TEST_ENDPOINT is not set", () => undefined);
  });
} else {
  const url = new URL(given);
  const client = clientFor({
    endpoint: url.origin,
    credentials: {
      accessKeyId: decodeURIComponent(url.username),
      secretAccessKey: decodeURIComponent(url.password),
    },
  });
  const lacks = lacking.split(",").filter((word) => word !== "") as Lack[];
  contract(url.host, () => newBucket(client), { lacks });
  bucketContract(url.host, () => newBucket(client), { lacks, reachable: true });
}
