from django.test import Client


def test_every_page_refuses_to_be_framed(client: Client, db: None) -> None:
    response = client.get("/accounts/login/")
    assert response.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]


def test_a_page_that_is_not_there_refuses_as_well(client: Client, db: None) -> None:
    response = client.get("/no/such/page/")
    assert response.status_code == 404
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
