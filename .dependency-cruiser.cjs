/** The directions of ARCHITECTURE.md, enforced. */
module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-knows-no-face",
      severity: "error",
      from: { path: "^src/core" },
      to: {
        path: [
          "^src/(commands|cli|text|tui|mcp|store)",
          "^src/context",
          "node_modules/(@oclif|ink|react|cli-progress|@modelcontextprotocol)/",
        ],
      },
    },
    {
      name: "store-knows-only-protocol",
      severity: "error",
      from: { path: "^src/store" },
      to: { path: "^(src/(?!store|protocol|system)|node_modules/)" },
    },
    {
      name: "system-is-a-leaf",
      severity: "error",
      from: { path: "^src/system" },
      to: { path: "^(src/(?!system)|node_modules/)" },
    },
    {
      name: "text-is-a-leaf",
      severity: "error",
      from: { path: "^src/text" },
      to: { path: "^src/(?!text|core)" },
    },
    {
      name: "protocol-is-a-leaf",
      severity: "error",
      from: { path: "^src/protocol" },
      to: { path: "^src/(?!protocol)" },
    },
    {
      name: "only-context-knows-core-and-store",
      severity: "error",
      from: { path: "^src/(commands|cli|tui|mcp)", pathNot: "^src/commands/serve" },
      to: { path: "^src/store" },
    },
    {
      name: "cli-knows-no-other-face",
      severity: "error",
      from: { path: "^src/cli" },
      to: { path: "^src/(commands|tui|mcp)" },
    },
    {
      name: "tui-and-mcp-know-no-command",
      severity: "error",
      from: { path: "^src/(tui|mcp)" },
      to: { path: ["^src/(commands|cli)", "node_modules/@oclif/"] },
    },
    {
      // Every package is a build-time one, since the bundle holds it: these are for tests and checks.
      name: "product-uses-no-tool",
      severity: "error",
      from: { path: "^src" },
      to: {
        path: "node_modules/(?:vitest|fast-check|esbuild|oclif|knip|publint|typescript|js-tiktoken|@lydell|@xterm|@modelcontextprotocol/sdk)/",
      },
    },
    {
      name: "product-uses-what-the-package-names",
      severity: "error",
      from: { path: "^src" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
