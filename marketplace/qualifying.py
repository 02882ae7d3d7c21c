"""Who may see, preview and accept which HITs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from marketplace.models import Assignment, HitType, Qualification, QualificationType, Worker, WorkerBlock
from marketplace.protocol.errors import invalid_parameter, missing_qualification_type, out_of_range

MOST = 10  # requirements of a HIT
MOST_VALUES = 15  # of In and NotIn
NEWCOMER = 100  # decided assignments below which a worker's approval rate counts as 100%

HITS_APPROVED = "00000000000000000040"
PERCENT_APPROVED = "000000000000000000L0"
SYSTEM_TYPES: Mapping[str, str] = {
    HITS_APPROVED: "Number of HITs approved",
    PERCENT_APPROVED: "HIT approval rate (%)",
}
#: Requirements of MTurk's that cannot be checked here: nobody's country, age or mastery is known.
UNKNOWN_TYPES: Mapping[str, str] = {
    "00000000000000000071": "Worker_Locale",
    "00000000000000000060": "Worker_Adult",
    "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH": "Masters",
}

#: What a requirement keeps those who do not meet it from, least first.
GUARDS = ("Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept")


@dataclass(frozen=True, slots=True)
class Unmet:
    """A requirement that a worker does not meet.

    Attributes
    ----------
    text : str
        The requirement in words.
    guards : str
        A member of `GUARDS`.
    grantable : str
        The id of the qualification type if the worker gets it for the asking, or empty.
    """

    text: str
    guards: str
    grantable: str


def check_requirements(requirements: Collection[Mapping[str, Any]]) -> None:
    """Check the QualificationRequirements of a HIT.

    Raises
    ------
    RequestError
        Naming the first that is wrong, unknown, or cannot be checked here.
    """
    if len(requirements) > MOST:
        raise out_of_range("The number of QualificationRequirements", len(requirements), f"at most {MOST}")
    for requirement in requirements:
        type_id = requirement["QualificationTypeId"]
        if type_id in UNKNOWN_TYPES:
            raise invalid_parameter(
                "QualificationTypeId",
                f"{type_id} ({UNKNOWN_TYPES[type_id]}) cannot be checked by this marketplace: leave it out.",
            )
        known = type_id in SYSTEM_TYPES or QualificationType.objects.filter(type_id=type_id).exists()
        if not known:
            raise missing_qualification_type(type_id)
        _check_values(requirement)


def unmet(worker: Worker, hit_types: Collection[HitType]) -> dict[int, list[Unmet]]:
    """List, for each of these types of HITs by its key, the requirements that a worker does not meet."""
    ids = {one["QualificationTypeId"] for hit_type in hit_types for one in hit_type.requirements}
    if not ids:
        return {hit_type.pk: [] for hit_type in hit_types}
    values = _values(worker, ids)
    missing = {
        hit_type.pk: [
            one for one in hit_type.requirements if not meets(one, values.get(one["QualificationTypeId"]))
        ]
        for hit_type in hit_types
    }
    if not any(missing.values()):
        return {pk: [] for pk in missing}
    types = {one.type_id: one for one in QualificationType.objects.filter(type_id__in=ids)}
    return {pk: [_unmet(one, types, values) for one in some] for pk, some in missing.items()}


def is_blocked(worker: Worker, requester_id: int) -> bool:
    """Tell whether a requester wants no work of a worker's."""
    return WorkerBlock.objects.filter(worker=worker, requester=requester_id).exists()


def meets(requirement: Mapping[str, Any], value: int | None) -> bool:
    """Tell whether a qualification's value meets a requirement.

    Parameters
    ----------
    requirement : mapping
        ``Comparator`` and ``IntegerValues``, as `check_requirements` lets through.
    value : int or None
        None: the worker does not have the qualification, which only ``DoesNotExist`` allows.
    """
    comparator, wanted = requirement["Comparator"], requirement.get("IntegerValues", [])
    if comparator == "DoesNotExist":
        return value is None
    if value is None:
        return False
    match comparator:
        case "Exists":
            return True
        case "In":
            return value in wanted
        case "NotIn":
            return value not in wanted
        case "EqualTo":
            return bool(value == wanted[0])
        case "NotEqualTo":
            return bool(value != wanted[0])
        case "LessThan":
            return bool(value < wanted[0])
        case "LessThanOrEqualTo":
            return bool(value <= wanted[0])
        case "GreaterThan":
            return bool(value > wanted[0])
        case _:
            return bool(value >= wanted[0])


_WORDS = {
    "Exists": "is there",
    "DoesNotExist": "is not there",
    "In": "is one of",
    "NotIn": "is none of",
    "EqualTo": "is",
    "NotEqualTo": "is not",
    "LessThan": "is less than",
    "LessThanOrEqualTo": "is at most",
    "GreaterThan": "is more than",
    "GreaterThanOrEqualTo": "is at least",
}


def describe(requirement: Mapping[str, Any], types: Mapping[str, QualificationType]) -> str:
    """Say a requirement in words."""
    type_id = requirement["QualificationTypeId"]
    name = SYSTEM_TYPES.get(type_id) or (types[type_id].name if type_id in types else type_id)
    values = ", ".join(map(str, requirement.get("IntegerValues", [])))
    return f"{name} {_WORDS[requirement['Comparator']]} {values}".strip()


def _unmet(
    requirement: Mapping[str, Any], types: Mapping[str, QualificationType], values: Mapping[str, int]
) -> Unmet:
    type_id = requirement["QualificationTypeId"]
    is_grantable = _is_grantable(types.get(type_id), values.get(type_id))
    return Unmet(describe(requirement, types), _guards(requirement), type_id if is_grantable else "")


def _check_values(requirement: Mapping[str, Any]) -> None:
    comparator, values = requirement["Comparator"], requirement.get("IntegerValues", [])
    if requirement.get("LocaleValues"):
        raise invalid_parameter("LocaleValues", "cannot be checked by this marketplace: leave them out.")
    if comparator in ("Exists", "DoesNotExist"):
        fits, allowed = not values, "absent"
    elif comparator in ("In", "NotIn"):
        fits, allowed = 1 <= len(values) <= MOST_VALUES, f"one to {MOST_VALUES} numbers"
    else:
        fits, allowed = len(values) == 1, "one number"
    if not fits:
        raise invalid_parameter("IntegerValues", f"are {values}; with {comparator} they must be {allowed}.")


def _guards(requirement: Mapping[str, Any]) -> str:
    if "ActionsGuarded" in requirement:
        return str(requirement["ActionsGuarded"])
    return "PreviewAndAccept" if requirement.get("RequiredToPreview") else "Accept"


def _is_grantable(qualification_type: QualificationType | None, value: int | None) -> bool:
    return (
        qualification_type is not None
        and value is None
        and qualification_type.is_active
        and qualification_type.auto_granted_value is not None
    )


def _values(worker: Worker, ids: set[str]) -> dict[str, int]:
    """Return the worker's value of each of these qualifications that they have."""
    granted = Qualification.objects.filter(worker=worker, revoked_at=None)
    named = granted.filter(qualification_type__type_id__in=ids)
    values = dict(named.values_list("qualification_type__type_id", "value"))
    if ids & SYSTEM_TYPES.keys():
        values |= system_values(worker)
    return values


def system_values(worker: Worker) -> dict[str, int]:
    """Return a worker's values of the qualifications that the marketplace itself keeps."""
    counts = Assignment.objects.filter(worker=worker).aggregate(
        approved=Count("pk", filter=Q(state=Assignment.State.APPROVED)),
        decided=Count("pk", filter=Q(state__in=[Assignment.State.APPROVED, Assignment.State.REJECTED])),
    )
    approved, decided = counts["approved"], counts["decided"]
    percent = 100 if decided < NEWCOMER else 100 * approved // decided
    return {HITS_APPROVED: approved, PERCENT_APPROVED: percent}
