"""The picture of the house is that of the tree, and nothing in it runs in a circle."""

from pathlib import Path

from docs import drawing


def test_no_folder_imports_one_that_imports_it() -> None:
    _, graph = drawing.read_rooms(drawing.ROOT)
    assert len(graph) > 40
    circles = {circle for circle in drawing.find_circles(graph).values() if len(circle) > 1}
    assert [sorted(circle) for circle in circles] == []


def test_the_picture_in_the_docs_is_of_this_tree() -> None:
    picture = drawing.PICTURE.read_text(encoding="utf-8")
    assert picture == drawing.draw(), "run make drawing"


def write_tree(root: Path, modules: dict[str, str]) -> None:
    for name, source in modules.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)


def test_a_circle_is_seen_and_drawn_red(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "kbpo/one/a.py": "from kbpo.two import b\n",
            "kbpo/two/b.py": "",
            "kbpo/two/c.py": "from kbpo import three\n",
            "kbpo/three.py": "import kbpo.one.a\n",
            "kbpo/four.py": "from kbpo.one.a import b\n",
        },
    )
    sizes, graph = drawing.read_rooms(tmp_path)
    assert sizes == {"kbpo.one": 1, "kbpo.two": 2, "kbpo.three": 1, "kbpo.four": 1}
    circles = drawing.find_circles(graph)
    assert circles["kbpo.one"] == circles["kbpo.three"] == {"kbpo.one", "kbpo.two", "kbpo.three"}
    assert circles["kbpo.four"] == {"kbpo.four"}
    height = drawing.heights(graph, circles)
    assert height == {"kbpo.one": 0, "kbpo.two": 0, "kbpo.three": 0, "kbpo.four": 1}
    assert drawing.draw(tmp_path).count("#c0392b") >= 3


def test_everything_stands_above_what_it_imports(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "crowd/high.py": "from annotations.low import deep\nfrom crowd.middle import b\n",
            "crowd/middle/b.py": "from annotations.low import deep\n",
            "annotations/low/deep.py": "def f():\n    from django.db import models\n",
        },
    )
    _, graph = drawing.read_rooms(tmp_path)
    circles = drawing.find_circles(graph)
    assert drawing.heights(graph, circles) == {"crowd.high": 2, "crowd.middle": 1, "annotations.low": 0}
    picture = drawing.draw(tmp_path)
    assert "#c0392b" not in picture
    assert picture.count("<path") == 2  # what follows from others is left out
