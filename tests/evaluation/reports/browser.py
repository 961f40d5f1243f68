"""Open a page in a headless browser and read the result."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), "")
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync
    --disable-background-networking --disable-component-update --virtual-time-budget=3000""".split()
VOID = {"br", "hr", "img", "input", "link", "meta", "wbr"}


@dataclass
class Element:
    """An element as the browser has it after the script has run."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(one if isinstance(one, str) else one.text for one in self.children)

    def all(self, tag: str = "", **wanted: str) -> "Iterator[Element]":
        """All elements below with this tag, and this id, class (one of them) or other attribute."""
        for child in self.children:
            if isinstance(child, str):
                continue
            have = {name: (child.attributes.get(name) or "").split() for name in wanted}
            if tag in ("", child.tag) and all(wanted[name] in have[name] for name in wanted):
                yield child
            yield from child.all(tag, **wanted)

    def one(self, id: str) -> "Element":
        (found,) = self.all(id=id)
        return found

    def texts(self, tag: str, **wanted: str) -> list[str]:
        return [each.text for each in self.all(tag, **wanted)]


class Tree(HTMLParser):
    """The elements that a browser wrote out; it closes all it opens."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open = [Element("document")]
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def drawn(html: str) -> Element:
    """Let the browser draw a page."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder, "page.html")
        file.write_bytes(html.encode())
        place = [f"--user-data-dir={folder}/profile", "--dump-dom", file.as_uri()]
        ran = subprocess.run([BROWSER, *FLAGS, *place], capture_output=True, timeout=60, check=True)
    return Tree(ran.stdout.decode()).open[0]


ACTING = """<script type="module">
const byId = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const texts = (selector) => all(selector).map((one) => one.textContent);
const options = (id) => [...byId(id).options].map((one) => one.value);
const choose = (id, value) => {
  byId(id).value = value;
  byId(id).dispatchEvent(new Event("change"));
};
const element = document.createElement("pre");
element.id = "told";
element.textContent = JSON.stringify((() => { %s })());
document.body.append(element);
</script></body>"""


def acted(html: str, script: str) -> Any:
    """Let a reader act on a page, which nothing may upset, and give what the script returns."""
    free = html.replace("Content-Security-Policy", "none")
    found = drawn(free.replace("</body>", ACTING % script))
    assert found.one("failure").text == ""
    return json.loads(found.one("told").text)
