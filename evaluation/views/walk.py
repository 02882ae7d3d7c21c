"""What the help page walks through: a text of the demo and what a system says of it, in every format."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

DOCUMENT = "quill-profile"
TEXT = (
    "Ada Quill was born in Brackwater on 4 May 1979, in a house from which, at high water, one could fish."
    " She graduated from the Hollin Bay Maritime Academy and spent nine years as a ship's officer"
)


@dataclass(frozen=True, slots=True)
class Step:
    """Some lines of a file, and what they say."""

    lines: str
    words: str


#: From the file of needle, one of the demo's example systems: a submission in small, complete.
TAC = (
    Step("needle\n", "The first line is the name of the run, one word."),
    Step(
        ":E0080\ttype\tPER\n:E0002\ttype\tGPE\n:E0037\ttype\tORG\n",
        "Each entity has a name, which only this file knows, and one of the ontology's types.",
    ),
    Step(
        ':E0080\tcanonical_mention\t"Ada Quill"\tquill-profile:0-8\n'
        ':E0080\tmention\t"Ada Quill"\tquill-profile:0-8\n'
        ':E0080\tnominal_mention\t"She"\tquill-profile:102-104\n'
        ':E0002\tcanonical_mention\t"Brackwater"\tquill-profile:22-31\n'
        ':E0002\tmention\t"Brackwater"\tquill-profile:22-31\n'
        ':E0037\tcanonical_mention\t"Hollin Bay Maritime Academy"\tquill-profile:125-151\n'
        ':E0037\tmention\t"Hollin Bay Maritime Academy"\tquill-profile:125-151\n',
        "Where each entity is mentioned: the string, the document's id, the first and the last character."
        " Counting begins at 0, and both ends belong to the mention. In each document one mention is the"
        " canonical one: the name by which the entity is best known there.",
    ),
    Step(
        ":E0080\tper:city_of_birth\t:E0002\tquill-profile:0-8,quill-profile:22-31\t0.9000\n",
        "A relation: Ada Quill was born in Brackwater. Then the places that say so, each holding a mention of"
        " one of the two, and how sure the system is, more than 0 and at most 1.",
    ),
    Step(
        ":E0080\tper:schools_attended\t:E0037\tquill-profile:102-104,quill-profile:125-151\t0.7000\n",
        "The places decide what is judged: here it is said of “She”, and an annotator sees that “She” marked."
        " Another line with other places would be another claim.",
    ),
    Step(
        ':E0080\tper:date_of_birth\t"1979-05-04"\tquill-profile:36-45,quill-profile:0-8\t0.9000\n',
        "What is no entity in the ontology, as a date or a title here, is a string. The string's own place"
        " comes first; a date is written as year, month and day, whatever the text has.",
    ),
)
_TAC_FILE = "".join(step.lines for step in TAC)

#: The same in JSON Lines.
CLAIMS = (
    Step(
        '{"doc_id": "quill-profile", "predicate": "per:city_of_birth",'
        ' "subject": {"start": 0, "end": 9, "type": "PER"},'
        ' "object": {"start": 22, "end": 32, "type": "GPE"}, "confidence": 0.9}\n',
        "A claim: Ada Quill was born in Brackwater. Subject and object are mentions, each with its first"
        " character, the one after its last, and its type; counting begins at 0. The confidence is above 0"
        " and at most 1, and may be left out.",
    ),
    Step(
        '{"doc_id": "quill-profile", "predicate": "per:schools_attended",'
        ' "subject": {"start": 102, "end": 105, "type": "PER", "canonical": {"start": 0, "end": 9},'
        ' "entity": "ada"},'
        ' "object": {"start": 125, "end": 152, "type": "ORG"}, "confidence": 0.7}\n',
        "This is said of “She”, and an annotator sees that “She” marked: other mentions would be another"
        " claim. Her canonical mention in this document, the name by which she is best known there, is “Ada"
        " Quill”; left out, it is the mention itself. What the system calls an entity is its own affair.",
    ),
    Step(
        '{"doc_id": "quill-profile", "predicate": "per:date_of_birth",'
        ' "subject": {"start": 0, "end": 9, "type": "PER"},'
        ' "object": {"start": 36, "end": 46, "type": "DATE", "value": "1979-05-04"}, "confidence": 0.9}\n',
        "Dates, numbers and strings are no entities, and have a value: a date is written as year, month and"
        " day, whatever the text has.",
    ),
)
CLASSES = '{"doc_id": "quill-profile", "label": "profile", "confidence": 0.8}\n'

OUTPUTS = '{"input_id": "quill-profile", "output": "Ada Quill, of Brackwater, spent nine years at sea."}\n'
METRICS = "input_id\tmeteor\tlog-probability\nquill-profile\t0.31\t-12.5\n"

#: What can be downloaded, by name.
FILES: Mapping[str, str] = MappingProxyType(
    {
        "corpus.jsonl": json.dumps({"doc_id": DOCUMENT, "text": TEXT}, ensure_ascii=False) + "\n",
        "claims.jsonl": "".join(step.lines for step in CLAIMS),
        "claims.kb": _TAC_FILE,
        "classes.jsonl": CLASSES,
        "outputs.jsonl": OUTPUTS,
        "metrics.tsv": METRICS,
    }
)
