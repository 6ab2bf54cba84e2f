#!/usr/bin/env node
// Process-level policy, set before anything is loaded.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
process.env.NODE_ENV ??= "production";

const { execute } = await import("@oclif/core");
await execute({ dir: import.meta.url });
