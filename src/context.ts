/**
 * The composition root: environment and config file in, everything a face needs out. The only
 * file that knows both the core and the embedded store.
 */
import { credentialProvider } from "./core/config/credentials.js";
import { readConfig, updateConfig } from "./core/config/file.js";
import { withProfileRegion } from "./core/config/profile-region.js";
import { type Directories, directories } from "./core/config/paths.js";
import { LOCAL_ALIAS, listAliases, resolveAlias } from "./core/config/resolve.js";
import { rememberWith } from "./core/config/remember.js";
import type { AliasConfig, ConfigFile, ResolvedAlias } from "./core/config/types.js";
import type { SignedClient } from "./core/http/client.js";
import { createSignedClient } from "./core/http/signed-client.js";
import { bucketService } from "./core/storage/buckets.js";
import type { BucketService, BucketStorage } from "./core/storage/s3-types.js";
import { openBucket } from "./core/storage/s3.js";
import type { Store } from "./store/index.js";

export type { Checked } from "./store/check.js";
export type { Answered } from "./store/handler.js";

export interface Context {
  readonly env: NodeJS.ProcessEnv;
  readonly directories: Directories;

  /** Every alias that can be named, sorted: the file's, the environment's, `local`. */
  aliases(): Promise<ResolvedAlias[]>;
  /** The names alone; needs no credential. */
  aliasNames(): Promise<Set<string>>;
  /** Throws UnknownAlias, with a suggestion. */
  alias(name: string): Promise<ResolvedAlias>;
  /** Adds or replaces an alias in the file. */
  saveAlias(name: string, alias: AliasConfig): Promise<void>;
  /** Throws UnknownAlias when the file has none of that name. */
  removeAlias(name: string): Promise<void>;
  config(): Promise<ConfigFile>;
  updateConfig(change: (config: ConfigFile) => ConfigFile): Promise<void>;
  /** Reads the file again: another process may have changed it. */
  reload(): Promise<void>;

  /** The signed client of a configured alias; one a name. */
  client(alias: string): Promise<SignedClient>;
  /** A signed client for an alias that is not, or not yet, in the file. */
  connect(alias: ResolvedAlias): Promise<SignedClient>;
  buckets(alias: string): Promise<BucketService>;
  bucket(alias: string, bucket: string): Promise<BucketStorage>;
  /** The embedded store behind the alias `local`. */
  store(): Promise<Store>;
  /** Closes pooled connections. */
  close(): void;
}

/**
 * Makes a context. `env` is read here and nowhere else in the core. `onTrace` gets the requests and
 * answers of every client, without secrets, as lines to show.
 */
export function createContext(
  env: NodeJS.ProcessEnv,
  onTrace?: (lines: readonly string[]) => void,
): Context {
  const dirs = directories(env);
  const clients = new Map<string, Promise<SignedClient>>();
  /** Every client ever made, for the end: what runs on one that was replaced still runs. */
  const opened = new Set<Promise<SignedClient>>();
  let file: Promise<ConfigFile> | undefined;
  let store: Promise<Store> | undefined;

  const config = () => (file ??= readConfig(dirs.configFile));
  const change = async (edit: (config: ConfigFile) => ConfigFile) => {
    await updateConfig(dirs.configFile, edit);
    file = undefined;
  };
  const openStore = () =>
    (store ??= import("./store/index.js").then(({ createStore }) =>
      createStore({ directory: dirs.store }),
    ));

  const connect = async (alias: ResolvedAlias) => {
    const wrap = onTrace && (await import("./core/http/trace.js")).tracing(onTrace);
    if (alias.origin !== "built-in") {
      return createSignedClient({
        alias: await withProfileRegion(alias, env),
        credentials: credentialProvider(alias, env),
        env,
        wrap,
        onLearnt: rememberWith(alias, change),
      });
    }
    const { handler, keys } = await openStore();
    return createSignedClient({ alias, credentials: () => keys.first(), env, handler, wrap });
  };

  const context: Context = {
    env,
    directories: dirs,
    aliases: async () => listAliases(env, await config()),
    aliasNames: async () => new Set(listAliases(env, await config()).map(({ name }) => name)),
    alias: async (name) => resolveAlias(name, env, await config()),
    saveAlias: (name, alias) => {
      clients.delete(name);
      return change((old) => ({ ...old, aliases: { ...old.aliases, [name]: alias } }));
    },
    removeAlias: async (name) => {
      clients.delete(name);
      await change(({ aliases: { [name]: _removed, ...aliases }, ...rest }) => ({
        ...rest,
        aliases,
      }));
    },
    config,
    updateConfig: change,
    reload: async () => {
      const before = JSON.stringify(await config().catch(() => undefined));
      file = undefined;
      if (JSON.stringify(await config()) !== before) clients.clear();
    },
    client: (name) => {
      const known = clients.get(name);
      if (known !== undefined) return known;
      const made = context.alias(name).then(connect);
      clients.set(name, made);
      opened.add(made);
      made.catch(() => clients.delete(name));
      return made;
    },
    connect,
    buckets: async (alias) => bucketService(await context.client(alias)),
    bucket: async (alias, bucket) => openBucket(await context.client(alias), bucket),
    store: openStore,
    close: () => {
      for (const client of opened) {
        client.then(
          (open) => open.close(),
          () => undefined,
        );
      }
    },
  };
  return context;
}

export { LOCAL_ALIAS };
