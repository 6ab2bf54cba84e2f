# One image that is the client, the MCP server and the store, by its command:
#
# docker run --rm -v pail:/store pail ls local
# docker run --rm -i -v "$PWD:/data" pail mcp serve --allow-dir /data
# docker run --rm -p 9000:9000 -e PAIL_ROOT_USER=dev -e PAIL_ROOT_PASSWORD=dev-secret -v pail:/store \
#   pail serve --address 0.0.0.0:9000
#
# /data is the working directory; /store holds the embedded store, /config the aliases.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY oclif.manifest.json tsconfig.json ./
COPY bin ./bin
COPY scripts ./scripts
COPY src ./src
RUN npm run build && rm -r dist/commands dist/shared

FROM node:22-bookworm-slim
# The registry of MCP servers knows an image by the first of these.
LABEL io.modelcontextprotocol.server.name="io.github.pail-cli/pail" \
  org.opencontainers.image.title="pail" \
  org.opencontainers.image.description="Object-storage client, MCP server and embedded S3 store" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=build /app/package.json /app/oclif.manifest.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
RUN ln -s /app/bin/run.js /usr/local/bin/pail \
  && mkdir /data /store /config \
  && chown node:node /data /store /config
ENV NODE_ENV=production PAIL_STORE_DIR=/store PAIL_CONFIG_DIR=/config
# A number, which Kubernetes can tell from root; the image's user "node" has it.
USER 1000
WORKDIR /data
# A first start compiles, and keeps what it compiled for every later one.
RUN pail mcp serve --log-level warn < /dev/null && pail ls > /dev/null
VOLUME ["/store", "/config"]
EXPOSE 9000
ENTRYPOINT ["pail"]
CMD ["--help"]
