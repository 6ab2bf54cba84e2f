# The MCP server in a container: docker run --rm -i -v "$PWD:/data" pail
#
# Strict about local files: tools read and write in /data only, which is the working directory.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY bin ./bin
COPY scripts ./scripts
COPY src ./src
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
# The embedded store, for when no endpoint is given; mount a volume there to keep it.
ENV NODE_ENV=production PAIL_STORE_DIR=/store
RUN mkdir /data /store && chown node:node /data /store
USER node
WORKDIR /data
# A first start compiles, and keeps what it compiled for every later one.
RUN node /app/bin/run.js mcp serve --log-level warn < /dev/null
ENTRYPOINT ["node", "/app/bin/run.js", "mcp", "serve", "--allow-dir", "/data"]
