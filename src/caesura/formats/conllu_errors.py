"""What is wrong with a CoNLL-U file, and in which line: slow, and sure of it."""

from __future__ import annotations

import re

from caesura.errors import FormatError
from caesura.formats.source import Source, counted

NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
EMPTY = re.compile(r"[0-9]+\.[0-9]+")


def complaint(text: str, number: int, columns: list[str], source: Source) -> FormatError:
    """Find the first fault in sentences that begin in line `number`."""
    sentence = _Sentence(columns, source)
    for line, row in enumerate([*text.split("\n"), ""], number):
        if not row:
            fault = sentence.ended()
            sentence = _Sentence(columns, source)
        else:
            fault = None if row.startswith("#") else sentence.add(row.split("\t"), line)
        if fault:
            return fault
    return source.error("this is no CoNLL-U")


class _Sentence:
    """One sentence, row by row."""

    def __init__(self, columns: list[str], source: Source) -> None:
        self.columns, self.source = columns, source
        self.heads: list[tuple[str, int]] = []
        self.last = (0, 0)

    def add(self, row: list[str], line: int) -> FormatError | None:
        """Take a row: a word, a multiword token or an empty node."""
        width, id = len(self.columns), row[0]
        if len(row) != width:
            return self.source.error(
                f"a row has {counted(len(row), 'column', 'columns')} where {width} are needed",
                line,
                "columns are set apart by one TAB, sentences by an empty line",
            )
        if not row[self.columns.index("FORM")]:
            return self.source.error("a word is empty", line)
        if EMPTY.fullmatch(id):
            return None
        span, expected = RANGE.fullmatch(id), str(len(self.heads) + 1)
        if (span[1] if span else id) != expected:
            return self.source.error(f"id {id!r} stands where {expected} should", line)
        if span and int(span[2]) < int(span[1]):
            return self.source.error(f"the multiword token {id!r} has no words", line)
        if span:
            self.last = max(self.last, (int(span[2]), line))
        else:
            self.heads.append(
                (row[self.columns.index("HEAD")] if "HEAD" in self.columns else "_", line)
            )
        return None

    def ended(self) -> FormatError | None:
        """Check what the rows point at."""
        count = len(self.heads)
        if self.last[0] > count:
            return self.source.error("a multiword token goes on after the sentence", self.last[1])
        for head, line in self.heads:
            if head != "_" and not (NUMBER.fullmatch(head) and int(head) <= count):
                return self.source.error(f"head {head!r} is no word of the sentence", line)
        return None
