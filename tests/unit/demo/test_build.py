import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import demo
from demo.build import build
from demo.systems import SYSTEMS

NEEDLE = "needle"  # its file is TAC's
NODE = r":[A-Za-z0-9_]+"
STRING = r'"(?:[^"\\\t]|\\.)*"'
TRIPLE = r"[\w-]+:\d+-\d+"
LINES = re.compile(
    rf"{NODE}\ttype\t(?:PER|ORG|GPE)"
    rf"|{NODE}\t(?:canonical_|nominal_)?mention\t{STRING}\t{TRIPLE}"
    rf"|{NODE}\t(?:per|org|gpe):[a-z_]+\t(?:{NODE}|{STRING})\t{TRIPLE},{TRIPLE}\t(?:0\.\d*[1-9]\d*|1\.0+)"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    build(folder)
    return folder


def test_corpus_and_gold_are_of_the_same_documents(built: Path) -> None:
    documents = [json.loads(line)["doc_id"] for line in (built / "corpus.jsonl").read_text().splitlines()]
    golds = [json.loads(line)["doc_id"] for line in (built / "gold.jsonl").read_text().splitlines()]

    assert documents == golds


def test_there_is_a_file_for_every_system(built: Path) -> None:
    assert {path.name for path in built.glob("*.gz")} == {system.file for system in SYSTEMS}
    assert {system.name for system in SYSTEMS if system.format != "jsonl"} == {NEEDLE}


def test_every_line_of_a_knowledge_base_of_tac_is_well_formed(built: Path) -> None:
    first, *lines = gzip.decompress((built / f"{NEEDLE}.kb.gz").read_bytes()).decode().splitlines()

    assert first == NEEDLE
    assert [line for line in lines if line and not LINES.fullmatch(line)] == []


def test_every_mention_says_what_stands_at_its_offsets(built: Path) -> None:
    documents = [json.loads(line) for line in (built / "corpus.jsonl").read_text().splitlines()]
    texts = {document["doc_id"]: document["text"] for document in documents}
    wrong = []
    for line in gzip.decompress((built / f"{NEEDLE}.kb.gz").read_bytes()).decode().splitlines():
        if "mention\t" in line:
            _, _, string, place = line.split("\t")
            doc_id, offsets = place.split(":")
            start, end = map(int, offsets.split("-"))
            if json.loads(string) != texts[doc_id][start : end + 1]:
                wrong.append(line)

    assert wrong == []


@pytest.mark.slow
def test_a_second_build_makes_the_same_bytes_without_the_gold_in_reach(built: Path, tmp_path: Path) -> None:
    """A copy of the project without `demo/corpus`, in a process of its own, sees the plain text only."""
    source = Path(demo.__file__).parent
    shutil.copytree(source, tmp_path / "demo", ignore=shutil.ignore_patterns("corpus", "__pycache__"))
    shutil.copytree(source.parent / "kbpo" / "core", tmp_path / "kbpo" / "core")
    (tmp_path / "kbpo" / "__init__.py").touch()
    script = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from demo.build import knowledge_base\n"
        "from demo.systems import SYSTEMS\n"
        "documents = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]\n"
        "for system in SYSTEMS:\n"
        "    Path(system.file).write_bytes(knowledge_base(system, documents))\n"
    )

    subprocess.run(
        [sys.executable, "-c", script, str(built / "corpus.jsonl")],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        check=True,
        timeout=60,
    )

    different = [
        path.name for path in built.glob("*.gz") if path.read_bytes() != (tmp_path / path.name).read_bytes()
    ]
    assert different == []
