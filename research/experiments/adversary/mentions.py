"""Ways to choose spans, mentions and full names."""

from collections import Counter, defaultdict
from collections.abc import Callable

from kbpo_formats.kbp.predictions import ReadPrediction
from kbpo_formats.spans import Span
from research.experiments.adversary import spans
from research.experiments.adversary.situation import Claims, Play, Situation

COPIES, SHIFTS = 20, range(1, 21)

Pieces = Callable[[str, Span], list[Span]]
"""From the text of a document and a span of it to pieces of that."""


def shifted_copies(one: Situation) -> Claims:
    """Put twenty copies of the surest twentieth first, the objects' ends one character further in each."""
    copies = []
    for place in one.by_confidence()[-(len(one.claims) // COPIES) :]:
        claim = one.claims[place]
        length = len(one.world.data.texts[claim.doc_id])
        ends = [min(claim.object.end + shift, length) for shift in SHIFTS]
        copies += [claim._replace(object=Span(claim.object.start, end)) for end in ends]
    return [*copies, *one.claims]


def in_pieces(share: float, pieces: Pieces) -> Play:
    """Return what says its surest share once for each pair of pieces of subject and object."""

    def play(one: Situation) -> Claims:
        surest = set(one.by_confidence()[-int(share * len(one.claims)) :])
        found = []
        for place, claim in enumerate(one.claims):
            if place not in surest:
                found.append(claim)
                continue
            text = one.world.data.texts[claim.doc_id]
            found += [
                claim._replace(subject=subject, object=object)
                for subject in pieces(text, claim.subject)
                for object in pieces(text, claim.object)
            ]
        return found

    return play


def common_names(one: Situation) -> Claims:
    """Stretch the doubtful half's subjects over words before them, where that makes theirs a common name."""
    world = one.world
    stretches = [spans.wider_by_words(number, 0) for number in (1, 2)]
    common = Counter(
        world.name_key(claim.doc_id, change(world.data.texts[claim.doc_id], claim.subject))
        for claim in one.claims
        for change in stretches
    )

    def stretched(claim: ReadPrediction) -> ReadPrediction:
        text = world.data.texts[claim.doc_id]
        choices = [claim.subject, *(change(text, claim.subject) for change in stretches)]
        best = max(choices, key=lambda span: common[world.name_key(claim.doc_id, span)])
        return claim._replace(subject=best)

    return one.half_changed(lambda some: [stretched(claim) for claim in some])


def swallowed(one: Situation) -> Claims:
    """Widen the surest half's spans by five words, so that doubtful claims overlap them and do not count."""
    doubtful, wide = one.doubtful(), spans.wider_by_words(5, 5)
    return [
        claim if place in doubtful else spans.respanned(one.world, [claim], wide)[0]
        for place, claim in enumerate(one.claims)
    ]


def _mentions(one: Situation) -> dict[tuple[str, str], list[Span]]:
    """Return the mentions that its file gives of each entity in each document."""
    reading = one.world.read(one.file)
    return {
        (doc_id, entity.name): sorted({span for _, span, _ in mentions.asserted()})
        for entity in reading.entities
        for doc_id, mentions in entity.mentions.items()
    }


def chosen_mentions(one: Situation) -> Claims:
    """Tell sure claims of the mention with the rarest name, doubtful ones of that with the commonest."""
    world, mentions, doubtful = one.world, _mentions(one), one.doubtful()
    common = Counter(world.name_key(claim.doc_id, claim.subject) for claim in one.claims)
    found = []
    for place, claim in enumerate(one.claims):
        often = {
            span: common[world.name_key(claim.doc_id, span)]
            for span in [claim.subject, *mentions[claim.doc_id, claim.subject_entity]]
        }
        best = (max if place in doubtful else min)(often, key=often.__getitem__)
        found.append(claim._replace(subject=best))
    return found


def nearest_mentions(one: Situation) -> Claims:
    """Tell every claim of the mention of its subject that stands nearest to the object."""
    mentions = _mentions(one)
    return [
        claim._replace(
            subject=min(
                [claim.subject, *mentions[claim.doc_id, claim.subject_entity]],
                key=lambda span: abs(span.start - claim.object.start),
            )
        )
        for claim in one.claims
    ]


def every_mention(one: Situation) -> Claims:
    """Say the surest half once more for every other mention of its subjects."""
    mentions, doubtful = _mentions(one), one.doubtful()
    more = [
        claim._replace(subject=span)
        for place, claim in enumerate(one.claims)
        if place not in doubtful
        for span in mentions[claim.doc_id, claim.subject_entity]
        if span != claim.subject
    ]
    return [*one.claims, *more]


def own_names(one: Situation) -> Claims:
    """Call every mention its own full name."""
    return [
        claim._replace(
            subject_canonical=claim.subject, object_canonical=claim.object_canonical and claim.object
        )
        for claim in one.claims
    ]


def shared_names(one: Situation) -> Claims:
    """Give each mention the full name that most other systems give it."""
    said: dict[tuple[str, Span], Counter[Span]] = defaultdict(Counter)
    for version in one.others.values():
        for claim in version.claims:
            said[claim.doc_id, claim.subject][claim.subject_canonical] += 1
            if claim.object_canonical is not None:
                said[claim.doc_id, claim.object][claim.object_canonical] += 1

    def most(doc_id: str, mention: Span, own: Span) -> Span:
        given = said.get((doc_id, mention))
        return given.most_common(1)[0][0] if given else own

    return [
        claim._replace(
            subject_canonical=most(claim.doc_id, claim.subject, claim.subject_canonical),
            object_canonical=claim.object_canonical
            and most(claim.doc_id, claim.object, claim.object_canonical),
        )
        for claim in one.claims
    ]


def merged(one: Situation) -> Claims:
    """Make all of a document's entities of one type one, called as the first of them."""
    first: dict[tuple[str, str], Span] = {}
    for claim in one.claims:
        for kind, name in (
            (claim.subject_type, claim.subject_canonical),
            (claim.object_type, claim.object_canonical),
        ):
            if name is not None:
                first[claim.doc_id, kind] = min(name, first.get((claim.doc_id, kind), name))
    return [
        claim._replace(
            subject_canonical=first[claim.doc_id, claim.subject_type],
            object_canonical=claim.object_canonical and first[claim.doc_id, claim.object_type],
        )
        for claim in one.claims
    ]
