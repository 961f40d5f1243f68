"""XML that cannot do harm: no document type, hence no entities, no other files, no bombs."""

from __future__ import annotations

from xml.etree import ElementTree

from caesura.errors import FormatError
from caesura.formats.source import Source


class _Builder(ElementTree.TreeBuilder):
    """Builds elements and stops at a document type, before anything in it takes effect."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source

    def doctype(self, *_: object) -> None:
        raise self.source.error(
            "this XML has a document type, which can hide harmful entities",
            remedy="remove the <!DOCTYPE ...> and try again",
        )


def tree(source: Source) -> ElementTree.Element:
    """Give the root element of an XML file."""
    head = source.data[:200].removeprefix(b"\xef\xbb\xbf").lower()
    told_wrongly = head.startswith(b"<?xml") and b"utf-16" in head.split(b"?>")[0]
    encoding = "utf-8" if told_wrongly else None
    parser = ElementTree.XMLParser(target=_Builder(source), encoding=encoding)  # noqa: S314 - safe by its builder
    try:
        parser.feed(source.data)
        root: ElementTree.Element = parser.close()
    except ElementTree.ParseError as error:
        line, _ = error.position
        what = str(error).split(": line")[0].replace("\n", " ")
        raise source.error(f"not XML: {what}", line) from error
    except FormatError:
        raise
    except (ValueError, LookupError) as error:
        raise source.error(
            "not XML in an encoding that can be read", remedy="save the file as UTF-8"
        ) from error
    return root


def local(tag: object) -> str:
    """Name of an element or attribute without its namespace; '' for comments and the like."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
