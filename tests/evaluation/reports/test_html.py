"""The report page: data stay data, nothing is fetched, and it stays small."""

import base64
import hashlib
import json
import random
import re
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.evaluation.reports.page import SCRIPTS, render_page

NASTY = [
    "</script><script>alert(1)</script>",
    "</SCRIPT >",
    "<!--<script>",
    "--> ]]> </title></style>",
    "\"'`\\ ${x} {{payload}} {{script}}",
    "a<b & c>d &lt; &amp;",
    "line\u2028and\u2029paragraph",
    "\x00\x1f\x7f\ufeff\ufffe",
    "half a pair: \ud83d, a whole one: \U0001f600",
    "نص عربي",
    "日本語",
]


def payload(title: str = "Report", words: str = "one\ntwo", **more: Any) -> dict[str, Any]:
    """A small report, complete by the contract of the page."""
    view = {
        "words": words,
        "references": [[0], [1]],
        "systems": [{"system": 0, "gaps": [0]}],
        "windows": [[0, 1]],
    }
    document = {
        "id": title,
        "words_count": 2,
        "values": [[{"f1": 0.5}]],
        "coverage": [],
        "views": [view],
    }
    score = {
        "system": 0,
        "metric": 0,
        "values": {"f1": 0.5, "kappa": None},
        "undefined": {"kappa": title},
        "intervals": {"f1": [0.25, 1e-7]},
        "counts": [],
        "signature": title,
        "remarks": [title],
    }
    metric = {"metric": "M()", "name": "M", "main": "f1", "best": {"f1": 1.0}, "about": title}
    metric |= {"listed": {"value": "f1", "best": 1.0}}
    return {
        "title": title,
        "version": "1.0",
        "among": False,
        "systems": [title],
        "references": ["r1", title],
        "metrics": [metric],
        "scores": [score],
        "sweeps": [],
        "comparison": None,
        "documents": [document],
        "worst_first": [[0]],
        **more,
    }


class Elements(HTMLParser):
    """The elements of a page, and the raw text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, str] = {}
        self.title = ""
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        names = {"script": dict(attrs).get("type") or "script", "style": "style", "title": "title"}
        self._inside = names.get(tag, "")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "title":
            self.title += data
        elif self._inside:
            self.raw[self._inside] = self.raw.get(self._inside, "") + data


def embedded(text: str) -> Any:
    """The payload as a browser would find it."""
    return json.loads(Elements(text).raw["application/json"])


def whole(given_payload: dict[str, Any]) -> Any:
    """The payload with the sign for what cannot be shown instead of half a surrogate pair."""
    text = json.dumps(given_payload, ensure_ascii=False)
    return json.loads(re.sub("[\ud800-\udfff]", "\ufffd", text))


PLAIN = Elements(render_page(payload()))


@pytest.mark.parametrize("text", NASTY)
def test_texts_come_back_equal_and_add_no_element(text: str) -> None:
    given_payload = payload(title=text, words=f"{text}\n{text}")
    found = Elements(render_page(given_payload))
    assert json.loads(found.raw["application/json"]) == whole(given_payload)
    assert found.tags == PLAIN.tags
    assert found.raw["module"] == PLAIN.raw["module"]


@given(st.text(st.characters(), max_size=40))
def test_any_text_comes_back_equal(text: str) -> None:
    given_payload = payload(title=text, words=text)
    written = render_page(given_payload).encode("utf-8").decode("utf-8")
    assert embedded(written) == whole(given_payload)
    assert Elements(written).tags == PLAIN.tags


def test_the_data_hold_no_character_that_means_something_in_html() -> None:
    data = Elements(render_page(payload(title="".join(NASTY)))).raw["application/json"]
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", data)


def test_the_title_is_text() -> None:
    title = "</title><b>A & B</b>"
    assert Elements(render_page(payload(title=f"{title}\ud83d"))).title == f"{title}\ufffd"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        render_page(payload(sweeps=[number]))


def test_nothing_is_loaded() -> None:
    for tag, attributes in PLAIN.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
        assert not {"src", "srcset", "action", "style"} & attributes.keys(), tag
        assert (attributes.get("href") or "#").startswith("#"), tag
    code = PLAIN.raw["module"].replace("http://www.w3.org/2000/svg", "")
    for source in (PLAIN.raw["style"], code):
        assert not re.search(r"(?i)https?:|//\w+\.\w|@import|url\(", source)
    assert not re.search(r"fetch\(|XMLHttp|WebSocket|sendBeacon|import\(|EventSource|Worker", code)


def test_the_policy_allows_just_this_style_and_script() -> None:
    [policy] = [
        attributes["content"] or ""
        for _, attributes in PLAIN.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for name, text in (("style-src", PLAIN.raw["style"]), ("script-src", PLAIN.raw["module"])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules.pop(name) == f"'sha256-{digest}'"
    assert set(rules.values()) == {"'none'"}
    assert "default-src" in rules


def test_the_script_makes_no_markup_out_of_text() -> None:
    code = PLAIN.raw["module"]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", code)
    assert "<!--" not in code
    assert "</script" not in code.lower()


def test_every_part_of_the_script_is_in_the_page_once() -> None:
    folder = resources.files("caesura.evaluation.reports").joinpath("assets")
    files = {file.name for file in folder.iterdir() if file.name.endswith(".js")}
    assert files == {f"{part}.js" for part in SCRIPTS}
    for name in files:
        first = folder.joinpath(name).read_text(encoding="utf-8").splitlines()[0]
        assert PLAIN.raw["module"].count(first) == 1


def test_what_the_script_looks_for_is_there() -> None:
    ids = [attributes["id"] for _, attributes in PLAIN.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = set(re.findall(r'(?:byId|reveal)\("([\w-]+)"\)', PLAIN.raw["module"]))
    assert len(wanted) > 20
    assert wanted <= set(ids)


def test_a_hundred_thousand_words_stay_under_five_megabytes() -> None:
    dice = random.Random(1)
    size = 100_000
    words = "\n".join("w" * dice.randint(1, 11) for _ in range(size))

    def gaps() -> list[int]:
        return sorted(dice.sample(range(size), size // 12))

    view = {
        "words": words,
        "references": [gaps() for _ in range(3)],
        "systems": [{"system": s, "gaps": gaps()} for s in range(2)],
        "windows": [[gap, gap + 2] for gap in gaps()],
    }
    document = {
        "id": "long",
        "words_count": size,
        "values": [[{}], [{}]],
        "coverage": [],
        "views": [view],
    }
    long = payload(systems=["a", "b"], references=["x", "y", "z"], documents=[document])
    written = render_page(long).encode()
    assert len(written) < 5_000_000
    assert embedded(written.decode()) == long


def test_the_page_itself_is_small() -> None:
    assert len(render_page(payload()).encode()) < 150_000
