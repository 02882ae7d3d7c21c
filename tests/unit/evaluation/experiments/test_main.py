import json

import pytest

from evaluation.experiments.__main__ import main


def test_an_experiment_leaves_its_numbers_and_its_figure(tmp_path, capsys):
    assert main(["pooling_bias", "--quick", "--out", str(tmp_path)]) == 0
    document = json.loads((tmp_path / "pooling_bias.json").read_text())
    reported = {one["what"]: one["reported"] for one in document["compared"]}
    assert reported["official, leave one team out: median loss of macro F1"] == "0.1551"
    assert (tmp_path / "pooling_bias.svg").read_text().startswith("<?xml")
    assert (tmp_path / "pooling_bias.png").read_bytes().startswith(b"\x89PNG")
    assert "reported: 0.1551" in capsys.readouterr().out


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
