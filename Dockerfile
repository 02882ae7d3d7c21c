# The images of docker-compose.yml: service (web, worker, mailer and beat are the same code) and proxy.

FROM python:3.11-slim AS libraries
RUN python -m venv /srv/kbpo/venv
ENV PATH=/srv/kbpo/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements/runtime.txt /tmp/
RUN pip install --no-cache-dir --require-hashes -r /tmp/runtime.txt
# The packages in client/ are imported from the service's folder.
RUN echo /srv/kbpo/app/client > "$(python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/kbpo-client.pth"

FROM python:3.11-slim AS service
ENV PATH=/srv/kbpo/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN useradd --system --uid 10001 --create-home --home-dir /srv/kbpo/home kbpo \
    && mkdir /srv/kbpo/var && chown kbpo /srv/kbpo/var
COPY --from=libraries /srv/kbpo/venv /srv/kbpo/venv
WORKDIR /srv/kbpo/app
# .dockerignore lets in what runs, and nothing else.
COPY . .
# Collecting static files needs the production settings' names for them, and none of their values.
RUN DEBUG=0 \
    SECRET_KEY=build-only-Zt7mQx2vLp9RkW4cYb8NfH3jDs6GaE1uKo5TiVwBn \
    ALLOWED_HOSTS=localhost \
    SITE_URL=https://localhost \
    DATABASE_URL=postgres://localhost/none \
    REDIS_URL=redis://localhost \
    TRUSTED_PROXIES=127.0.0.1 \
    EMAIL_URL=smtp://localhost \
    python manage.py collectstatic --noinput --verbosity 0
USER kbpo
VOLUME /srv/kbpo/var
EXPOSE 8000
CMD ["gunicorn", "--config", "python:kbpo.web_server", "kbpo.wsgi"]

FROM nginx:1.28 AS proxy
RUN apt-get update \
    && apt-get install --yes --no-install-recommends certbot curl openssl \
    && rm -rf /var/lib/apt/lists/*
COPY proxy/nginx.conf /etc/kbpo/
COPY proxy/away.html proxy/away.json proxy/large.txt /srv/pages/
COPY --from=service /srv/kbpo/app/staticfiles /srv/static
COPY --chmod=755 proxy/run.sh /usr/local/bin/run-proxy
EXPOSE 80 443
ENTRYPOINT ["run-proxy"]
CMD []
