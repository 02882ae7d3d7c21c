"""What can be wrong with a file of outputs, and with the metrics beside it."""

from collections.abc import Mapping
from types import MappingProxyType

from kbpo_formats.generation.names import LONGEST_NAME
from kbpo_formats.json_lines import FORMAT, NAME, codes_of_lines
from kbpo_formats.problems import Code, of_any_file, own

FORMATS: Mapping[str, str] = MappingProxyType({FORMAT: NAME})
EXAMPLE = '{"input_id": "D1", "output": "Ada was born in Rome."}'

METRICS = "metrics"  # the file beside the outputs
TABLE = "tsv"  # its format

LONGEST_OUTPUT = 5_000  # characters: people read it and improve it
MOST_METRICS = 50
LARGEST_VALUE = 1e100  # squares of it, and their sum over any file, are finite

_OUTPUTS, _TABLES = (FORMAT,), (TABLE,)
#: Of lines of JSON in general, and of no use here.
_OF_OTHERS = ("UNKNOWN_DOCUMENT", "WRONG_CONFIDENCE")

_ERRORS = (
    (
        "OUTPUT_TOO_LONG",
        _OUTPUTS,
        "The output has {0:,} characters",
        f"At most {LONGEST_OUTPUT:,} can be judged: shorten it.",
    ),
    (
        "NULL_CHARACTER",
        _OUTPUTS,
        "{0} holds a null character",
        "Leave it out: no text that is shown to people can hold one.",
    ),
    (
        "NO_HEADER",
        _TABLES,
        "The file has no line that names its columns",
        "Begin with input_id and the names of the metrics, with a tab between each two.",
    ),
    (
        "WRONG_HEADER",
        _TABLES,
        "The first column is named {0}",
        "It must be input_id; the names of the metrics follow, with a tab between each two.",
    ),
    (
        "NO_METRICS",
        _TABLES,
        "No column names a metric",
        "Add one to the right of input_id, with a tab between, or leave the file out.",
    ),
    (
        "TOO_MANY_METRICS",
        _TABLES,
        "{0} columns name metrics",
        f"At most {MOST_METRICS} are taken in: leave the others out.",
    ),
    (
        "METRIC_NAME",
        _TABLES,
        "{0} is no name of a metric",
        f"It must begin with a letter of a to z, have letters, digits, '.', '_' and '-', and at most"
        f" {LONGEST_NAME} of them.",
    ),
    (
        "METRIC_RESERVED",
        _TABLES,
        "{0} stands for something else where metrics are named",
        "Give the column another name.",
    ),
    (
        "METRIC_TWICE",
        _TABLES,
        "The metric {0} is column {1} already",
        "Leave one of the columns out, or name it otherwise: capitals do not tell names apart.",
    ),
    (
        "WRONG_COLUMNS",
        _TABLES,
        "The line has {0} columns, and the first line names {1}",
        "Write input_id and one value for each metric, with a tab between each two.",
    ),
    (
        "METRIC_NOT_A_NUMBER",
        _TABLES,
        "The metric {0} is {1}",
        "It must be a number, as in 0.25 or 3e-4.",
    ),
    (
        "METRIC_NOT_FINITE",
        _TABLES,
        "The metric {0} is {1}",
        f"It must be finite, and at most {LARGEST_VALUE:g} in size: nothing unbiased can be computed with"
        " anything else.",
    ),
    (
        "METRIC_MISSING",
        _TABLES,
        "The metric {0} has no value here",
        "Every output needs one, whichever are judged: fill it in, or leave the column out.",
    ),
    (
        "UNKNOWN_INPUT",
        (*_OUTPUTS, *_TABLES),
        "The corpus has no input {0}",
        "Use the input's id as the corpus has it.",
    ),
    (
        "INPUT_TWICE",
        (*_OUTPUTS, *_TABLES),
        "Input {0} stands in line {1} already",
        "An input has one line: leave one of them out.",
    ),
    (
        "MISSING_INPUT",
        (*_OUTPUTS, *_TABLES),
        "Input {0} has no line",
        "Every input of the corpus needs one: systems are compared on the same inputs. An output may be"
        " empty where nothing was written.",
    ),
)

_WARNINGS = (
    (
        "EMPTY_OUTPUT",
        _OUTPUTS,
        "kept",
        "The output is empty",
        "It is judged as empty.",
    ),
    (
        "METRIC_CONSTANT",
        _TABLES,
        "kept",
        "The metric {0} is {1} for every input",
        "It is kept; what never changes tells nothing of what people say.",
    ),
    (
        "METRIC_BUILT_IN",
        _TABLES,
        "renamed",
        "The service computes {0} itself",
        "The column was taken in as {1}; the service's own stands beside it.",
    ),
)

CODES: Mapping[str, Code] = MappingProxyType(
    {
        code.name: code
        for code in (
            *of_any_file((*_OUTPUTS, *_TABLES)),
            *(one for one in codes_of_lines(_OUTPUTS, EXAMPLE) if one.name not in _OF_OTHERS),
            *(own(name, formats, "ERROR", "reject", wrong, right) for name, formats, wrong, right in _ERRORS),
            *(
                own(name, formats, "WARNING", repair, wrong, right)
                for name, formats, repair, wrong, right in _WARNINGS
            ),
        )
    }
)
