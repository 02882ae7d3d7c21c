"""The datasheet of an archive, after Gebru et al., "Datasheets for datasets" (2021)."""

from collections.abc import Mapping
from typing import Any

from evaluation.models import Epoch
from evaluation.task import Task
from kbpo_archive.classification import MODELLED, PREDICTIONS
from kbpo_archive.kbp import EACH, NOTHING_TOLD, SUMS

_DOCUMENTS = {
    EACH: (
        "All documents that recall rests on are retired. They are told one by one: `documents.csv`,"
        " `true_relations.csv`, `mentions.csv`, `document_counts.csv`, `findings.csv`; and what people said"
        " of them, where people annotated them: `document_questions.csv`, `mention_votes.csv`."
    ),
    SUMS: (
        "Some of the documents that recall rests on are sealed: later epochs rest on them. `recall_sums.csv`"
        " has what recall and F1 take from all of them, as sums, variances and covariances over all; the"
        " tables of documents have those that are retired alone. Differences between systems in recall, and"
        " bootstrap intervals of it, cannot be computed until the rest is retired; another edition will have"
        " it then."
    ),
    NOTHING_TOLD: (
        "Few of the documents that recall rests on are still sealed: so few that sums over all would say too"
        " much of each, beside those that are retired. Recall and F1 are stated, and cannot be computed"
        " until the rest is retired; another edition will have it then."
    ),
}

_LOST = (
    " Texts of some were removed since scores were computed, and with them which names of an entity are full"
    " ones: recall and F1 are stated, and cannot be computed."
)
_TIED = (
    " `judgements.csv` repeats by the names of this release what `votes.csv` says of sampled outputs, since"
    " estimates need to know which judgements are one person's. Where an earlier release published judgements"
    " that count here too, these stand in `votes.csv` by the names of that release: who answered in both"
    " releases can be followed from one to the other."
)
_WITHHELD = {
    None: "; what they alone predict and nobody judged is here without its place.",
    EACH: ". Here every item was judged, or every system is shown.",
    SUMS: (
        ". Of the items that nobody judged, the classes and confidences of hidden ones are withheld:"
        " `class_sums.csv` has what their scores take from all items together, how many such a system gives"
        " each class and how many of these the pooled model expects to be of it. The withheld classes have"
        " more bits than these sums; who can guess most may work out the rest."
    ),
    NOTHING_TOLD: (
        ". The classes and confidences of hidden ones are withheld of the items that nobody judged, and those"
        " are so few that sums, or the digits of their scores, would tell each: their scores are left out."
    ),
}
_MODELLED = (
    " The pooled model learnt from the systems that everybody saw whenever scores were computed until the"
    " release, `modelled` in the manifest: no other system's score rests on what a hidden one says. All that"
    " these say is told, also of one that was withdrawn since."
)


def datasheet(epoch: Epoch, task: Task, manifest: Mapping[str, Any]) -> str:
    """Return the datasheet of an archive, in Markdown.

    Parameters
    ----------
    epoch : Epoch
    task : Task
    manifest : mapping
        The archive's, but for its files.
    """
    corpus = epoch.corpus
    licence, documents = manifest["licence"], manifest["documents"]
    lost = "" if not documents or not documents["lost"] else _LOST
    paragraphs = [
        f"# {corpus.name}, epoch {epoch.number}, edition {manifest['edition']}",
        "What people judged of systems' predictions in one epoch, how these were sampled, and the scores that"
        " were published. `docs/archive.md` of KBP Online has every column of every table;"
        " `manifest.json` has the SHA-256 of every file.",
        "## Motivation",
        "Systems are scored by judging a sample of what they predict. This archive lets anybody check the"
        " published scores, score other systems by the same judgements, and learn from them.",
        "## Composition",
        f"The corpus is {corpus.name} (`{corpus.tag}`), the task {task.label}. Tables are CSV in UTF-8 with a"
        " header; numbers have all the digits that they need; an empty cell says that there is no value."
        " No text of a document is in any table: places are offsets in characters, and `sha256` is that of a"
        " text. The texts are on the corpus' data page, under their own licence"
        f" ({licence['texts'] or 'none is named, so they are not given out'}).",
        "## Collection",
        "Judgements are by paid annotators, or by experts where `expert` is 1. A label is what the votes that"
        " count amount to. `annotator` is a pseudonym of the release that published the question: it is"
        f" another in every other.{_TIED if 'measures' in manifest else ''}",
        "## How it was sampled",
        "Under `coordinated`, a unit is in the sample if u < π, with u the top 53 bits of"
        " HMAC-SHA256(secret, key) times 2⁻⁵³; π grew as systems arrived; `units.csv` has its final"
        " value. The secret is in the manifest, and so is"
        " its SHA-256, which was public from the start. Under `iid`, `draws` says how often each was drawn"
        " from p. Units whose labels were published before are known: they count exactly, with π = 1.",
        "## How to weight it",
        "A labelled unit stands for 1/π units: for a sum over a system's predictions weigh each by p/π, over"
        " all units by 1/π. The labels without these weights are no sample of anything: what many systems"
        " predict, and what is thought hard, is in them far more often.",
        "## Documents annotated in full",
        "Recall rests on no document here." if documents is None else _DOCUMENTS[documents["told"]] + lost,
        "## Limits",
        "Systems that are hidden or withdrawn are here under a pseudonym"
        f"{_WITHHELD[manifest.get(PREDICTIONS)]}{_MODELLED if MODELLED in manifest else ''}"
        " Which systems are of one team can be seen."
        " People err: `audits.csv` has which questions were asked again, to learn how often. Kappa is over"
        " the corpus, not the epoch.",
        "## Licence",
        f"{licence['judgements']} for all that is in this archive.",
        "## To load it",
        "```sh\npip install 'kbpo-client[recompute]'\nkbpo recompute ARCHIVE.zip\n```",
        "`docs/recompute_precision.py` does it for plain precision in a hundred lines of NumPy.",
    ]
    return "\n\n".join(paragraphs) + "\n"
