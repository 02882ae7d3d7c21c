"""The requester API's service model, kept in this folder: reads requests and writes answers by it.

JSON 1.1 over POST; the operation is named in ``X-Amz-Target``. What botocore's own validator leaves out
(enums, patterns and upper limits, which AWS checks on its side) is checked here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from botocore.loaders import Loader
from botocore.model import OperationModel, ServiceModel
from botocore.validate import ParamValidator

from kbpo.core.json_text import read_json
from marketplace.protocol.errors import ProtocolError

MODELS = Path(__file__).with_name("service_model")
LAST_SECOND = 253402300799  # of the year 9999, the last that a datetime can be
BITS = {"integer": 31, "long": 63}


@cache
def service_model() -> ServiceModel:
    """Return the model of the service ``mturk``, 2017-01-17."""
    # nothing but ours: botocore may drop its own, and the machine's user may have others in ~/.aws/models
    loader = Loader(extra_search_paths=[str(MODELS)], include_default_search_paths=False)
    return ServiceModel(loader.load_service_model("mturk", "service-2"), service_name="mturk")


def read_target(target: str) -> OperationModel:
    """Return the operation that an ``X-Amz-Target`` names.

    Raises
    ------
    ProtocolError
        If the service has no such operation.
    """
    model = service_model()
    prefix, _, name = target.rpartition(".")
    if prefix != model.metadata["targetPrefix"] or name not in model.operation_names:
        raise ProtocolError(
            "UnknownOperationException",
            f"X-Amz-Target is {target[:200]!r}; it must be {model.metadata['targetPrefix']}.<Operation>.",
        )
    return model.operation_model(name)


def read_request(operation: OperationModel, body: bytes) -> dict[str, Any]:
    """Read the parameters of a request.

    Parameters
    ----------
    operation : OperationModel
    body : bytes
        A JSON object; members that are null count as absent.

    Returns
    -------
    dict
        As the operation's input shape says; timestamps are aware datetimes.

    Raises
    ------
    ProtocolError
        If it is not of that shape, naming all that is wrong with it.
    """
    try:
        document = read_json(body or b"{}")
    except ValueError:
        raise ProtocolError("SerializationException", "The request's body is not JSON.") from None
    if not isinstance(document, dict):
        raise ProtocolError("SerializationException", "The request's body is not a JSON object.")
    params: dict[str, Any] = _from_json(operation.input_shape, document)
    if problems := _problems(operation.input_shape, params):
        raise ProtocolError("ValidationException", problems)
    return params


def write_answer(operation: OperationModel, answer: Mapping[str, Any]) -> bytes:
    """Write an answer; members that are None are left out.

    Raises
    ------
    ValueError
        If it is not of the shape that the operation promises: a fault of this service.
    """
    answer = _without_nones(answer)
    if problems := _problems(operation.output_shape, answer):
        raise ValueError(f"the answer to {operation.name} breaks its promise: {problems}")
    return json.dumps(_to_json(answer)).encode()


def _problems(shape: Any, value: Any) -> str:
    """Say all that is wrong with a value, or nothing."""
    report = ParamValidator().validate(value, shape)
    if report.has_errors():
        return str(report.generate_report())
    found = list(_violations(shape, value, ""))
    if not found:
        return ""
    number = f"{len(found)} validation error{'s' if len(found) > 1 else ''} detected: "
    return number + "; ".join(found)


def _violations(shape: Any, value: Any, path: str) -> Iterator[str]:
    match shape.type_name:
        case "structure":
            for name, member in value.items():
                yield from _violations(shape.members[name], member, f"{path}.{name}" if path else name)
        case "list":
            for index, member in enumerate(value):
                yield from _violations(shape.member, member, f"{path}.{index + 1}.member")
        case "string":
            yield from _string_violations(shape, value, path)
        case "integer" | "long":
            bound = 1 << BITS[shape.type_name]
            highest = shape.metadata.get("max", bound - 1)
            if isinstance(value, bool):
                yield f"Value at '{path}' must be a number"
            elif value > highest:
                yield _violation(value, path, f"Member must have value less than or equal to {highest}")
            elif value < -bound:
                yield _violation(value, path, f"Member must have value greater than or equal to {-bound}")


def _string_violations(shape: Any, value: str, path: str) -> Iterator[str]:
    if shape.enum and value not in shape.enum:
        allowed = ", ".join(shape.enum)
        yield _violation(value, path, f"Member must satisfy enum value set: [{allowed}]")
    if "max" in shape.metadata and len(value) > shape.metadata["max"]:
        longest = shape.metadata["max"]
        yield _violation(value, path, f"Member must have length less than or equal to {longest}")
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(pattern, value):
        yield _violation(value, path, f"Member must satisfy regular expression pattern: {pattern}")
    if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in value):
        yield f"Value at '{path}' has characters that are no text"


def _violation(value: object, path: str, constraint: str) -> str:
    shown = str(value)
    shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
    return f"Value '{shown}' at '{path}' failed to satisfy constraint: {constraint}"


def _from_json(shape: Any, value: Any) -> Any:
    """Leave out nulls and make datetimes of timestamps; leave what has the wrong type to the validator."""
    if shape.type_name == "structure" and isinstance(value, dict):
        return {
            name: _from_json(shape.members[name], member) if name in shape.members else member
            for name, member in value.items()
            if member is not None
        }
    if shape.type_name == "list" and isinstance(value, list):
        return [_from_json(shape.member, member) for member in value]
    if shape.type_name == "timestamp":
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= LAST_SECOND:
            raise ProtocolError(
                "SerializationException", "A timestamp must be the number of seconds since 1970, in UTC."
            )
        return datetime.fromtimestamp(value, UTC)
    return value


def _to_json(value: Any) -> Any:
    match value:
        case datetime():
            return round(value.timestamp(), 3)
        case Mapping():
            return {name: _to_json(member) for name, member in value.items()}
        case list():
            return [_to_json(member) for member in value]
    return value


def _without_nones(value: Any) -> Any:
    match value:
        case Mapping():
            return {name: _without_nones(member) for name, member in value.items() if member is not None}
        case list():
            return [_without_nones(member) for member in value]
    return value
