/** Aliases and settings as the config file keeps them and as the rest of pail sees them. */
import type { ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { Dialect } from "../../protocol/dialect.js";

/** The variables of an environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The proof of an upload: a checksum header, the SHA-256 in the signature, or nothing. */
export type UploadChecksum = ChecksumAlgorithm | "signed" | "none";

/** Whether reads ask for checksums: `off` where the service refuses to be asked. */
export type ChecksumMode = "off";

/** The findings about an endpoint, kept with its alias. */
export interface Learnt {
  readonly checksum?: UploadChecksum | undefined;
  readonly checksumMode?: ChecksumMode | undefined;
}

/** An alias as written in the file; every field but the URL may be absent. */
export interface AliasConfig extends Learnt {
  readonly url: string;
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly sessionToken?: string | undefined;
  readonly region?: string | undefined;
  /** `auto` uses virtual hosts for amazonaws.com and paths elsewhere. Default auto. */
  readonly pathStyle?: "auto" | "on" | "off" | undefined;
  /** A preset's name or the four words. Default `aws`. */
  readonly dialect?: string | Dialect | undefined;
  /** PEM file of certificate authorities to trust for this endpoint, besides the system's. */
  readonly caFile?: string | undefined;
  /** Accepts any certificate. */
  readonly insecure?: boolean | undefined;
  /**
   * Where credentials come from: `static` (the two keys above), `chain` (environment, profile,
   * container, instance: the AWS SDK's standard sources), `anonymous`. Default static.
   */
  readonly credentials?: "static" | "chain" | "anonymous" | undefined;
  /** Profile for `chain`. */
  readonly profile?: string | undefined;
}

/** The config file, version 1. */
export interface ConfigFile {
  readonly version: 1;
  readonly aliases: Readonly<Record<string, AliasConfig>>;
  /** Settings of the console: key bindings, theme. */
  readonly tui?: Readonly<Record<string, unknown>> | undefined;
}

/** Where a value came from, for messages: `flag --region`, `AWS_REGION`, `config.json`, `default`. */
export type Origin = string;

/** An alias with every default filled in. */
export interface ResolvedAlias extends Learnt {
  readonly name: string;
  readonly url: URL;
  readonly region: string;
  /** Set when `region` is a mere default and the alias's AWS profile may know better. */
  readonly regionUnknown?: true | undefined;
  readonly pathStyle: "auto" | "on" | "off";
  readonly dialect: Dialect;
  readonly credentials: "static" | "chain" | "anonymous";
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly sessionToken?: string | undefined;
  readonly profile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly insecure: boolean;
  /** Where the alias itself came from. */
  readonly origin: Origin;
}
