"""A small corpus under the example of Wikidata."""

from tests.ontologies import DOCS
from tests.small_corpus import Text, mentions

TOML = DOCS / "wikidata.toml"

TEXTS = (
    Text(
        "edda",
        "Edda Strand was born in Malmö in 1951, the child of Olle Strand, a baker. In 1984 she wrote"
        " The Salt Road in a winter.",
        mentions(
            PERSON=["Edda Strand", "Olle Strand"], PLACE=["Malmö"], DATE=["1951"], WORK=["The Salt Road"]
        )
        | {"she": ("PERSON", "Edda Strand")},
        [
            ("P19", "Edda Strand", "Malmö"),
            ("P569", "Edda Strand", "1951"),
            ("P40", "Olle Strand", "Edda Strand"),
            ("P50", "The Salt Road", "she"),
        ],
        [("P40", "Edda Strand", "Olle Strand"), ("P19", "Olle Strand", "Malmö")],
    ),
    Text(
        "press",
        "Norrsken Press was founded in 1970 by Ida Falk. It belongs to Falk Holding, for which Nils Brandt"
        " worked.",
        mentions(ORG=["Norrsken Press", "Falk Holding"], PERSON=["Ida Falk", "Nils Brandt"], DATE=["1970"])
        | {"It": ("ORG", "Norrsken Press")},
        [
            ("P571", "Norrsken Press", "1970"),
            ("P112", "Norrsken Press", "Ida Falk"),
            ("P749", "It", "Falk Holding"),
            ("P108", "Nils Brandt", "Falk Holding"),
        ],
        [("P112", "Falk Holding", "Ida Falk"), ("P108", "Ida Falk", "Norrsken Press")],
    ),
    Text(
        "town",
        "Malmö has 350,000 inhabitants. Ida Falk and Karl Falk, who are married, studied there, at Lund"
        " University.",
        mentions(
            PLACE=["Malmö"], NUMBER=["350,000"], PERSON=["Ida Falk", "Karl Falk"], ORG=["Lund University"]
        ),
        [
            ("P1082", "Malmö", "350,000"),
            ("P26", "Ida Falk", "Karl Falk"),
            ("P69", "Ida Falk", "Lund University"),
            ("P69", "Karl Falk", "Lund University"),
        ],
        [("P3373", "Ida Falk", "Karl Falk"), ("P108", "Karl Falk", "Lund University")],
    ),
)
