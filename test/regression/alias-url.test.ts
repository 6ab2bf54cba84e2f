/** Everything in an alias's URL is shown, so a secret must not be in it. */
import { expect, it } from "vitest";

import { createHome } from "../support/run.js";

it("alias set takes no key pair inside the URL, and does not repeat it", async () => {
  const home = createHome({ here: true });
  try {
    const url = "http://KEY:TOPSECRET@127.0.0.1:9";
    const made = await home.pail(["alias", "set", "x", url, "KEY", "OTHER", "--no-check"]);
    expect(made).toMatchObject({ code: 2 });
    const listed = await home.pail(["alias", "list", "--json"]);
    expect(made.stdout + made.stderr + listed.stdout).not.toContain("TOPSECRET");
  } finally {
    home.remove();
  }
});
