"""From the site's address to a score, in a notebook."""

# %%
import os

os.environ.setdefault("KBPO_SITE", "http://localhost:8000")
assert "KBPO_TOKEN" in os.environ, "make a token on the site, and set KBPO_TOKEN to it"

# %%
from kbpo_client import Client, validate

site = Client()
[(one["tag"], one["task"], one["documents"]) for one in site.corpora()]

# %%
import gzip
import json
import zipfile

site.download_data("demo", "demo")
zipfile.ZipFile("demo/kit.zip").extractall("demo")
with gzip.open("demo/corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
    texts = {one["doc_id"]: one["text"] for one in map(json.loads, lines)}
len(texts), sum(map(len, texts.values()))

# %%
import subprocess
import sys

subprocess.run(
    [sys.executable, "baseline.py", "../corpus.jsonl.gz", "all.jsonl"], cwd="demo/demo-kit", check=True
)
with open("demo/demo-kit/all.jsonl", encoding="utf-8") as lines:
    claims = [json.loads(line) for line in lines]
near = [one for one in claims if abs(one["subject"]["start"] - one["object"]["start"]) < 60] or claims[:1]
with open("near.jsonl", "w", encoding="utf-8") as file:
    file.writelines(json.dumps(one) + "\n" for one in near)
len(claims), len(near)

# %%
found = validate("near.jsonl", data="demo")
found.accepted, found.problems[:1]

# %%
made = site.submit("near.jsonl", corpus="demo", team="Wren", name="third try", go_ahead=True)
site.wait(made["id"], until="judging")["heading"]

# %%
# Where the service runs: python manage.py simulate_crowd --corpus demo --gold var/demo/gold.jsonl

# %%
site.wait(made["id"], until="scored")["heading"]

# %%
for row in site.scores(made["id"], part="all", level=80, weighting="instance"):
    shown = (
        f"{row[name]:.2f} ±{(row[name + '_high'] - row[name + '_low']) / 2:.2f}"
        for name in ("precision", "recall", "f1")
    )
    print(row["estimator"], row["standard"], *shown)

# %%
board = site.leaderboard("demo")
for row in board:
    print(row["rank"], row["team"], row["name"], row["precision"], row["recall"], row["f1"])

# %%
for row in site.compare("demo", made["id"], board[0]["submission"]):
    print(row["measure"], row["a"], row["b"], row["difference"])

# %%
import itertools

for one in itertools.islice(site.predictions(made["id"]), 3):
    print(one)
site.close()
