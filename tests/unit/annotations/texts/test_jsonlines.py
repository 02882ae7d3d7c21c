import gzip
from pathlib import Path

import pytest

from annotations.texts import jsonlines
from kbpo.core.errors import InvalidInput

LINES = b'{"a": 1}\n\n{"b": "\xc3\xa9"}'


def read(path: Path, content: bytes) -> list[tuple[int, dict[str, object]]]:
    path.write_bytes(content)
    return list(jsonlines.read(path))


def test_objects_come_with_their_line_numbers_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    assert read(tmp_path / "file", LINES) == [(1, {"a": 1}), (3, {"b": "é"})]


def test_a_byte_order_mark_before_a_line_is_passed_over(tmp_path: Path) -> None:
    marked = b"\xef\xbb\xbf" + LINES.replace(b'{"b"', b'\xef\xbb\xbf{"b"')
    assert read(tmp_path / "file", marked) == [(1, {"a": 1}), (3, {"b": "é"})]


def test_gzip_is_known_by_its_first_bytes_whatever_the_name(tmp_path: Path) -> None:
    assert read(tmp_path / "file.txt", gzip.compress(LINES)) == read(tmp_path / "plain.gz", LINES)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"a": 1}\n{"a": ', "file, line 2: this is not JSON"),
        (b"[1, 2]", "file, line 1: a line must hold a JSON object"),
        (b'{"a": "\xff"}', "file, line 1: byte 8 is not UTF-8"),
        (
            b'{"doc_id": "d1", "doc_id": "d2"}',
            "file, line 1: the key 'doc_id' occurs twice in one object",
        ),
        (b"[" * 100_000, "file, line 1: this is not JSON"),
        (gzip.compress(LINES, mtime=0)[:-9], "it cannot be read"),
        (b"\x1f\x8b" + bytes(40), "it cannot be read"),
    ],
)
def test_what_is_no_json_lines_is_refused_by_its_place(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read(tmp_path / "file", content)


def test_a_line_without_end_is_refused_before_it_is_held(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b'{"a": 1}\n{"a": 100}\n')
    with pytest.raises(InvalidInput, match="line 2: the line is longer"):
        list(jsonlines.read(tmp_path / "file", jsonlines.Limits(line=9)))


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_file_that_is_none_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match=str(tmp_path / name)):
        list(jsonlines.read(tmp_path / name))
