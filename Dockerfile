# One image for the API (with the UI) and the worker; docker-compose.yml says which it is.
ARG NODE_IMAGE=node:20-trixie-slim
ARG PYTHON_IMAGE=python:3.13-slim-trixie
FROM $NODE_IMAGE AS ui
WORKDIR /src/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --no-fund --no-audit
COPY frontend/ ./
RUN npm run build

FROM $PYTHON_IMAGE
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app
COPY requirements.lock ./
RUN pip install --require-hashes -r requirements.lock
COPY backend/pyproject.toml backend/README.md ./backend/
COPY backend/src ./backend/src
COPY samples ./backend/src/pileup/bundled/samples
COPY --from=ui /src/frontend/dist ./backend/src/pileup/bundled/ui
RUN pip install --no-deps --no-build-isolation ./backend && rm -rf backend

RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data pileup \
    && install -d -o pileup -g pileup -m 0700 /data
ENV HOME=/data \
    PILEUP_HOME=/data \
    PILEUP_HOST=0.0.0.0 \
    PILEUP_PORT=8400
USER pileup
VOLUME /data
EXPOSE 8400
CMD ["pileup", "serve"]
