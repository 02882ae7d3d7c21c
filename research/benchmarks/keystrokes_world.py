"""Database work of the benchmark of keystrokes: ``python -m research.benchmarks.keystrokes_world W M``.

It asks about the one document, has an annotator hold the question with M mentions marked in its W words, and
prints where the page is and how to be signed in there.
"""

import json
import sys
from datetime import timedelta
from typing import Any


def main(words: int, mentions: int) -> None:
    import django

    django.setup()
    from django.urls import reverse
    from django.utils import timezone

    from annotations import questions
    from annotations.models import Document
    from crowd.models import Reservation
    from kbpo.accounts.models import User

    document = Document.objects.get()
    found = sum(len(sentence.token_starts) for sentence in document.sentences.all())
    if found != words:
        raise SystemExit(f"the document has {found} words instead of {words}")
    question = questions.ask_entities([document.pk])[document.pk]
    user = User(email="annotator@example.org", name="Annotator", is_annotator=True)
    user.set_unusable_password()
    user.save()
    now = timezone.now()
    Reservation.objects.create(
        question=question,
        worker=user,
        taken_at=now,
        expires_at=now + timedelta(hours=2),
        draft=draft(words, mentions),
        draft_number=1,
    )
    address = reverse("annotate_question", args=[question.pk])
    print(json.dumps({"address": address, "session": sign_in(user)}))


def draft(words: int, mentions: int) -> dict[str, Any]:
    """Return a draft with so many mentions, each third of a new entity."""
    marked, entities = [], []
    for number in range(mentions):
        first = number * (words // mentions)
        entity = number // 3 + 1
        marked.append({"id": number + 1, "first": first, "last": first + 1, "type": "PER", "entity": entity})
        if number % 3 == 0:
            entities.append(
                {"id": entity, "type": "PER", "canonical": number + 1, "isChosen": False, "link": None}
            )
    return {
        "words": words,
        "mentions": marked,
        "entities": entities,
        "dismissed": [],
        "checked": [],
        "next": {"mention": mentions + 1, "entity": len(entities) + 1},
    }


def sign_in(user: Any) -> str:
    """Sign somebody in; return the key of the session."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return session.session_key or ""


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    main(*map(int, sys.argv[1:]))
