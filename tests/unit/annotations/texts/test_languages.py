import pytest

from annotations.texts.languages import LONGEST_TAG, NAMES, read_language
from kbpo.core.errors import InvalidInput


@pytest.mark.parametrize(
    ("given", "tag"),
    [("en", "en"), ("EN-gb", "en-GB"), ("zh-hant-tw", "zh-Hant-TW"), ("es-419", "es-419"), ("Ar", "ar")],
)
def test_a_tag_is_spelt_as_usual(given: str, tag: str) -> None:
    assert read_language(given).tag == tag


@pytest.mark.parametrize("tag", ["", "english", "zh_CN", "en-", "e", "en-GB-oed", "ar ", "ａｒ", "en\n"])
def test_what_is_no_tag_is_refused(tag: str) -> None:
    with pytest.raises(InvalidInput, match="is no tag of a language"):
        read_language(tag)


@pytest.mark.parametrize("tag", ["ko", "th", "vi", "bo", "xx", "tlh"])
def test_a_language_that_cannot_be_cut_is_refused_with_those_that_can(tag: str) -> None:
    with pytest.raises(InvalidInput, match=f"{tag!r} cannot be cut into words here; those in .*en, .*zh can"):
        read_language(tag)


@pytest.mark.parametrize(
    ("tag", "direction"),
    [
        *(("ar", "rtl"), ("he", "rtl"), ("fa-IR", "rtl"), ("ur", "rtl"), ("az-Arab", "rtl")),
        *(("ur-Latn", "ltr"), ("zh", "ltr"), ("es", "ltr"), ("en", "ltr")),
    ],
)
def test_a_script_says_the_direction_and_else_the_language_does(tag: str, direction: str) -> None:
    assert read_language(tag).direction == direction


def test_chinese_and_japanese_alone_have_no_spaces() -> None:
    assert [code for code in NAMES if not read_language(code).has_spaces] == ["ja", "zh"]


@pytest.mark.parametrize(("tag", "name"), [("zh-Hans", "zh"), ("nb", "no"), ("pt-BR", "pt")])
def test_a_wikipedia_is_called_by_its_language(tag: str, name: str) -> None:
    assert read_language(tag).wikipedia == name


def test_every_tag_fits_its_column() -> None:
    assert max(len(f"{code}-Hant-419") for code in NAMES) <= LONGEST_TAG
