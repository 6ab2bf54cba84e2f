# Two images: docker build --target serve gives the store, and a plain docker build the MCP server.
#
# docker run --rm -p 9000:9000 -e PAIL_ROOT_USER=dev -e PAIL_ROOT_PASSWORD=dev-secret -v pail:/store pail-serve
# docker run --rm -i -v "$PWD:/data" pail
#
# The MCP server is strict about local files: tools read and write in /data only, which is the
# working directory.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY bin ./bin
COPY scripts ./scripts
COPY src ./src
RUN npm run build && rm -r dist/commands dist/shared

FROM node:22-bookworm-slim AS base
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY oclif.manifest.json ./
# The embedded store, for when no endpoint is given; mount a volume there to keep it.
ENV NODE_ENV=production PAIL_STORE_DIR=/store
RUN mkdir /data /store && chown node:node /data /store
USER node
WORKDIR /data

FROM base AS serve
EXPOSE 9000
VOLUME /store
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:9000/_ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/run.js", "serve", "--address", "0.0.0.0:9000"]

FROM base
# The registry of MCP servers knows an image by this; mount a volume at /store to keep what is stored.
LABEL io.modelcontextprotocol.server.name="io.github.pail-cli/pail"
# A first start compiles, and keeps what it compiled for every later one.
RUN node /app/bin/run.js mcp serve --log-level warn < /dev/null
ENTRYPOINT ["node", "/app/bin/run.js", "mcp", "serve", "--allow-dir", "/data"]
