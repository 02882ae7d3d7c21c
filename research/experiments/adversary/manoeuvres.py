"""Every way to play that the table tells of."""

from collections.abc import Mapping, Sequence

from research.experiments.adversary import choosing, files, mentions, saying, spans
from research.experiments.adversary.situation import Manoeuvre, Play, Situation
from research.experiments.adversary.world import Version

COPIED = "D2_vote"
NEAR_COPIES = 5


def _same(group: str, plays: Mapping[str, Play]) -> list[Manoeuvre]:
    return [Manoeuvre(name, group, play, changes_claims=False) for name, play in plays.items()]


def _other(group: str, plays: Mapping[str, Play], part: str = "relation") -> list[Manoeuvre]:
    return [Manoeuvre(name, group, play, part) for name, play in plays.items()]


def _wider(change: spans.Change) -> Play:
    return lambda one: spans.respanned(one.world, one.claims, change)


def _half(change: spans.Change) -> Play:
    return lambda one: one.half_changed(lambda some: spans.respanned(one.world, some, change))


MANOEUVRES: Sequence[Manoeuvre] = (
    *_same(
        "files that claim the same",
        {
            "rename every entity": lambda one: files.renamed(one.file),
            "surest half: each end an entity; the others a few": lambda one: files.written(
                one.world, one.claims, named=files.gathered(one.claims)
            ),
            "split: each end of a claim an entity": lambda one: files.written(one.world, one.claims),
            "other values of dates and strings": lambda one: files.written(
                one.world, one.claims, value="1900-01-01"
            ),
            "every line twice": saying.twice,
            "every claim in both directions": saying.both_directions,
            "symmetric claims in both orders, a character longer": saying.turned_and_shifted,
            "lines in another order": saying.other_order,
            "mentions in look-alike letters": lambda one: files.in_other_letters(one.file),
        },
    ),
    *_same(
        "files that are refused",
        {
            "confidence above 1": saying.last_column("1.5"),
            "confidence NaN": saying.last_column("nan"),
            "spans beyond the end of a document": saying.beyond_the_end,
            "types swapped": saying.types_swapped,
        },
    ),
    *_same(
        "confidences",
        {
            "constant confidences": lambda one: saying.confident(one, [0.5] * len(one.claims)),
            "reversed confidences": lambda one: saying.confident(
                one, (1.001 - claim.confidence for claim in one.claims)
            ),
            "random confidences": lambda one: saying.confident(one, one.rng().random(len(one.claims))),
            "confidences shaped to a model of all labels": saying.shaped,
            "confidences as if it knew what is right": lambda one: saying.knowing(one, 0.1, 0.9),
            "confidences as if it knew, reversed": lambda one: saying.knowing(one, 0.9, 0.1),
        },
    ),
    *_other(
        "spans",
        {
            "doubtful half cut to the first letter": _half(spans.first_letter),
            "doubtful half cut to the last letter": _half(spans.last_letter),
            "wider by 1 word": _wider(spans.wider_by_words(1, 1)),
            "wider by 2 words": _wider(spans.wider_by_words(2, 2)),
            "wider by 3 words": _wider(spans.wider_by_words(3, 3)),
            "wider by 5 words": _wider(spans.wider_by_words(5, 5)),
            "wider by sixty characters": _wider(spans.wider_by_characters(60)),
            "whole documents": _wider(spans.whole_document),
            "shifted by a word": _wider(spans.next_words),
            "20 shifted copies of the surest twentieth": mentions.shifted_copies,
            "doubtful subjects stretched to common names": mentions.common_names,
            "surest half wider by 5 words, over doubtful claims": mentions.swallowed,
        },
    ),
    *_other(
        "mentions and names",
        {
            "mention nearest to the object": mentions.nearest_mentions,
            "sure claims of rare names, doubtful of common": mentions.chosen_mentions,
            "surest half for every mention of its subjects": mentions.every_mention,
            "surest half word by word": mentions.in_pieces(0.5, spans.pieces_by_word),
            "surest twentieth letter by letter": mentions.in_pieces(0.05, spans.letters),
        },
    ),
    *_other(
        "mentions and names",
        {
            "each mention its own full name": mentions.own_names,
            "the full name that most others give": mentions.shared_names,
            "merge a document's entities of a type": mentions.merged,
        },
        part="all",
    ),
    *_other(
        "what is claimed",
        {
            "drop the doubtful quarter": choosing.surest(0.75),
            "drop the doubtful half": choosing.surest(0.5),
            "100 claims": choosing.surest(100),
            "30 claims": choosing.surest(30),
            "1 claim": choosing.surest(1),
            "drop the weakest predicate": choosing.without_weakest,
            "drop doubtful claims alone at their subject": choosing.without_lone,
            "flood the predicate that pays best (micro)": choosing.flooded_predicate("instance"),
            "flood the predicate that pays best (relation)": choosing.flooded_predicate("relation"),
            "flood the subject that pays best (subject)": choosing.flooded_subject("subject"),
            "parents as children too": choosing.parents_and_children,
            f"only {choosing.GUESSED} documents, guessed": choosing.guessed,
            "copy another team's system": lambda one: list(one.others[COPIED].claims),
        },
    ),
    Manoeuvre(
        "first of all systems", "teams and times", lambda one: one.file, is_first=True, changes_claims=False
    ),
    Manoeuvre(
        f"{NEAR_COPIES} near-copies by other teams before",
        "teams and times",
        lambda one: one.file,
        near_copies=NEAR_COPIES,
        changes_claims=False,
    ),
)


def near_copies(one: Situation, number: int) -> list[Version]:
    """Return what other teams submit: nine tenths of the claims, with confidences reversed."""
    rng, found = one.rng(), []
    for place in range(number):
        kept = [claim for claim in one.claims if rng.random() < 0.9]
        turned = [claim._replace(confidence=max(0.001, 1.001 - claim.confidence)) for claim in kept]
        found.append(one.world.version(f"near {place}", turned))
    return found
