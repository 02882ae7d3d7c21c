import json

import pytest

from research.experiments.__main__ import NAMES, main
from tests import knowledgenet, nlg
from tests.nlg import needs_nlg


@pytest.mark.slow
def test_an_experiment_leaves_its_numbers_and_its_figure(tmp_path, capsys):
    assert main(["pooling_bias", "--quick", "--out", str(tmp_path)]) == 0
    document = json.loads((tmp_path / "pooling_bias.json").read_text())
    reported = {one["what"]: one["reported"] for one in document["compared"]}
    assert reported["official, leave one team out: median loss of macro F1"] == "0.1551"
    assert (tmp_path / "pooling_bias.svg").read_text().startswith("<?xml")
    assert "reported: 0.1551" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_nlg if name == "generation" else ()) for name in NAMES]
)
def test_each_experiment_runs_quickly_and_writes_its_files(name, tmp_path):
    data = [("--knowledgenet", knowledgenet.FOLDER), ("--nlg", nlg.FOLDER)]
    given = [word for option, folder in data if folder.is_dir() for word in (option, str(folder))]
    assert main([name, "--quick", "--out", str(tmp_path), *given]) == 0
    assert json.loads((tmp_path / f"{name}.json").read_text())["experiment"] == name
    assert (tmp_path / f"{name}.svg").stat().st_size > 1000


def test_quick_results_need_a_folder(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["pooling_bias", "--quick"])
    assert "--out" in capsys.readouterr().err


@pytest.mark.slow
def test_one_seed_writes_the_same_files_again(tmp_path):
    for folder in ("one", "two"):
        main(["pooling_bias", "--quick", "--seed", "5", "--out", str(tmp_path / folder)])
    for kind in ("json", "svg"):
        name = f"pooling_bias.{kind}"
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_recorded_judgements_that_are_missing_are_asked_for(tmp_path, capsys):
    assert main(["generation", "--out", str(tmp_path)]) == 1
    assert "--nlg" in capsys.readouterr().err
    assert main(["generation", "--out", str(tmp_path), "--nlg", str(tmp_path)]) == 1
    assert "cdm/judgements.jsonl.gz" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seed", "-1"], "--seed"),
        (["--runs", "no-such-file"], "no-such-file"),
        (["--effort", "0"], "--effort"),
    ],
)
def test_bad_input_is_one_line_and_exit_status_1(arguments, says, tmp_path, capsys):
    assert main(["pooling_bias", "--out", str(tmp_path), *arguments]) == 1
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_an_unknown_experiment_exits_2():
    with pytest.raises(SystemExit, match="2"):
        main(["alchemy"])
