"""What knowledge bases may be written in, and all that can be wrong with one."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from kbpo_formats import json_lines
from kbpo_formats.kbp.claims import problems as of_claims
from kbpo_formats.kbp.tac import problems as of_tac
from kbpo_formats.problems import Code

#: Their names; the first is the one that is recommended.
FORMATS: Mapping[str, str] = MappingProxyType({json_lines.FORMAT: json_lines.NAME, **of_tac.FORMAT_NAMES})


def _both() -> dict[str, Code]:
    found = dict(of_claims.CODES)
    for name, code in of_tac.CODES.items():
        if name in found:
            severities = MappingProxyType({**found[name].severity, **code.severity})
            code = replace(code, severity=severities)
        found[name] = code
    return found


#: By name; where formats share a code, the words are TAC's, and a file's own problems are in its format's.
CODES: Mapping[str, Code] = MappingProxyType(_both())
