"""What a process of web does once, before it answers anybody."""

from django.template import engines
from django.template.loaders.cached import Loader

from kbpo import web_server


def test_no_template_is_read_while_somebody_waits() -> None:
    (cached,) = engines["django"].engine.template_loaders  # type: ignore[attr-defined]
    assert isinstance(cached, Loader)
    cached.reset()
    engines["tables"].env.cache.clear()  # type: ignore[attr-defined]
    web_server.read_templates()
    assert {"evaluation/board.html", "base.html", "hits/refused.html"} <= set(cached.get_template_cache)
    assert all("tables/" not in name for name in cached.get_template_cache)
    known = engines["tables"].env.cache  # type: ignore[attr-defined]
    assert {name for _, name in known} >= {"board.html", "marks.html"}
