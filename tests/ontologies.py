"""The ontologies that tests read, ask and score by: TAC's, and the examples of the documentation."""

from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin
from kbpo_formats.ontologies.normal import write_normal
from kbpo_formats.ontologies.reading import read_ontology
from tests.conftest import ROOT

DOCS = ROOT / "docs" / "ontologies"

TAC = read_builtin(DEFAULT)
TAC_2 = read_builtin("tac-kbp@2")
KNOWLEDGENET = read_ontology((DOCS / "knowledgenet.toml").read_bytes())
WIKIDATA = read_ontology((DOCS / "wikidata.toml").read_bytes())

ABOUT = {"ontology": write_normal(TAC)}
"""What the reader of a corpus of TAC's is told."""
