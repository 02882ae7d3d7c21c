"""Values that nobody sends who means well, and that a form, an address or a header may hold all the same."""

import base64
import json

#: As bytes: an address and a form are percent-encoded bytes, which need not be UTF-8.
TEXTS: dict[str, bytes] = {
    "nothing": b"",
    "a NUL": b"a\0b",
    "a lone surrogate": b"\xed\xa0\x80",
    "no UTF-8": b"\xff\xfe",
    "beyond a bigint": b"9" * 30,
    "just beyond a bigint": str(2**63).encode(),
    "just beyond an integer": str(2**31).encode(),
    "more digits than int() reads": b"9" * 5_000,
    "below zero": b"-1",
    "digits of another script": "٣".encode(),
    "digits that are none": "²".encode(),
    "no number": b"NaN",
    "beyond a float": b"1e999",
    "a control character": b"a\x1bb\x7f",
    "two lines": b"a\r\nX-Injected: 1",
    "markup": b"<script>'\"&amp;</script>{{ 1 }}%s",
    "another site": b"//elsewhere.example/",
    "a way out": b"../../../etc/passwd",
    "a uuid": b"00000000-0000-0000-0000-000000000000",
    "deep nesting": b"[" * 5_000,
    "long": b"x" * 20_000,
}
#: Those that a service is most likely to stumble over.
LIKELY_TEXTS = {
    words: TEXTS[words]
    for words in (
        *("nothing", "a NUL", "a lone surrogate", "beyond a bigint", "just beyond an integer", "below zero"),
        *("more digits than int() reads", "digits of another script", "no number", "long"),
    )
}
#: Those for somebody to whom most of an address is closed.
FEW_TEXTS = {words: TEXTS[words] for words in ("a NUL", "a lone surrogate", "beyond a bigint")}
VERY_LONG = b"x" * 1_000_000


HEADERS: dict[str, tuple[str, ...]] = {
    "Accept": ("*/*;q=x", "application/vnd." + "x" * 5_000, "text/html;q=1e999", "\xff"),
    "Accept-Language": ("x" * 5_000, "en;q=" + "9" * 5_000, "\xff"),
    "Accept-Encoding": ("gzip;q=" + "9" * 5_000,),
    "Authorization": ("", "Basic \xff", "Basic " + "A" * 5_000, "AWS4-HMAC-SHA256 Credential=a/b"),
    "Content-Encoding": ("gzip",),
    "Cookie": (
        "sessionid=\0; csrftoken=\xff",
        "sessionid=" + "x" * 5_000,
        "messages=\xff; =; ;;",
        "sessionid",
    ),
    "Host": ("x" * 300, "a b", "[::1", "testserver:" + "9" * 5_000),
    "If-Modified-Since": ("Thu, 99 Jan 99999 00:00:00 GMT", "x", "9" * 5_000),
    "If-None-Match": ("\xff", '"' + "x" * 5_000),
    "If-Unmodified-Since": ("Thu, 01 Jan 0001 00:00:00 GMT",),
    "Origin": ("null", "http://[", "\xff"),
    "Range": ("bytes=" + "9" * 5_000 + "-", "bytes=-", "x"),
    "Referer": ("http://[", "\xff", "x" * 5_000),
    "Tus-Resumable": ("", "\xff"),
    "Upload-Length": ("-1", "9" * 5_000, "9" * 18, "٣", "x", ""),
    "Upload-Metadata": (
        *("filename", "filename !", "filename /w==", "filename 7aCA", "filename AAAA", ", ,", "\xff"),
        *(
            f"{key} {base64.b64encode(value).decode()}"
            for key in ("filename", "lastmodified", "sha256")
            for value in TEXTS.values()
        ),
    ),
    "Upload-Offset": ("-1", "9" * 5_000, "9" * 18, "٣", "x", ""),
    "X-Amz-Date": ("99999999T999999Z", "\xff"),
    "X-Amz-Target": ("", "x" * 5_000, "\xff"),
    "X-CSRFToken": ("\0", "\xff", "x" * 5_000),
    "X-Forwarded-For": ("\xff", "x" * 5_000),
    "X-Forwarded-Host": ("a b",),
    "X-HTTP-Method-Override": ("\xff",),
    "X-Requested-With": ("\xff",),
}

#: JSON as it is sent: some of it no library would write.
JSON_VALUES = {
    "null": "null",
    "a truth value": "true",
    "below zero": "-1",
    "nothing": "0",
    "beyond an integer": str(2**31),
    "beyond a bigint": str(2**63),
    "beyond any number": "1" + "0" * 400,
    "more digits than int() reads": "9" * 5_000,
    "a fraction": "0.5",
    "no number": "NaN",
    "beyond a float": "1e999",
    "an empty string": '""',
    "a NUL": r'"a\u0000"',
    "a lone surrogate": r'"\ud800"',
    "a string of digits": json.dumps("9" * 5_000),
    "a long string": json.dumps("x" * 100_000),
    "a control character": r'"\u001b"',
    "markup": json.dumps("<a>&<![CDATA["),
    "an empty list": "[]",
    "an empty object": "{}",
    "a list": '["x"]',
    "an object": '{"x": 1}',
    "deep nesting": "[" * 900 + "]" * 900,
}
#: Those that a service is most likely to stumble over.
_LIKELY = (
    *("null", "beyond a bigint", "more digits than int() reads", "no number", "a NUL", "a lone surrogate"),
    *("a long string", "a list"),
)
FEW_JSON_VALUES = {words: JSON_VALUES[words] for words in _LIKELY}
