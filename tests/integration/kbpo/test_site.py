"""What the site says of itself."""

import re
import struct

import pytest
from django.template import Context, Template

from tests.conftest import ROOT

pytestmark = pytest.mark.django_db


def test_robots_are_told_of_nothing_that_is_hidden(client):
    named = client.get("/robots.txt").content.decode()
    assert "User-agent: *" in named
    assert not re.search("admin|desk|hits|marketplace|work|crowd|teams|backup", named)


def test_who_runs_the_site_says_to_whom_one_writes(client, settings):
    settings.CONTACT_EMAIL = "kbp@example.org"
    assert 'href="mailto:kbp@example.org"' in client.get("/about/").content.decode()


def test_browsers_that_ask_for_the_old_icon_get_it_in_several_sizes(client):
    icon = client.get("/favicon.ico").content
    reserved, kind, count = struct.unpack("<HHH", icon[:6])
    assert (reserved, kind) == (0, 1)
    assert {icon[6 + 16 * n] for n in range(count)} >= {16, 32}


def test_a_link_to_a_page_is_previewed_by_its_title_and_a_picture_of_the_size_that_is_said(client, settings):
    settings.SITE_URL = "https://kbpo.example.org"
    page = client.get("/about/").content.decode()
    assert '<meta property="og:title" content="About · KBP Online">' in page
    assert '<meta property="og:url" content="https://kbpo.example.org/about/">' in page
    assert 'content="https://kbpo.example.org/static/img/preview.png"' in page
    picture = (ROOT / "static" / "img" / "preview.png").read_bytes()
    assert struct.unpack(">II", picture[16:24]) == (1200, 630)


def test_a_title_ends_no_attribute():
    lines = Template('{% load previews %}{% previewed %}<title>\n {{ name }} "x"</title>{% endpreviewed %}')
    page = lines.render(Context({"name": 'a"><script>'}))
    assert "<script>" not in page
    assert 'content="a&quot;&gt;&lt;script&gt; &quot;x&quot;">' in page


@pytest.mark.parametrize(
    ("transport", "says"),
    [("kbpo.core.mail.files.FileBackend", True), ("django.core.mail.backends.smtp.EmailBackend", False)],
)
def test_where_mail_is_kept_instead_of_sent_the_pages_say_where_it_lies(
    client, settings, tmp_path, transport, says
):
    settings.MAIL_TRANSPORT, settings.EMAIL_FILE_PATH = transport, tmp_path / "mail"
    page = client.get("/accounts/password/reset/done/").content.decode()
    assert (str(tmp_path / "mail") in page) is says
