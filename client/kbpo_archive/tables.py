"""The tables of an archive: what each is called, and what its columns say."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

FORMAT = 4
"""The version of the files. An archive states the version that wrote it; readers take this version alone."""
MANIFEST = "manifest.json"
WEIGHT = "p_"
"""What the names of columns begin with that say p under a weighting."""

SUBSET = "in_"
"""What the names of columns begin with that say, for a division, which of its subsets something is of."""

OTHER_LINK = "other"
"""What stands for the link that one person gave a mention, and that nothing in the document has."""

INT, FLOAT, FLAG, TEXT = "whole number", "number", "0 or 1", "text"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, what stands in it, and what that means, also when a cell is empty."""

    name: str
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its name, without `.csv`; what a row is; its columns in order."""

    name: str
    words: str
    columns: tuple[Column, ...]

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name}.csv"

    def kind(self, column: str) -> str:
        """Return what stands in a column; text for one that this version does not know."""
        if column.startswith(WEIGHT):
            return FLOAT
        if column.startswith(SUBSET):
            return INT
        return next((one.kind for one in self.columns if one.name == column), TEXT)


def _table(name: str, words: str, *columns: tuple[str, str, str]) -> Table:
    return Table(name, words, tuple(Column(*one) for one in columns))


_ALL = (
    _table(
        "systems",
        "A system that was sampled, in the order of arrival.",
        ("system", INT, "its number, from 1: that of the batch with which it arrived"),
        ("name", TEXT, "its team and name; of one that is hidden, anonymous or withdrawn, a pseudonym"),
        ("team", INT, "the number of its team in this archive"),
        ("shown", TEXT, "public, or why its name is not: hidden, anonymous, withdrawn"),
        ("units", INT, "how many it predicts"),
        ("target_variance", FLOAT, "V*: what its sample was to reach"),
        ("lambda", FLOAT, "λ: the least that reaches it; empty under independent draws"),
        ("floor", FLOAT, "b: labels spread evenly over its units; empty under independent draws"),
        ("draws", INT, "how often was drawn; empty but under independent draws"),
        ("weights_version", TEXT, "the rules by which its p were made"),
        ("submission", INT, "the number of its page, if everybody sees it or the release's snapshot has it"),
        ("ranked", FLAG, "whether it was among those that ranks were over when the epoch was released"),
    ),
    _table(
        "units",
        "A unit: what some system predicts, and what can be sampled.",
        ("unit", INT, "its number, from 0, in the order in which systems brought units in"),
        (
            "key",
            TEXT,
            "what its random number is made from; empty if unsampled, and hidden systems' alone",
        ),
        ("doc_id", TEXT, "its document, or input; empty where the key is"),
        ("fold", INT, "from 0 to 4, by HMAC-SHA256(secret, “fold|” + key)"),
        ("pi", FLOAT, "π: the probability that it is in the sample; empty under independent draws"),
        ("flat_pi", FLOAT, "π had every variance been planned as ¼; empty where that is π"),
        ("sampled", FLAG, "whether it is in the sample, or was known before"),
        ("known", FLAG, "whether its labels were published before the system arrived, so that π is 1"),
        ("question", INT, "of a sampled one, which question settles it"),
        ("claim", TEXT, "which claim of that question; empty where its task goes by all of them"),
        ("label", FLOAT, "the value of that claim's label; empty where not sampled"),
        ("relation", TEXT, "knowledge base population: the relation that it claims"),
        ("subject_start", INT, "where its subject begins, in characters; empty where the key is"),
        ("subject_end", INT, "and ends"),
        ("object_start", INT, "where its object begins"),
        ("object_end", INT, "and ends"),
        ("outside", FLAG, "whether recall is not about its document, which was retired before the epoch"),
    ),
    _table(
        "predictions",
        "A system's prediction of a unit, in the order of the units' keys.",
        ("system", INT, "which"),
        ("unit", INT, "which"),
        (
            "confidence",
            FLOAT,
            "the system's own; in classification empty where the class is",
        ),
        (WEIGHT + "…", FLOAT, "p under each weighting: a column for each, which sums to 1 over a system"),
        ("planned_variance", FLOAT, "s²: how uncertain its label was planned to be; empty: ¼"),
        ("draws", INT, "how often it was drawn for the system, under independent draws"),
        (
            "subject_question",
            INT,
            "at a sampled unit: what settles the name that it gives its subject",
        ),
        ("object_question", INT, "the same of its object; empty where that is a string"),
        (
            "label",
            TEXT,
            "classification: the class that it gives; empty of a hidden system, where the item is unsampled",
        ),
        ("input", INT, "generated text: which input it is of, from 0"),
        ("in_…", INT, "which subset it is of, a column for each division; empty: of none"),
    ),
    _table(
        "inputs",
        "Generated text: an input.",
        ("input", INT, "its number, from 0"),
        ("doc_id", TEXT, "its id"),
        ("fold", INT, "of all outputs for it"),
    ),
    _table(
        "metrics",
        "Generated text: what a metric says of an output, of those that may correct judgements.",
        ("system", INT, "which"),
        ("unit", INT, "which output"),
        ("metric", TEXT, "which"),
        ("measure", TEXT, "which it foretells; empty: it is the same for all"),
        ("value", FLOAT, "what it says"),
    ),
    _table(
        "judgements",
        "Generated text: what one person said of one measure of a sampled output, as scores take it.",
        ("unit", INT, "which output"),
        (
            "annotator",
            TEXT,
            "who: a pseudonym of this release alone; empty where nobody answered, and the label counts",
        ),
        ("measure", TEXT, "which"),
        ("value", FLOAT, "what was said"),
    ),
    _table(
        "questions",
        "A question that was asked of people.",
        ("question", INT, "its number in this archive, from 0, by document and key"),
        ("kind", TEXT, "what is asked"),
        ("doc_id", TEXT, "about which document"),
        ("key", TEXT, "what tells it from others about the document"),
        ("audits", INT, "of one that asks again, to audit another: that one's number"),
    ),
    _table(
        "labels",
        "What the answers to a question amount to on one of its claims.",
        ("question", INT, "which"),
        ("claim", TEXT, "as the kind of question names it"),
        ("value", FLOAT, "of a verdict 1, it holds, or 0"),
        ("votes_for", INT, "how many say that it holds"),
        ("votes", INT, "of how many"),
        ("source", TEXT, "who decided: majority, expert, or removed, since its document was"),
    ),
    _table(
        "votes",
        "What one person's answer says of one claim of a question, before it was published.",
        ("question", INT, "which"),
        ("annotator", TEXT, "who: a pseudonym of the release alone that published the question"),
        ("expert", FLAG, "whether an expert"),
        ("counts", FLAG, "whether it is a vote: not if it was rejected"),
        ("claim", TEXT, "as in labels"),
        ("value", FLOAT, "what it says: 1, it holds, 0, it does not, or a mark"),
    ),
    _table(
        "audits",
        "Whether a question that settles sampled units was to be asked again, to learn how often judges err.",
        ("question", INT, "which"),
        ("system", INT, "as which batch it was drawn: the number of its system"),
        ("doubt", FLOAT, "how likely its label was thought wrong"),
        ("rho", FLOAT, "ρ: the probability that it is audited"),
        ("drawn", FLAG, "whether it is"),
    ),
    _table(
        "predicted",
        "The pooled model of a part: how likely a unit is right, by the labels of the other folds.",
        ("part", TEXT, "which"),
        ("unit", INT, "which"),
        ("fold", INT, "the fold without which the model was fitted: the unit's own; of a sampled unit, each"),
        ("value", FLOAT, "ĝ"),
    ),
    _table(
        "class_sums",
        "Classification: what a system's scores take from all items, where its classes are withheld of some.",
        ("system", INT, "which: of those alone whose classes are withheld"),
        ("class", INT, "its place among the names of the classes, from 0"),
        ("items", INT, "how many the system gives the class"),
        ("likely", FLOAT, "Σĝ over these: how many of them are of the class, as the pooled model expects"),
        ("own", FLOAT, "the same, as the system's own model expects, which learnt from it too"),
        ("all", FLOAT, "and of all items"),
        ("need", FLOAT, "Σ(1/π − 1) over those that it gives the class"),
    ),
    _table(
        "class_predicted",
        "Classification: what such a system's own model says of a sampled item.",
        ("system", INT, "which"),
        ("unit", INT, "which item"),
        ("class", INT, "which, from 0"),
        ("value", FLOAT, "ĝ: how likely the item is of the class"),
    ),
    _table(
        "scores",
        "A figure as the service published it when the archive was made.",
        ("system", INT, "which"),
        ("estimator", TEXT, "which"),
        ("weighting", TEXT, "which"),
        ("part", TEXT, "what must be right"),
        ("standard", TEXT, "what counts as right"),
        ("level", INT, "of the interval, in per cent"),
        ("measure", TEXT, "which"),
        ("estimate", FLOAT, "empty where not estimable"),
        ("low", FLOAT, "where the interval begins"),
        ("high", FLOAT, "and ends"),
        ("labels", INT, "labelled units of the system that it rests on"),
    ),
    _table(
        "ranks",
        "A system's rank, as the leaderboard that was kept at the release has it.",
        ("system", INT, "which; 0: all that are ranked"),
        ("estimator", TEXT, "which"),
        ("weighting", TEXT, "which"),
        ("part", TEXT, "what must be right"),
        ("standard", TEXT, "what counts as right"),
        ("level", INT, "over all pairs of systems, in per cent"),
        ("rank", INT, "1 and how many are significantly above it; of all how many there are"),
        ("apart", INT, "of all: how many pairs differ significantly; else empty"),
    ),
    _table(
        "subset_scores",
        "A figure of a subset of what a system predicts, at 95%, as the service published it.",
        ("system", INT, "which"),
        ("division", TEXT, "the way to divide: one of the manifest's"),
        ("subset", INT, "its place among the names of the division's subsets, from 0"),
        ("part", TEXT, "what must be right"),
        ("standard", TEXT, "what counts as right"),
        ("measure", TEXT, "which"),
        ("estimate", FLOAT, "empty where not estimable, or where there are too few labels"),
        ("low", FLOAT, "where the interval begins"),
        ("high", FLOAT, "and ends"),
        ("labels", INT, "labelled units that it rests on; empty where they are too few"),
        ("true", INT, "how much that is true is known of the subset; empty where that is too little"),
    ),
    _table(
        "agreement",
        "How far those who answered agree on a kind of question, over the corpus, when the archive was made.",
        ("kind", TEXT, "of question"),
        ("aspect", TEXT, "of an answer"),
        ("questions", INT, "those with at least two votes"),
        ("kappa", FLOAT, "Fleiss' κ, or Krippendorff's α where answers are numbers"),
        ("low", FLOAT, "where its 95% interval begins"),
        ("high", FLOAT, "and ends"),
    ),
    _table(
        "documents",
        "A retired document that was annotated in full.",
        ("document", INT, "its number in this archive, from 0"),
        ("doc_id", TEXT, "its id"),
        ("phase", INT, "in which it was drawn: 1, uniformly, or 2"),
        ("probability", FLOAT, "that of the second phase; 1 of the first"),
        ("true", INT, "how many relations hold in it"),
        ("sha256", TEXT, "of its text in UTF-8; empty where that was removed"),
        ("by", TEXT, "who annotated it: expert, or crowd"),
    ),
    _table(
        "document_counts",
        "What a system finds in a retired document.",
        ("part", TEXT, "what must be right"),
        ("system", INT, "which; 0: all together"),
        ("document", INT, "which"),
        ("found", INT, "how many of the true relations; empty for all together"),
        ("correct", INT, "how many of its instances match one"),
    ),
    _table(
        "true_relations",
        "A relation that holds in a retired document.",
        ("true_relation", INT, "its number in this archive, from 0"),
        ("document", INT, "in which"),
        ("relation", TEXT, "which relation"),
        ("subject_start", INT, "where its subject begins, in characters"),
        ("subject_end", INT, "and ends"),
        ("object_start", INT, "where its object begins"),
        ("object_end", INT, "and ends"),
        ("subject_key", INT, "the same number for what counts as the same entity in weightings"),
        ("object_key", INT, "the same of objects"),
        ("in_…", INT, "as in predictions"),
    ),
    _table(
        "findings",
        "A true relation that a system finds.",
        ("part", TEXT, "what must be right"),
        ("system", INT, "which"),
        ("true_relation", INT, "which"),
    ),
    _table(
        "mentions",
        "A mention in a retired document.",
        ("document", INT, "in which"),
        ("start", INT, "where it begins, in characters"),
        ("end", INT, "and ends"),
        ("type", TEXT, "of its entity"),
        ("canonical_start", INT, "where the mention begins that names its entity best"),
        ("canonical_end", INT, "and ends"),
        ("link", TEXT, "the entity in a knowledge base; empty if it has none, or the text was removed"),
    ),
    _table(
        "document_questions",
        "A question that was asked of people to annotate a retired document in full.",
        ("document", INT, "which"),
        ("question", INT, "which: its votes are in votes, or in mention_votes if it asks for all mentions"),
    ),
    _table(
        "mention_votes",
        "A mention that one person marked in a retired document.",
        ("document", INT, "which"),
        ("annotator", TEXT, "who: a pseudonym of the release alone with which the document was retired"),
        ("expert", FLAG, "whether an expert"),
        ("counts", FLAG, "whether it is a vote: not if it was rejected"),
        (
            "start",
            INT,
            "where it begins, in characters; empty, with all that follows, where nothing was marked",
        ),
        ("end", INT, "and ends"),
        ("type", TEXT, "of its entity"),
        ("canonical_start", INT, "where the mention begins that names its entity best"),
        ("canonical_end", INT, "and ends"),
        ("link", TEXT, "as in mentions, where one there has it; other if none has; empty: to nothing"),
    ),
    _table(
        "recall_sums",
        "What a system's recall takes from all documents annotated in full, sealed ones too.",
        ("part", TEXT, "what must be right"),
        ("weighting", TEXT, "which"),
        ("system", INT, "which"),
        ("recall", FLOAT, "r̂: from the documents alone"),
        ("variance", FLOAT, "C(z, z)"),
        ("ratio", FLOAT, "Σa_pool/Σa; empty where the system has no correct instance in them"),
        ("covariance", FLOAT, "C(z, y)"),
        ("spread", FLOAT, "C(y, y)"),
        ("documents", INT, "those with a true relation"),
        ("found", INT, "true relations that the system finds"),
    ),
)

TABLES: Mapping[str, Table] = MappingProxyType({one.name: one for one in _ALL})
