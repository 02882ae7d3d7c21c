"""What a task works out of accepted submissions before their samples are drawn, step by step."""

from evaluation.models import Submission
from evaluation.submissions.lifecycle import SAMPLE_TASK
from evaluation.task import Task
from kbpo.core.clock.nudge import nudge


def prepare_submission(*, submission_id: int, task: Task) -> bool:
    """Do all steps that are left for an accepted submission; what a step has stored is not done again.

    Parameters
    ----------
    submission_id : int
    task : Task
        Its corpus'.

    Returns
    -------
    bool
        Whether there was something to do, and it is done now: it may have been cancelled meanwhile.
    """
    if task.preparing is None:
        return False
    accepted = Submission.objects.filter(pk=submission_id, state=Submission.State.ACCEPTED)
    has_moved = False
    while (submission := accepted.select_related("corpus").first()) and task.preparing.left(submission):
        task.preparing.step(submission)
        has_moved = True
    if has_moved and submission is not None and submission.go_ahead:
        nudge(SAMPLE_TASK)
    return has_moved and submission is not None
