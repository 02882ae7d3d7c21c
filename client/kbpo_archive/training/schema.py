"""The form of training data: its sets of examples, their fields, and what these mean."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

FORMAT = 1
"""The version of all this."""
SPLITS = ("train", "validation", "test")
TENTHS = (8, 1, 1)
"""How many tenths of all documents each split has, on average."""

TEXT, INT, FLOAT = "string", "int64", "float64"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an example: its name, what stands in it, and what that means, also where it is null.

    Attributes
    ----------
    name, kind, words : str
    fields : tuple of Field
        Of a list: what each of its objects has.
    """

    name: str
    kind: str
    words: str
    fields: tuple["Field", ...] = ()


@dataclass(frozen=True, slots=True)
class Examples:
    """A set of examples: its name, what an example is, its fields in order."""

    name: str
    words: str
    fields: tuple[Field, ...]

    def file(self, split: str) -> str:
        """Return the name of the file of a split."""
        return f"data/{self.name}/{split}.jsonl"


LIST = "list"

_ID = Field("id", TEXT, "the same for the same example in every edition of its epoch's archive")
_DOC_ID = Field("doc_id", TEXT, "its document, which is in one split alone")
_JUDGED = (
    Field("label", INT, "1 if it holds, 0 if not"),
    Field("votes_for", INT, "how many say that it holds"),
    Field("votes", INT, "of how many; 0 where no vote decided"),
    Field("agreement", FLOAT, "the share of the votes that say what the label says; null without votes"),
    Field("source", TEXT, "who decided: majority, or expert"),
    Field("audited", INT, "what others said when it was asked again, to learn how often judges err; or null"),
)
_PASSAGE = (
    Field("text", TEXT, "the sentences from the first mention's to the last's; null without texts"),
    Field("text_start", INT, "where these begin in the document; null without texts"),
)
_OF_DOCUMENT = (
    Field("phase", INT, "in which the document was drawn: 1, uniformly, or 2"),
    Field("weight", FLOAT, "how many documents of the corpus it stands for; null where that is not told yet"),
)
_WHOLE_TEXT = Field("text", TEXT, "all of the document; null without texts")


def _span(name: str, words: str) -> tuple[Field, Field]:
    return (
        Field(f"{name}_start", INT, f"where {words} begins in the document, in characters"),
        Field(f"{name}_end", INT, "and ends"),
    )


def _words(name: str) -> Field:
    return Field(f"{name}_text", TEXT, "its words; null without texts")


_ALL = (
    Examples(
        "relation_extraction",
        "A claim that was judged: whether a relation holds between two mentions.",
        (
            _ID,
            _DOC_ID,
            Field("relation", TEXT, "which relation is claimed"),
            *_span("subject", "its subject"),
            Field("subject_type", TEXT, "the type of its entity"),
            _words("subject"),
            *_span("object", "its object"),
            Field("object_type", TEXT, "the type of its entity"),
            _words("object"),
            *_JUDGED,
            Field(
                "offers",
                LIST,
                "all that was judged of the two mentions at once, this claim too",
                (
                    Field("relation", TEXT, "which relation"),
                    Field("is_reversed", INT, "1 if its subject is this claim's object"),
                    Field("label", INT, "1 if it holds, 0 if not"),
                    Field("votes_for", INT, "how many say that it holds"),
                    Field("votes", INT, "of how many"),
                ),
            ),
            Field("pi", FLOAT, "π: the probability with which it was sampled; null under independent draws"),
            Field("known", INT, "1 if its label was published before, so that π is 1"),
            Field("draws", INT, "how often it was drawn; null but under independent draws"),
            Field(
                "expected_draws",
                FLOAT,
                "how often it was to be drawn: Σ n·p over the systems that claim it; null likewise",
            ),
            Field(
                "claimed",
                LIST,
                "the systems that claim it",
                (
                    Field("system", INT, "the system's number in the archive"),
                    Field("confidence", FLOAT, "its own"),
                    Field("p", FLOAT, "its share of the system, as the sample was designed for"),
                    Field("weight", FLOAT, "Σ weight · label over a system's claims is its precision"),
                ),
            ),
            *_PASSAGE,
        ),
    ),
    Examples(
        "entity_linking",
        "A name that was judged: whether a mention's entity is best named by another mention.",
        (
            _ID,
            _DOC_ID,
            *_span("mention", "the mention"),
            _words("mention"),
            *_span("name", "what is said to be the best name of its entity"),
            _words("name"),
            *_JUDGED,
            Field(
                "claimed",
                LIST,
                "the sampled claims that need it",
                (
                    Field("system", INT, "the system's number in the archive"),
                    Field("claim", TEXT, "the id of the example in relation_extraction"),
                    Field("side", TEXT, "subject or object"),
                    Field("pi", FLOAT, "π of that claim; null under independent draws"),
                ),
            ),
            Field("weight", FLOAT, "for how many names in claims it stands: Σ 1/π; null likewise"),
            *_PASSAGE,
        ),
    ),
    Examples(
        "entity_linking_documents",
        "A mention of a document that was annotated in full, with its entity.",
        (
            _ID,
            _DOC_ID,
            *_span("mention", "the mention"),
            Field("type", TEXT, "of its entity"),
            _words("mention"),
            *_span("name", "the mention that names its entity best"),
            _words("name"),
            Field("link", TEXT, "the entity in a knowledge base; empty if it has none"),
            *_OF_DOCUMENT,
            *_PASSAGE,
        ),
    ),
    Examples(
        "relation_extraction_documents",
        "A document that was annotated in full, with every relation that holds in it.",
        (
            _ID,
            _DOC_ID,
            Field(
                "relations",
                LIST,
                "all that hold; between other mentions of it none does",
                (
                    Field("relation", TEXT, "which relation"),
                    *_span("subject", "its subject"),
                    *_span("object", "its object"),
                    Field("votes_for", INT, "how many say that it holds"),
                    Field("votes", INT, "of how many; 0 where experts annotated the document"),
                ),
            ),
            *_OF_DOCUMENT,
            _WHOLE_TEXT,
        ),
    ),
    Examples(
        "coreference",
        "A document that was annotated in full, with every mention, by entity.",
        (
            _ID,
            _DOC_ID,
            Field(
                "mentions",
                LIST,
                "all of its mentions, in the order of the text",
                (
                    Field("start", INT, "where it begins, in characters"),
                    Field("end", INT, "and ends"),
                    Field("type", TEXT, "of its entity"),
                    Field("entity", INT, "the same number for mentions of one entity, from 0"),
                    Field("votes_for", INT, "how many people marked it, with this type"),
                ),
            ),
            Field("votes", INT, "how many people marked the document; 0 where experts annotated it"),
            *_OF_DOCUMENT,
            _WHOLE_TEXT,
        ),
    ),
)

SETS: Mapping[str, Examples] = MappingProxyType({one.name: one for one in _ALL})
"""By name: the sets of examples."""


def split_of(doc_id: str) -> str:
    """Return the split of a document: by its id alone, so that it is the same in every archive.

    Examples
    --------
    >>> split_of("d1") == split_of("d1")
    True
    """
    tenth = int.from_bytes(hashlib.sha256(doc_id.encode()).digest()[:8], "big") % sum(TENTHS)
    for split, tenths in zip(SPLITS, TENTHS, strict=True):
        if tenth < tenths:
            return split
        tenth -= tenths
    raise AssertionError("the tenths of all splits are ten")
