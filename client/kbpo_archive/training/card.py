"""The dataset card of training data: a README with what Hugging Face `datasets` reads at its head."""

from collections.abc import Iterator, Mapping, Sequence

from kbpo_archive.reading import Archive
from kbpo_archive.training.judged import LeftOut
from kbpo_archive.training.schema import LIST, SETS, SPLITS, Examples, Field

CARD = "README.md"
LARGEST = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def write_card(
    archive: Archive,
    counts: Mapping[tuple[str, str], int],
    left_out: Mapping[int, LeftOut],
    *,
    has_texts: bool,
) -> str:
    """Return the card.

    Parameters
    ----------
    archive : Archive
    counts : mapping of (str, str) to int
        By set and split, how many examples there are.
    left_out : mapping of int to LeftOut
        By system, what they lack of its claims.
    has_texts : bool
    """
    manifest = archive.manifest
    corpus, licence = manifest["corpus"], manifest["licence"]
    there = [one for one in SETS.values() if any((one.name, split) in counts for split in SPLITS)]
    lines = ["---", *_head(corpus["language"], licence["judgements"], sum(counts.values()))]
    lines += ["configs:", *(line for one in there for line in _config(one, counts))] if there else []
    lines += ["dataset_info:", *(line for one in there for line in _info(one))] if there else []
    lines += ["---", ""]
    texts = (
        f"Texts are here under their own licence: {licence['texts'] or 'none is named'}."
        if has_texts
        else "No texts are here: places are offsets in characters. `kbpo training ARCHIVE --texts FOLDER OUT`"
        " makes the same with texts, where you have them."
    )
    lines += [
        f"# {corpus['name']}, epoch {manifest['epoch']}: training data",
        "",
        f"Made from edition {manifest['edition']} of the archive of epoch {manifest['epoch']} of KBP Online."
        f" The judgements are under {licence['judgements']}. {texts}",
        "",
        "Most examples were sampled to score systems: what many systems claim, and what is thought hard, is"
        " here far more often than in what systems claim. Weigh them as `docs/training.md` says: by 1/pi for"
        " all that systems claim, by `weight` for one system's precision, by `draws / expected_draws` under"
        " independent draws, by a document's `weight` for the corpus.",
        "",
        "| examples | what one is | " + " | ".join(SPLITS) + " |",
        "|---|---|" + "---|" * len(SPLITS),
    ]
    for one in there:
        sizes = " | ".join(str(counts.get((one.name, split), 0)) for split in SPLITS)
        lines.append(f"| `{one.name}` | {one.words} | {sizes} |")
    return "\n".join([*lines, *_left_out(left_out)]) + "\n"


def _left_out(left_out: Mapping[int, LeftOut]) -> Iterator[str]:
    """Say by how much weights fall short of what is published."""
    if not left_out:
        return
    yield ""
    yield "Some sampled claims are left out: their documents were removed before they were judged. By so much"
    yield "a system's weights sum to less than 1, and Σ weight · label is less than its published precision:"
    yield ""
    yield "| system | claims left out | weight | precision |"
    yield "|---|---|---|---|"
    for number, one in left_out.items():
        yield f"| {number} | {one.claims} | {one.weight!r} | {one.precision!r} |"


def _head(language: str, licence: str, size: int) -> Iterator[str]:
    yield f"language: [{language}]"
    yield f"license: {licence.lower().replace(' ', '-')}"
    yield "task_categories: [text-classification, token-classification]"
    yield "tags: [relation-extraction, entity-linking, coreference-resolution, knowledge-base-population]"
    yield f"size_categories: [{next((name for most, name in LARGEST if size < most), 'n>1M')}]"


def _config(one: Examples, counts: Mapping[tuple[str, str], int]) -> Iterator[str]:
    yield f"- config_name: {one.name}"
    yield "  data_files:"
    for split in SPLITS:
        if (one.name, split) in counts:
            yield f"  - split: {split}"
            yield f"    path: {one.file(split)}"


def _info(one: Examples) -> Iterator[str]:
    yield f"- config_name: {one.name}"
    yield "  features:"
    yield from _features(one.fields, "  ")


def _features(fields: Sequence[Field], indent: str) -> Iterator[str]:
    for field in fields:
        yield f"{indent}- name: {field.name}"
        if field.kind == LIST:
            yield f"{indent}  list:"
            yield from _features(field.fields, f"{indent}  ")
        else:
            yield f"{indent}  dtype: {field.kind}"
