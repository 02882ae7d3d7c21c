"""Fill the database with a world, and print its sessions and pages: ``python -m tests.pictures WORLD``."""

import json
import os
import sys

import django


def main(world: str) -> None:
    """Fill it, and print."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    django.setup()
    from django.test import override_settings

    from tests.integration.any_request.site import settings
    from tests.pictures import pages, worlds

    given = {name: value for name, value in settings().items() if name not in ("DEBUG", "HIT_BASE_URL")}
    given["PASSWORD_HASHERS"] = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # nobody signs in by one
    with override_settings(**given):
        site = worlds.WORLDS[world]()
    sessions = {who: worlds.signed_in(user) if user else "" for who, user in site.people.items()}
    found = []
    for page in pages.pages():
        path = pages.address(site, page) if page.who in sessions else None
        if path is not None:
            entry = {"label": page.label, "who": page.who, "path": path, "status": page.status}
            may_lead_on = page.name in pages.LEADING_ON
            found.append({**entry, "is_elsewhere": pages.is_elsewhere(page), "may_lead_on": may_lead_on})
    print(json.dumps({"sessions": sessions, "pages": found}))


if __name__ == "__main__":
    main(sys.argv[1])
