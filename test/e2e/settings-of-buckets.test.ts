/** Settings of buckets, from the shell: ilm, cors, policy, anonymous, and unsupported ones. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { createHome, finish, type Home } from "../support/run.js";

let home: Home;
beforeAll(async () => {
  home = createHome({ here: true });
  expect((await home.pail(["mb", "local/demo"])).code).toBe(0);
});
afterAll(() => home.remove());

// A document is read from the true stdin, which only a process of its own has.
const pail = (line: string, stdin?: string) =>
  stdin === undefined ? home.pail(line.split(" ")) : finish(home.start(line.split(" ")), stdin);

test("lifecycle rules: 21, lifecycle from the client", async () => {
  await pail("ilm add local/demo --id logs --prefix logs/ --expire-days 30");
  const tidy = await pail("ilm add local/demo --id tidy --noncurrent-days 3 --tag a=b");
  expect(tidy.stdout).toBe("tidy  a=b: older versions go after 3 days\n");
  const again = await pail("ilm add local/demo --id logs --expire-days 1");
  expect(again).toMatchObject({ code: 5, stdout: "" });
  expect((await pail("ilm drop local/demo --id tidy")).code).toBe(0);
  expect((await pail("ilm drop local/demo --id tidy")).code).toBe(3);
  expect((await pail("ilm list local/demo")).stdout).toBe("logs  logs/: expires after 30 days\n");
  const nothing = await pail("ilm add local/demo --prefix x/");
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining("--expire-days") });
});

test("a setting that a service did not accept is an error that names it", async () => {
  const Rules = [{ ID: "x", Status: "Enabled", Filter: {}, Expiration: { Days: 1, Hours: 2 } }];
  const set = await pail("ilm set local/demo -", JSON.stringify({ Rules }));
  expect(set.code).toBe(7);
  expect(set.stderr).toContain("without Rules[0].Expiration.Hours");
  expect(await pail("ilm set local/demo -", "{}")).toMatchObject({ code: 2 });
  expect(await pail("ilm set local/demo -", "{")).toMatchObject({ code: 2 });
  expect(await pail("ilm set local/demo")).toMatchObject({ code: 2 });
  const lock = await pail("lock set local/demo --mode governance --for 30d");
  expect(lock).toMatchObject({ code: 2, stderr: expect.stringContaining("object lock") });
});

test("everybody may read below a prefix, and the rest of the policy stays", async () => {
  const other = {
    Version: "2012-10-17",
    Statement: [
      {
        Sid: "Mine",
        Effect: "Allow",
        Principal: "*",
        Action: "s3:GetObject",
        Resource: "arn:aws:s3:::demo/a/*",
      },
    ],
  };
  expect(await pail("policy set local/demo -", JSON.stringify(other))).toMatchObject({ code: 0 });
  expect((await pail("anonymous set download local/demo/web/")).stdout).toMatch(/web\/: download/);
  expect((await pail("anonymous get local/demo/web/")).stdout).toMatch(/download/);
  expect((await pail("anonymous get local/demo/")).stdout).toMatch(/none/);
  const both = JSON.parse((await pail("policy get local/demo --json")).stdout) as object;
  expect(both).toMatchObject({ value: { Statement: [{ Sid: "Mine" }, { Effect: "Allow" }] } });
  await pail("anonymous set none local/demo/web/");
  const left = JSON.parse((await pail("policy get local/demo")).stdout) as object;
  expect(left).toEqual(other);
  expect(await pail("anonymous set all local/demo")).toMatchObject({ code: 2 });
});
