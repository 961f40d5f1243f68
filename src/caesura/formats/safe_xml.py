"""Safe reading of XML: document types are refused, so no entities, other files or bombs."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.parsers.expat import errors

from caesura.core.errors import FormatError
from caesura.formats.base import Source

DEEPEST = 500
"""The deepest nesting of elements that is read; real files have far less."""


CHUNK = 1 << 22
"""Bytes that the parser gets at a time; it can stop for an error only between them."""


class _Builder(ElementTree.TreeBuilder):
    """Builds the elements; stops at a document type before it has any effect."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source
        self.depth = 0

    def start(self, tag: str, attrs: dict[str, str]) -> ElementTree.Element:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.source.error(f"the elements of this XML are nested over {DEEPEST} deep")
        return super().start(tag, attrs)

    def end(self, tag: str) -> ElementTree.Element:
        self.depth -= 1
        return super().end(tag)

    def doctype(self, *_: object) -> None:
        raise self.source.error(
            "this XML has a document type, which can hide harmful entities",
            remedy="remove the <!DOCTYPE ...> and try again",
        )


def tree(source: Source) -> ElementTree.Element:
    """Return the root element of an XML file."""
    try:
        return _parsed(source.data, source)
    except ElementTree.ParseError as error:
        if error.code != errors.codes[errors.XML_ERROR_UNBOUND_PREFIX]:
            raise _format_error(error, source) from error
    try:
        return _parsed(_with_declarations(source.data), source)
    except ElementTree.ParseError as error:
        raise _format_error(error, source) from error


def _parsed(data: bytes, source: Source) -> ElementTree.Element:
    head = data[:200].removeprefix(b"\xef\xbb\xbf").lower()
    wrong_encoding = head.startswith(b"<?xml") and b"utf-16" in head.split(b"?>")[0]
    encoding = "utf-8" if wrong_encoding else None
    parser = ElementTree.XMLParser(target=_Builder(source), encoding=encoding)  # noqa: S314 - safe by its builder
    try:
        for at in range(0, len(data), CHUNK):
            parser.feed(data[at : at + CHUNK])
        root: ElementTree.Element = parser.close()
    except (ValueError, LookupError) as error:
        raise source.error(
            "not XML in an encoding that can be read", remedy="save the file as UTF-8"
        ) from error
    return root


def _format_error(error: ElementTree.ParseError, source: Source) -> FormatError:
    line, _ = error.position
    return source.error(f"not XML: {str(error).split(': line')[0]}", line)


def _with_declarations(data: bytes) -> bytes:
    """Declare the namespace prefixes that the file uses without declaring them."""
    known = {b"xml", b"xmlns", *re.findall(rb"xmlns:([\w.-]+)\s*=", data)}
    used = set(re.findall(rb"[<\s/]([A-Za-z_][\w.-]*):[A-Za-z_]", data)) - known
    more = b"".join(b' xmlns:%b="%b"' % (name, name) for name in sorted(used))
    return re.sub(rb"<[A-Za-z_][^\s/>]*", lambda found: found[0] + more, data, count=1)


def local(tag: object) -> str:
    """Return the name of an element or attribute without its namespace; '' for comments."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legal(text: str) -> str:
    """Remove the characters that XML cannot hold."""
    return _ILLEGAL.sub("", text)
