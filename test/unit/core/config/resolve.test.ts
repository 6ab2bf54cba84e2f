import { describe, expect, it } from "vitest";

import { LOCAL_ALIAS, listAliases, resolveAlias } from "../../../../src/core/config/resolve.js";
import type { AliasConfig, ConfigFile } from "../../../../src/core/config/types.js";
import { AWS_DIALECT, GOOGLE_DIALECT } from "../../../../src/protocol/dialect.js";

const file = (aliases: Record<string, AliasConfig> = {}): ConfigFile => ({ version: 1, aliases });
const own = { url: "https://h:9000/base", accessKey: "a", secretKey: "s" };

describe("an alias", () => {
  it("has defaults for settings that the file leaves out", () => {
    expect(resolveAlias("mine", {}, file({ mine: own }))).toEqual({
      name: "mine",
      url: new URL("https://h:9000/base"),
      region: "us-east-1",
      pathStyle: "auto",
      dialect: AWS_DIALECT,
      credentials: "static",
      accessKey: "a",
      secretKey: "s",
      sessionToken: undefined,
      profile: undefined,
      caFile: undefined,
      insecure: false,
      checksum: undefined,
      origin: "config.json",
    });
  });

  it("keeps the settings of the file", () => {
    const alias = { ...own, region: "eu-1", pathStyle: "off", dialect: "google", insecure: true };
    expect(resolveAlias("mine", {}, file({ mine: alias as AliasConfig }))).toMatchObject({
      region: "eu-1",
      pathStyle: "off",
      dialect: GOOGLE_DIALECT,
      insecure: true,
    });
  });

  it("of an unknown dialect is refused", () => {
    expect(() => resolveAlias("m", {}, file({ m: { ...own, dialect: "toString" } }))).toThrow(
      expect.objectContaining({ code: "UnknownDialect", kind: "usage" }),
    );
  });

  it("named local is built in, unless it is set", () => {
    expect(resolveAlias(LOCAL_ALIAS, {}, file())).toMatchObject({ origin: "built-in" });
    expect(resolveAlias(LOCAL_ALIAS, {}, file({ local: own }))).toMatchObject({
      origin: "config.json",
    });
    expect(resolveAlias(LOCAL_ALIAS, { MC_HOST_local: "http://a:b@h" }, file())).toMatchObject({
      origin: "MC_HOST_local",
    });
  });

  it.each([
    [{ secretKey: undefined }, "secret key"],
    [{ accessKey: "" }, "access key"],
    [{ accessKey: undefined, secretKey: undefined }, "key pair"],
  ])(
    "with half a key pair is refused, and the error says how to give the other half",
    (missing, what) => {
      expect(() => resolveAlias("mine", {}, file({ mine: { ...own, ...missing } }))).toThrow(
        expect.objectContaining({
          kind: "usage",
          code: "MissingCredentials",
          message: `the alias mine (config.json) has no ${what}`,
          hint: "pail alias set mine https://h:9000/base",
        }),
      );
    },
  );

  it("without keys is fine when it is anonymous or takes them from elsewhere", () => {
    const aliases = {
      open: { url: "http://h", credentials: "anonymous" },
      aws: { url: "https://s3.amazonaws.com", credentials: "chain", profile: "p" },
    } as const;
    expect(resolveAlias("open", {}, file(aliases)).credentials).toBe("anonymous");
    expect(resolveAlias("aws", {}, file(aliases))).toMatchObject({ profile: "p" });
  });

  it("that is unknown is refused, with the nearest one", () => {
    expect(() => resolveAlias("mien", {}, file({ mine: own }))).toThrow(
      expect.objectContaining({
        kind: "usage",
        code: "UnknownAlias",
        message: 'there is no alias "mien"',
        hint: "did you mean mine?",
      }),
    );
    expect(() => resolveAlias("faraway", {}, file({ mine: own }))).toThrow(
      expect.objectContaining({ hint: "pail alias set faraway URL" }),
    );
    // The alias of `s3://` is no misspelling, whatever else there is.
    expect(() => resolveAlias("aws", {}, file({ awx: own }))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("AWS_PROFILE") }),
    );
    expect(() => resolveAlias("constructor", {}, file())).toThrow(
      expect.objectContaining({ code: "UnknownAlias" }),
    );
  });
});

describe("the environment", () => {
  const resolve = (variable: string, value: string) =>
    resolveAlias(variable.replace(/^(?:PAIL|MC)_HOST_/, ""), { [variable]: value }, file());

  it.each([
    ["https://AK:SK@h:9000", "https://h:9000/", "AK", "SK", undefined],
    ["https://AK:s/e+c=r@t@h", "https://h/", "AK", "s/e+c=r@t", undefined],
    ["https://AK:SK:to:ken==@h", "https://h/", "AK", "SK", "to:ken=="],
    ["http://AK:S%4bK@h/base", "http://h/base", "AK", "S%4bK", undefined],
  ])("gives an alias in mc's form: %s", (value, url, accessKey, secretKey, sessionToken) => {
    const alias = resolve("MC_HOST_mine", value);
    expect(alias).toMatchObject({ origin: "MC_HOST_mine", accessKey, secretKey, sessionToken });
    expect(alias.url.href).toBe(url);
  });

  it("gives anonymous access when no keys stand before the host", () => {
    expect(resolve("PAIL_HOST_open", "https://h").credentials).toBe("anonymous");
  });

  it("wins over the file, and pail's variable over mc's", () => {
    const env = { MC_HOST_mine: "http://m:m@mc", PAIL_HOST_mine: "http://p:p@pail" };
    expect(resolveAlias("mine", env, file({ mine: own })).url.host).toBe("pail");
    const mc = { MC_HOST_mine: "http://m:m@mc" };
    expect(resolveAlias("mine", mc, file({ mine: own })).url.host).toBe("mc");
  });

  it("keeps upper and lower case apart", () => {
    const env = { MC_HOST_Mine: "http://a:b@h" };
    expect(resolveAlias("Mine", env, file()).url.host).toBe("h");
    expect(() => resolveAlias("mine", env, file())).toThrow("no alias");
  });

  it.each(["AK:SK@h", "ftp://a:b@h", "http://a:b@", "http://a:hunter2@h h"])(
    "that is no address (%s) is refused without repeating it",
    (value) => {
      let message = "";
      try {
        resolve("MC_HOST_mine", value);
      } catch (error) {
        expect(error).toMatchObject({ code: "BadHostVariable", kind: "usage" });
        message = (error as Error).message;
      }
      expect(message).toContain("MC_HOST_mine");
      expect(message).not.toContain("hunter2");
    },
  );

  it("with half a key pair is refused as in the file", () => {
    expect(() => resolve("MC_HOST_mine", "http://AK@h")).toThrow(
      expect.objectContaining({
        code: "MissingCredentials",
        hint: "export MC_HOST_mine=http://ACCESS_KEY:SECRET_KEY@h",
      }),
    );
  });

  it("changes only aliases that take their credentials from it", () => {
    const env = { AWS_REGION: "eu-1", AWS_ENDPOINT_URL: "http://elsewhere" };
    const aliases = {
      aws: { url: "https://s3.amazonaws.com", credentials: "chain" },
      set: { url: "https://s3.amazonaws.com", credentials: "chain", region: "eu-2" },
      own,
    } as const;
    expect(resolveAlias("aws", env, file(aliases))).toMatchObject({
      region: "eu-1",
      url: new URL("http://elsewhere"),
    });
    expect(resolveAlias("set", env, file(aliases)).region).toBe("eu-2");
    expect(() => resolveAlias("aws", { AWS_ENDPOINT_URL: "nowhere" }, file(aliases))).toThrow(
      expect.objectContaining({ kind: "usage", code: "BadEndpoint" }),
    );
    expect(resolveAlias("aws", { AWS_DEFAULT_REGION: "eu-3" }, file(aliases)).region).toBe("eu-3");
    expect(resolveAlias("own", env, file(aliases))).toMatchObject({
      region: "us-east-1",
      url: new URL(own.url),
    });
  });
});

describe("the list of aliases", () => {
  it("has those of the file, those of the environment and local, sorted, incomplete ones too", () => {
    const env = { MC_HOST_zed: "http://a:b@z", PAIL_HOST_bee: "http://b", OTHER: "x" };
    const list = listAliases(env, file({ mine: own, half: { url: "http://h", accessKey: "a" } }));
    expect(list.map(({ name }) => name)).toEqual(["bee", "half", "local", "mine", "zed"]);
  });

  it("ignores variables whose names hold no valid alias", () => {
    expect(listAliases({ "MC_HOST_a.b": "http://h", MC_HOST_: "http://h" }, file()).length).toBe(1);
  });
});
