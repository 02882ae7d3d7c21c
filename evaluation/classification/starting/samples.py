"""An example of a file of classes: another format has its line below."""

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from annotations.models import Corpus
from evaluation.classification.items import question_of
from evaluation.task import SampleFile
from kbpo_formats.json_lines import FORMAT

AT_ONCE = 1_000  # ids in memory


def write_classes(corpus: Corpus) -> Iterator[str]:
    """Yield a line for each document, since a file needs one of each; all are given the first class."""
    label = question_of(corpus).claims[0]
    ids = corpus.documents.order_by("pk").values_list("doc_id", flat=True)
    for doc_id in ids.iterator(chunk_size=AT_ONCE):
        yield json.dumps({"doc_id": doc_id, "label": label, "confidence": 0.5}, ensure_ascii=False) + "\n"


#: By format: `kbpo_formats.classification.problems.FORMATS` has this one.
SAMPLES: Mapping[str, SampleFile] = MappingProxyType(
    {FORMAT: SampleFile(name="sample.jsonl", write=write_classes, quotes_texts=False)}
)
