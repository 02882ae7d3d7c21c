"""Text that people write holds only what XML can hold."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.plain_text import find_fault, replace_faults


@given(st.text(alphabet=st.characters(codec=None), max_size=5))
def test_what_is_replaced_is_just_what_xml_refuses(text: str) -> None:
    replaced = replace_faults(text)
    assert find_fault(replaced) is None
    assert (replaced == text) == (find_fault(text) is None)
    element = ElementTree.Element("a")
    element.text = replaced
    read = ElementTree.fromstring(ElementTree.tostring(element)).text or ""
    assert read == replaced.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a\nb\x0bc", 'the character U+000B (vertical tab) at line 2, after "b"'),
        ("\0", "the character U+0000 (NUL) at line 1, at its start"),
        ("\ud800", "the character U+D800 (half of a surrogate pair) at line 1, at its start"),
        ("a\ufffe", 'the character U+FFFE at line 1, after "a"'),
        ("a\x01", 'the character U+0001 (a control character) at line 1, after "a"'),
        ("مرحبا\t😀\r\n", None),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, fault: str | None) -> None:
    assert find_fault(text) == fault
