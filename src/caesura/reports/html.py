"""The report as one HTML file that needs nothing else, neither files nor a network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

SCRIPTS = tuple(
    """base tables comparison curves documents differences reading judging draw strip text
    alignment start""".split()
)
"""The parts of the page's script, in the order in which they are joined."""

SLOT = re.compile(r"\{\{(\w+)\}\}")
UNSAFE = re.compile("[<>&\u2028\u2029]")
HALF = re.compile("[\ud800-\udfff]")


def page(payload: Mapping[str, Any]) -> str:
    """Lay out a report: the payload goes into the page as data, never as markup or script."""
    style = _file("page.css")
    script = "\n".join(_file(f"{part}.js") for part in SCRIPTS)
    parts = {
        "policy": _policy(style, script),
        "title": html.escape(_whole(payload["title"])),
        "version": html.escape(payload["version"]),
        "style": style,
        "script": script,
        "payload": _data(payload),
    }
    # One pass, so that a slot's name inside the payload is text like any other.
    return SLOT.sub(lambda slot: parts[slot[1]], _file("page.html"))


def _data(payload: Mapping[str, Any]) -> str:
    """JSON without any character that could end the element or not be written as UTF-8."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", _whole(text))


def _policy(style: str, script: str) -> str:
    """Allow just this style and this script, and no connection to anywhere."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _whole(text: str) -> str:
    """Half a surrogate pair can be neither written as UTF-8 nor shown."""
    return HALF.sub("\ufffd", text)


def _file(name: str) -> str:
    return resources.files(__package__).joinpath("page", name).read_text(encoding="utf-8")
