"""What a task must say: how a file becomes predictions and units, what is asked of people, what is scored.

A corpus names its task. Whatever follows from that is in the task's folder and stands in one `Task`, which
`evaluation.registry` finds and whoever is above passes down: nothing else tells tasks apart.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from django.db.models import QuerySet

from annotations.models import Corpus
from annotations.policies import curtailed, fixed
from evaluation.choices import Choices
from evaluation.listing import Listing
from evaluation.models import Epoch, PlannedVariance, SampleBatch, Submission
from evaluation.reading.reader import Reader
from evaluation.scores import Divided, ReadSide, Scored
from evaluation.units import Alternative, BoolArray, FloatArray, Foreseen, IntArray, Plan, Pool, Units
from kbpo.core.errors import InvalidInput
from kbpo_archive.writing import Writer
from kbpo_estimators.coordinated import LABEL_VARIANCE
from kbpo_estimators.pooled import UnitFeatures
from kbpo_estimators.scores import CoordinatedSample, IidSample

Sample = CoordinatedSample | IidSample


class PlanVariances(Protocol):
    """Plans how uncertain the labels of a submission's units are, from what is known without a sample."""

    def __call__(
        self, submission: Submission, epoch: Epoch, ids: IntArray, *, number: int, foreseen: bool = False
    ) -> Plan | None:
        """Plan them as batch so-and-so of an epoch; None where too little is known.

        Parameters
        ----------
        submission : Submission
        epoch : Epoch
        ids : int[n]
            The row ids of its units.
        number : int
            Of the batch.
        foreseen : bool
            Whether it is not sampled yet: then nothing is learnt from what it says itself.
        """


@dataclass(frozen=True, slots=True)
class Subsets:
    """How scores are divided: one way to cut a system's units.

    Attributes
    ----------
    title : str
        What the table of its subsets is called.
    names : callable
        Of a corpus: what gives a subset's name for people, from its stored name.
    """

    title: str
    names: Callable[[Corpus], Callable[[str], str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """What a task brings to the pages of all.

    Attributes
    ----------
    system : str or None
        The name of the address of what a system predicts, by corpus and submission; None where none shows it.
    system_words : str
        What that page shows, as its link says it.
    further : sequence of (str, str)
        Names of addresses of further pages of a corpus, and what their links say.
    documents : str or None
        The name of the address of a corpus' documents; None where none shows them.
    summary : str or None
        The template that shows what `Task.summarise` returns.
    compared : str
        How far systems that were judged in one epoch share what their difference rests on, in a sentence.
    compared_apart : str
        The same of systems that were judged in different epochs.
    planned : str
        Under what a sample that is drawn by planned variances is large enough: a clause.
    pair : str or None
        The name of the address of what two systems predict, side by side, by corpus: the two are its `a` and
        `b`; None where none shows it.
    pair_words : str
        What that page shows, as its link says it.
    """

    system: str | None
    documents: str | None
    summary: str | None
    compared: str
    compared_apart: str
    system_words: str = "What it claims, sentence by sentence"
    further: Sequence[tuple[str, str]] = ()
    planned: str = "if labels vary as they are expected to"
    pair: str | None = None
    pair_words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFile:
    """An example of a file in one format, made from a corpus' documents: right in form, whatever it claims.

    Attributes
    ----------
    name : str
        Under which it is downloaded.
    write : callable
        Yields the lines of one for a corpus, with their ends; none where its documents allow none.
    quotes_texts : bool
        Whether it has words of the documents, so that it goes to whom these may go.
    """

    name: str
    write: Callable[[Corpus], Iterator[str]]
    quotes_texts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """A small system to start from, in plain Python without any package.

    Attributes
    ----------
    folder : Path
        With ``baseline.py`` and ``README.md``; see `evaluation.starting`.
    output : str
        The name of the file that it writes.
    """

    folder: Path
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparing:
    """What is worked out of a submission once it is accepted, and before its sample is drawn.

    Attributes
    ----------
    doing : str
        What that is, for people: "Computing its metrics".
    left : callable
        How many things are still to be worked out for a submission; it is sampled once that is 0.
    step : callable
        Works out the next few and stores them, in a transaction of its own: what is stored is not done again.
    words : callable
        How far it is, for people; empty where nothing is left.
    """

    doing: str
    left: Callable[[Submission], int]
    step: Callable[[Submission], None]
    words: Callable[[Submission], str]


class ToArchive(Protocol):
    """A released epoch whose archive is made, as a task is asked about it."""

    @property
    def epoch(self) -> Epoch:
        """Return the epoch, with its corpus."""

    @property
    def pool(self) -> Pool:
        """Return its pool."""

    @property
    def sample(self) -> Sample:
        """Return its sample."""

    @property
    def questions(self) -> Mapping[int, int]:
        """Return the number of each published question, by row id."""

    @property
    def keys(self) -> Sequence[str]:
        """Return the key of each unit."""

    @property
    def teams(self) -> Mapping[int, int]:
        """Return the number of each team, by row id."""

    @property
    def withheld(self) -> Sequence[BoolArray]:
        """Return for each system which of its predictions are not told, in the order of its units."""

    @property
    def divided(self) -> "Sequence[ArchivedDivision]":
        """Return what `Archiving.divide` yields."""

    def pseudonym(self, worker: int, question: int | None = None) -> str:
        """Return what stands for a person: in this release alone, or in that which published a question."""


@dataclass(frozen=True, slots=True)
class ArchivedDivision:
    """A way to divide what systems predict, as an archive has it.

    Attributes
    ----------
    name : str
        A key of `Task.subsets`.
    names : sequence of str
        Of its subsets.
    of_units : sequence of int[n], or None
        For each system the subset of each prediction, −1 for none; None where other columns say it.
    of_relations : int[T] or None
        The same of the true relations of the documents annotated in full, where there are any.
    """

    name: str
    names: Sequence[str]
    of_units: Sequence[IntArray] | None
    of_relations: IntArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Archiving:
    """What a task adds to the archive of a released epoch.

    Attributes
    ----------
    unit_columns : tuple of str
        Columns of the table of units beside those that every task has.
    describe : callable
        Of each unit, given whether it may be told where it is: its document's id, or None, and the values of
        those columns.
    divide : callable
        The ways in which its scores of subsets divide what systems predict; without names, none.
    prediction_columns : callable
        Columns of the table of predictions: by name, for each system the values in the order of its units.
    write : callable
        Writes the task's own tables, and returns what stands in the manifest of them.
    further_questions : callable
        Of an epoch, the published questions, by row id, that it tells beside those that its sample needs.
    shares_units : bool
        Whether all systems predict the same units. Then a unit has a place whoever is hidden, and what is not
        told of a hidden system is what it predicts there, unless the unit is sampled.
    told_anyway : callable
        Of an epoch, the systems, by row id, whose predictions are told whoever may see them by now: what
        others' scores rest on.
    tells_hidden : callable
        Whether figures of systems whose predictions are withheld may be stated.
    """

    unit_columns: tuple[str, ...]
    describe: Callable[[ToArchive, Sequence[bool]], Iterator[tuple[str | None, Sequence[Any]]]]
    divide: Callable[[ToArchive], Iterator[ArchivedDivision]]
    prediction_columns: Callable[[ToArchive], Mapping[str, Sequence[Sequence[Any]]]]
    write: Callable[[Writer, ToArchive], Mapping[str, Any]]
    further_questions: Callable[[Epoch], Collection[int]] = lambda epoch: ()
    shares_units: bool = False
    told_anyway: Callable[[Epoch], Collection[int]] = lambda epoch: ()
    tells_hidden: Callable[[ToArchive], bool] = lambda contents: True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Task:
    """One task.

    Attributes
    ----------
    name : str
        As it stands in the database.
    label : str
        What it is, for people.
    words : str
        What its systems do, in a few words.
    reader : Reader
        How its files are read.
    about : callable
        What the reader must know of a corpus beside its documents, as JSON.
    summarise : callable
        From the counts of a file, as they were stored, to what its page shows; None where nothing was read.
    store_predictions : callable
        Stores the predictions that `Reader.receive` returned.
    read_units : callable
        Reads the units of a submission.
    key_version : str
        Format of the units' keys, from which their random numbers are made: it stays as it is in an epoch.
    known : callable
        Says for which units (bool[n]) every question that they need was published before the upload: those
        count exactly, with π = 1 (docs/estimation.md, 4). The answer stays the same at any later time.
    plan : PlanVariances or None
        None for a task that knows nothing without a sample.
    plan_again : callable or None
        From a stored `PlannedVariance` and a submission's units: s² again, and what differs in what it rests
        on.
    ask : callable
        Stores the rows that a batch has drawn, with the number of draws or None, asks whatever its estimates
        need, and returns the ids of those questions.
    asked_beside : callable
        Of questions that settle sampled units of an epoch's batches 1 to B: the ids of the other questions
        that these units need. They are audited with them.
    needed_beside : callable
        Of sampled units of an epoch: for each prediction of one by a system of batches 1 to B the unit, the
        number of the system's batch, and the ids of the other questions that it needs, each of which has one
        label. How doubtful these are has a part in which questions are audited.
    weights : callable
        The weights of a submission's units under every weighting, by the rules of a version.
    weights_version : str
        The rules by which weights are made now; those of what was sampled before stay what they were.
    columns : callable
        What else of a submission's units scores need, packed, by name.
    foresee : callable
        Reads what a forecast needs, of a submission in an epoch, beside the systems of some of its batches.
    retire : callable or None
        Retires a share of the documents that are annotated in full, as an epoch is released; None where the
        task annotates none.
    retired : callable
        Says in words what was retired with an epoch; None where nothing was.
    audit : callable
        Draws anew what the task has drawn beside the samples of units; says what differs, a sentence each.
    choices : Choices
        What of its scores there is to choose from.
    features : callable
        Says of a pool's units what the pooled model may learn from, beside teams and confidences: what is
        fixed before any is drawn.
    score : callable
        Estimates all that can be of a pool's systems, from its sample and its features.
    count_names : callable
        Counts in the texts of a corpus what its subsets are told by, as far as that is not done, and returns
        of how many documents: a stage of the pipeline, and once more before a pool is divided.
    divide : callable
        Divides a pool's units in each of its ways, and scores every subset.
    subsets : mapping of str to Subsets
        The divisions, by name, in the order of a page.
    study : callable or None
        Stores what else there is to know of a pool beside its scores, in the transaction that stores those of
        its subsets; in place of what was stored of its epoch. None where there is nothing.
    sides : callable
        Returns what reads the comparisons that `score` stores: one reader for a run over a corpus' epochs.
    pages : Pages
    listing : Listing or None
        How programs are told what systems predict; None where they are not.
    designs : tuple of str
        Those that its corpora may have.
    growth : str
        How the coordinated design of its corpora grows (`Epoch.Growth`, `evaluation.design.designs`).
    samples : mapping of str to SampleFile
        An example of a file for each of its reader's formats, by the format's name.
    kit : Kit or None
        None where there is none.
    has_classes : bool
        Whether its corpora have a list of classes.
    has_ontology : bool
        Whether what its files say is in the types and relations of the corpus' ontology.
    has_prompt : bool
        Whether its corpora say what is asked of outputs (`annotations.models.Prompt`), and have inputs.
    policies : tuple of str
        By which its questions may have votes enough; the first is that of a corpus that is given none.
    has_audits : bool
        Whether labels of its corpora may be audited.
    of_corpus : callable or None
        Returns the task as it is for a corpus, where what is judged is the corpus' to say.
    alternatives : callable or None
        Of a submission, an epoch and how many units it has: the ways in which it could be judged, in one of
        which its sample is planned. None where there is one way.
    limit_words : callable
        Of the same: what judging them allows at best, for people; empty where labels are one for all.
    preparing : Preparing or None
        What is worked out before samples are drawn; None where nothing is.
    random_key : callable or None
        From a unit's key to that of its random number and its fold, which units may share; None: the same.
    label_variance : float
        The largest variance that a judgement can have, as planned variances may have it.
    prior : callable or None
        Says of a pool's units how likely the label of each sampled one was before anybody voted, from the
        labels of other folds (`prior` of `evaluation.design.evidence.Votes`). None where a unit goes by one
        claim of its question: the pooled model of all tasks then says how likely that is.
    archiving : Archiving or None
        What it adds to archives of released epochs; None where none are made.
    scored_by : tuple of module
        Those whose code makes its scores, beside what all tasks share: a package stands for all of its folder
        but views and explorer.
    """

    name: str
    label: str
    words: str
    reader: Reader
    summarise: Callable[[Mapping[str, Any]], object | None]
    store_predictions: Callable[[Submission, Any], None]
    read_units: Callable[[Submission], Any]
    key_version: str
    known: Callable[[Submission, Any], BoolArray]
    plan: PlanVariances | None
    plan_again: Callable[[PlannedVariance, IntArray], tuple[FloatArray, list[str]]] | None
    ask: Callable[[SampleBatch, Any, Mapping[int, int | None]], Collection[int]]
    asked_beside: Callable[[Epoch, int, Collection[int]], Collection[int]]
    needed_beside: Callable[[Epoch, int, Collection[int]], Sequence[tuple[int, int, Sequence[int]]]]
    weights: Callable[[Any, str], Mapping[str, FloatArray]]
    weights_version: str
    columns: Callable[[Any], Mapping[str, bytes]]
    foresee: Callable[[Submission, Epoch, QuerySet[SampleBatch]], Foreseen]
    retire: Callable[[Corpus, float, datetime], object] | None
    retired: Callable[[Epoch], str | None]
    audit: Callable[[Corpus], list[str]]
    choices: Choices
    features: Callable[[Pool], UnitFeatures]
    score: Callable[[Pool, Sample, UnitFeatures], Scored]
    count_names: Callable[[Corpus], int]
    divide: Callable[[Pool, Sample, UnitFeatures], Iterator[Divided]]
    subsets: Mapping[str, Subsets]
    sides: Callable[[], ReadSide]
    pages: Pages
    scored_by: tuple[ModuleType, ...]
    study: Callable[[Pool, Sample], None] | None = None
    listing: Listing | None = None
    about: Callable[[Corpus], Mapping[str, Any]] = lambda corpus: {}
    designs: tuple[str, ...] = (Corpus.Design.COORDINATED, Corpus.Design.IID)
    growth: str = Epoch.Growth.QUADRATIC
    samples: Mapping[str, SampleFile] = field(default_factory=dict)
    kit: Kit | None = None
    has_classes: bool = False
    has_ontology: bool = False
    has_prompt: bool = False
    policies: tuple[str, ...] = (curtailed.POLICY.name, fixed.POLICY.name)
    has_audits: bool = True
    of_corpus: "Callable[[Corpus], Task] | None" = None
    alternatives: Callable[[Submission, Epoch, int], Sequence[Alternative]] | None = None
    limit_words: Callable[[Submission, Epoch, int], str] = lambda submission, epoch, size: ""
    preparing: Preparing | None = None
    random_key: Callable[[str], str] | None = None
    label_variance: float = LABEL_VARIANCE
    prior: Callable[[Pool, CoordinatedSample], FloatArray] | None = None
    archiving: Archiving | None = None

    @property
    def annotates_documents(self) -> bool:
        """Say whether its recall rests on documents that are annotated in full."""
        return self.retire is not None

    def is_prepared(self, submission: Submission) -> bool:
        """Say whether all is worked out that a submission's sample waits for."""
        return self.preparing is None or not self.preparing.left(submission)

    def words_of_preparing(self, submission: Submission) -> str:
        """Say how far it is with what a submission's sample waits for; empty where it waits for nothing."""
        if self.preparing is None or submission.state != Submission.State.ACCEPTED:
            return ""
        return self.preparing.words(submission)

    def random_keys(self, units: Units) -> Sequence[str]:
        """Return what the random number and the fold of each unit are made from."""
        return units.keys if self.random_key is None else [self.random_key(key) for key in units.keys]

    def check_corpus(self, corpus: Corpus) -> None:
        """Refuse a corpus of another task: what is there would be taken for what it is not.

        Raises
        ------
        InvalidInput
        """
        if corpus.task != self.name:
            raise InvalidInput(
                f"corpus {corpus.tag} is of the task {corpus.task!r:.80}; this is for {self.label} alone",
                where="task",
            )


FindTask = Callable[[Corpus], Task]
"""Finds the task of a corpus, as `evaluation.registry.task_of` does."""
