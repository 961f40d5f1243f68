"""Everything that can go wrong, in one small tree.

    CaesuraError            catch this to catch whatever Caesura raises on purpose
    ├── FormatError         a file is not what its format says; names file and line
    ├── AmbiguousFormat     the format cannot be told from the file; lists the candidates
    ├── UnknownName         no format, metric, detector or parameter of that name
    ├── LayerError          a layer is missing, or does not fit the words
    ├── ModelError          a model is damaged, too new, or not there yet
    ├── MismatchError       hypothesis and reference do not belong together
    └── OutputError         a result cannot be written where it was asked for

What a user should know but need not stop for goes to the logger `caesura`.
"""


class CaesuraError(Exception):
    """A problem told in one line: what it is, where it is, and what to do about it."""

    LONGEST = 400
    """Characters of `what`; a damaged file can be one endless word, and is quoted in part."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        if len(what) > self.LONGEST:
            what = f"{what[: self.LONGEST // 2]} … {what[-self.LONGEST // 2 :]}"
        self.what = what
        self.where = where
        self.remedy = remedy
        place = f"{where}: " if where else ""
        advice = f"; {remedy}" if remedy else ""
        super().__init__(f"{place}{what}{advice}")


class FormatError(CaesuraError):
    """A file is not what its format says."""


class AmbiguousFormat(CaesuraError):  # noqa: N818 - reads as what it is
    """The format of a file cannot be told from its name and content."""


class UnknownName(CaesuraError):  # noqa: N818
    """A name or parameter that nothing is registered under."""


class LayerError(CaesuraError):
    """A layer of a transcript is missing or does not fit its words."""


class ModelError(CaesuraError):
    """A model is damaged, newer than this program, or has yet to be trained."""


class MismatchError(CaesuraError):
    """Things that were to be compared do not belong together."""


class OutputError(CaesuraError):
    """A result cannot be written where it was asked for."""
