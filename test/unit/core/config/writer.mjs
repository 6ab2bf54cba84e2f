// Adds ten aliases to a config file, one after the other; run by file.test.ts in several processes.
const [, , module, path, name] = process.argv;
const { updateConfig } = await import(module);
for (let index = 0; index < 10; index++) {
  await updateConfig(path, (config) => ({
    ...config,
    aliases: { ...config.aliases, [`${name}${index}`]: { url: "http://h" } },
  }));
}
