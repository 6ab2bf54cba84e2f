/** Transfers killed at requests between the first and those that `test/e2e` kills at. */
import { killedTransfers } from "../support/killed-transfers.js";

killedTransfers([3, 6, 8, 9]);
