# Not tested by our own suite: it was written where no container runtime was at hand. Try it before you rely on it.
#
#   docker build -t service .
#   docker run --init -p 127.0.0.1:8080:8080 -v service-data:/data service
#
# With -e DATABASE_URL=postgres://… nothing but objects and the master key is kept in /data.
FROM node:24-bookworm-slim

WORKDIR /app

# The lockfile decides the versions. No package may need an install script.
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY cli/package.json cli/
COPY mcp/package.json mcp/
COPY dashboard/package.json dashboard/
RUN npm install --no-save --ignore-scripts --omit=dev --include=optional --no-audit --no-fund \
 && npm cache clean --force

COPY server server
COPY dashboard/dist dashboard/dist
COPY contract contract
COPY connector connector
COPY tools/bootstrap.mjs tools/

# The user `node` (uid 1000) comes with the image; PostgreSQL refuses to run as root.
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data

ENV NODE_ENV=production \
    SERVICE_HOST=0.0.0.0 \
    SERVICE_PORT=8080 \
    SERVICE_DATA_DIR=/data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Node directly, so that it gets the signals: there is nothing left to install here, so the bootstrap becomes the service at once.
CMD ["node", "tools/bootstrap.mjs", "server/src/main.ts", "serve"]
