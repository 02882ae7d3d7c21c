"""The demo's reports, what systems write of them, and what is right of that."""

import json
import re
from pathlib import Path
from statistics import mean

from demo import reports

EVERY = reports.reports()
README = Path(reports.__file__).parent / "README.md"


def test_there_are_thirty_reports_with_a_reference_of_two_sentences() -> None:
    assert len(EVERY) == 30
    for one in EVERY:
        assert 110 <= len(one.text.split()) <= 200, one.input_id
        assert len(re.findall(r"\.(?: |$)", one.reference)) == 2, one.input_id


def test_systems_are_as_good_as_the_readme_says() -> None:
    rows = [
        f"| {name} | {team} | "
        + " | ".join(
            f"{mean(float(str(reports.judgement(one, summarise(one))[part])) for one in EVERY):.2f}"
            for part in ("overall", "fluency", "redundancy")
        )
        + " |"
        for name, (team, _, summarise) in reports.SYSTEMS.items()
    ]
    assert set(rows) <= set(README.read_text().splitlines())


def test_whoever_is_not_the_best_in_all_is_edited() -> None:
    for one in EVERY:
        for _, _, summarise in reports.SYSTEMS.values():
            summary = summarise(one)
            found = reports.judgement(one, summary)
            is_best = {found["fluency"], found["redundancy"], found["overall"]} == {1}
            assert (found["edit"] is None) == is_best
            assert found["edit"] != summary


def test_the_same_files_are_written_each_time(tmp_path: Path) -> None:
    written = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        reports.build(folder)
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1]
    assert len(written[0]) == 2 + 2 * len(reports.SYSTEMS)
    gold = [json.loads(line) for line in written[0]["reports-gold.jsonl"].splitlines()]
    outputs = [json.loads(line) for line in written[0]["reports-echo.jsonl"].splitlines()]
    right = {one["doc_id"]: one["judgements"] for one in gold}
    assert all(one["output"] in right[one["input_id"]] for one in outputs)


def test_one_metric_goes_with_what_people_say_and_one_likes_lists_of_words() -> None:
    found = {
        name: [
            mean(values)
            for values in zip(*(reports.metrics(one, summarise(one)) for one in EVERY), strict=True)
        ]
        for name, (_, _, summarise) in reports.SYSTEMS.items()
    }
    assert max(found, key=lambda name: found[name][0]) == "careful"
    assert max(found, key=lambda name: found[name][1]) == "keywords"
    assert found["keywords"][1] == 1
