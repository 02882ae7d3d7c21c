# The image of docker-compose.yml: web, worker and beat are the same code.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN useradd --system --create-home --home-dir /srv/kbpo kbpo
WORKDIR /srv/kbpo/app

COPY requirements/runtime.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/runtime.txt

COPY . .
# A lock with hashes takes no local folder.
RUN pip install --no-cache-dir --no-index --no-deps --no-build-isolation ./client
# Collecting static files needs the production settings' names for them, and none of their values.
RUN DEBUG=0 \
    SECRET_KEY=build-only-Zt7mQx2vLp9RkW4cYb8NfH3jDs6GaE1uKo5TiVwBn \
    ALLOWED_HOSTS=localhost \
    SITE_URL=https://localhost \
    DATABASE_URL=postgres://localhost/none \
    REDIS_URL=redis://localhost \
    TRUSTED_PROXIES=127.0.0.1 \
    EMAIL_URL=smtp://localhost \
    python manage.py collectstatic --noinput --verbosity 0 \
    && mkdir -p /srv/kbpo/var && chown kbpo /srv/kbpo/var

USER kbpo
VOLUME /srv/kbpo/var
EXPOSE 8000
CMD ["gunicorn", "--config", "python:kbpo.web_server", "kbpo.wsgi"]
