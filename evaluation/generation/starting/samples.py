"""Examples of a file of outputs, and of the table of metrics beside it."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from annotations.models import Corpus
from evaluation.task import SampleFile
from kbpo_formats.generation.metrics import write_metrics
from kbpo_formats.generation.outputs import Output, write_outputs
from kbpo_formats.generation.problems import TABLE
from kbpo_formats.json_lines import FORMAT

AT_ONCE = 1_000  # ids in memory
WRITTEN = "This is where the text of input {} stands."


def write_sample(corpus: Corpus) -> Iterator[str]:
    """Yield a line for each input, since a file needs one of each; none has a word of it."""
    for input_id in _ids(corpus):
        yield from write_outputs([Output(input_id, WRITTEN.format(input_id))])


def write_table(corpus: Corpus) -> Iterator[str]:
    """Yield a table with two metrics that differ from input to input and mean nothing."""
    found = False
    for number, input_id in enumerate(_ids(corpus)):
        lines = write_metrics(
            [input_id], {"similarity": [number % 10 / 10], "log-probability": [-number / 4]}
        )
        header = next(lines)
        if not found:
            found = True
            yield header
        yield from lines


def _ids(corpus: Corpus) -> Iterator[str]:
    ids = corpus.documents.order_by("pk").values_list("doc_id", flat=True)
    yield from ids.iterator(chunk_size=AT_ONCE)


#: By format: that of the outputs, and that of what comes beside them.
SAMPLES: Mapping[str, SampleFile] = MappingProxyType(
    {
        FORMAT: SampleFile(name="sample.jsonl", write=write_sample, quotes_texts=False),
        TABLE: SampleFile(name="sample-metrics.tsv", write=write_table, quotes_texts=False),
    }
)
