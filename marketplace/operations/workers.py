"""Operations on workers: their qualifications, and blocks."""

from django.db import IntegrityError, transaction
from django.db.models import Q

from marketplace import qualifying
from marketplace.models import Qualification, QualificationType, WorkerBlock
from marketplace.operations.call import Answer, Call
from marketplace.protocol import paging
from marketplace.protocol.errors import (
    RequestError,
    check_showable,
    invalid_parameter,
    missing_qualification_type,
    out_of_range,
    wrong_state,
)
from marketplace.protocol.identifiers import new_id
from marketplace.workers import find_worker

LENGTHS = {"Name": 200, "Description": 2000, "Keywords": 1000}
_UNSUPPORTED = ("Test", "AnswerKey", "TestDurationInSeconds")


def create_qualification_type(call: Call) -> Answer:
    """Make a qualification type of the requester's own."""
    params = call.params
    for name in _UNSUPPORTED:
        if name in params:
            raise invalid_parameter(
                name, "is not supported by this marketplace: test workers in a HIT, and grant the result."
            )
    for name, longest in LENGTHS.items():
        value = params.get(name, "")
        if len(value) > longest:
            raise out_of_range(name, f"{len(value):,} characters long", f"{longest:,} characters at most")
        if name != "Keywords" and not value.strip():
            raise invalid_parameter(name, "is empty.")
        check_showable(name, value, lines=name == "Description")
    if params.get("RetryDelayInSeconds", 0) < 0:
        raise out_of_range("RetryDelayInSeconds", params["RetryDelayInSeconds"], "0 or more")
    if "AutoGrantedValue" in params and not params.get("AutoGranted"):
        raise invalid_parameter("AutoGrantedValue", "is for types that are AutoGranted.")
    try:
        with transaction.atomic():
            made = QualificationType.objects.create(
                requester=call.requester,
                type_id=new_id(),
                name=params["Name"],
                description=params["Description"],
                keywords=params.get("Keywords", ""),
                is_active=params["QualificationTypeStatus"] == "Active",
                auto_granted_value=params.get("AutoGrantedValue", 1) if params.get("AutoGranted") else None,
                retry_delay_seconds=params.get("RetryDelayInSeconds"),
                created_at=call.now,
            )
    except IntegrityError:
        raise RequestError(
            "QualificationTypeAlreadyExists",
            "You have already created a QualificationType with this name. A QualificationType's name must be "
            "unique among all of the QualificationTypes created by the same user.",
        ) from None
    return {"QualificationType": _write_type(made)}


def list_qualification_types(call: Call) -> Answer:
    """List qualification types, newest first.

    The marketplace's own are known by their ids; they are not listed, as nobody can request them.
    """
    rows = QualificationType.objects.all()
    owned = call.params.get("MustBeOwnedByCaller", False)
    if owned:
        rows = rows.filter(requester=call.requester)
    else:
        rows = rows.filter(Q(is_active=True) | Q(requester=call.requester))
    query = call.params.get("Query", "")
    for word in query.split():
        rows = rows.filter(
            Q(name__icontains=word) | Q(description__icontains=word) | Q(keywords__icontains=word)
        )
    scope = f"ListQualificationTypes {call.requester.pk} {owned} {query[:100]}"
    found = paging.page(rows, call.params, scope=scope)
    return paging.answer("QualificationTypes", found, _write_type)


@transaction.atomic
def associate_qualification_with_worker(call: Call) -> Answer:
    """Give a worker a qualification, or another value of it; no mail is sent, their pages show it."""
    qualification_type = _own_type(call)
    Qualification.objects.update_or_create(
        qualification_type=qualification_type,
        worker=find_worker(call.params["WorkerId"]),
        defaults={
            "value": call.params.get("IntegerValue", 1),
            "granted_at": call.now,
            "revoked_at": None,
            "reason": "",
        },
    )
    return {}


@transaction.atomic
def disassociate_qualification_from_worker(call: Call) -> Answer:
    """Take a qualification away from a worker."""
    qualification = _qualification(call)
    qualification.revoked_at = call.now
    qualification.reason = call.params.get("Reason", "")
    qualification.save(update_fields=["revoked_at", "reason"])
    return {}


def get_qualification_score(call: Call) -> Answer:
    """Return the value of a worker's qualification."""
    qualification = _qualification(call)
    return {
        "Qualification": {
            "QualificationTypeId": qualification.qualification_type.type_id,
            "WorkerId": qualification.worker.worker_id,
            "GrantTime": qualification.granted_at,
            "IntegerValue": qualification.value,
            "Status": "Granted",
        }
    }


def create_worker_block(call: Call) -> Answer:
    """Keep a worker from the requester's HITs; a block that there is gets the new reason."""
    if not call.params["Reason"].strip():
        raise invalid_parameter("Reason", "is empty; you will want to know later why you blocked somebody.")
    WorkerBlock.objects.update_or_create(
        requester=call.requester,
        worker=find_worker(call.params["WorkerId"]),
        defaults={"reason": call.params["Reason"]},
        create_defaults={"reason": call.params["Reason"], "created_at": call.now},
    )
    return {}


def delete_worker_block(call: Call) -> Answer:
    """Let a worker back in; also if there is no block."""
    worker = find_worker(call.params["WorkerId"])
    WorkerBlock.objects.filter(requester=call.requester, worker=worker).delete()
    return {}


def list_worker_blocks(call: Call) -> Answer:
    """List the blocked workers, newest block first."""
    rows = WorkerBlock.objects.filter(requester=call.requester).select_related("worker")
    found = paging.page(rows, call.params, scope=f"ListWorkerBlocks {call.requester.pk}")
    return paging.answer(
        "WorkerBlocks", found, lambda block: {"WorkerId": block.worker.worker_id, "Reason": block.reason}
    )


def _own_type(call: Call) -> QualificationType:
    type_id = call.params["QualificationTypeId"]
    found = QualificationType.objects.filter(requester=call.requester, type_id=type_id).first()
    if found is None:
        if type_id in qualifying.SYSTEM_TYPES:
            raise RequestError("PermissionDenied", f"QualificationType {type_id} is kept by the marketplace.")
        raise missing_qualification_type(type_id)
    return found


def _qualification(call: Call) -> Qualification:
    found = Qualification.objects.select_related("qualification_type", "worker").filter(
        qualification_type=_own_type(call), worker=find_worker(call.params["WorkerId"])
    )
    qualification = found.first()
    if qualification is None:
        raise RequestError(
            "QualificationDoesNotExist", "You requested a Qualification that does not exist for this worker."
        )
    if qualification.revoked_at is not None:
        raise wrong_state("Qualification", "Granted", "Revoked")
    return qualification


def _write_type(one: QualificationType) -> Answer:
    return {
        "QualificationTypeId": one.type_id,
        "CreationTime": one.created_at,
        "Name": one.name,
        "Description": one.description,
        "Keywords": one.keywords or None,
        "QualificationTypeStatus": "Active" if one.is_active else "Inactive",
        "RetryDelayInSeconds": one.retry_delay_seconds,
        "IsRequestable": True,
        "AutoGranted": one.auto_granted_value is not None,
        "AutoGrantedValue": one.auto_granted_value,
    }
