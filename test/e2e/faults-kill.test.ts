/** Transfers killed at their first request and well under way; `test/long` kills at others. */
import { killedTransfers, LAST_INSTANT } from "../support/killed-transfers.js";

killedTransfers([1, LAST_INSTANT]);
