"""Errors of input, files, models and comparisons, and how unknown names are answered.

    CaesuraError            catch this to catch all of these
    ├── FormatError         a file is not what its format says; names file and line
    ├── AmbiguousFormat     the format of a file is not clear; lists the candidates
    ├── UnknownName         no format, metric, detector or parameter of that name
    ├── LayerError          a layer is missing, or does not fit the words
    ├── ModelError          a model is damaged, too new, or not there yet
    ├── MismatchError       hypothesis and reference do not belong together
    ├── PluginError         a plug-in cannot be imported, or lacks what its kind needs
    └── OutputError         a result cannot be written where it was asked for

A message is one line: where, what is wrong, and what to do. Warnings go to the logger `caesura`.

Wrong arguments are no `CaesuraError` but, as in any Python library, a `TypeError` (a class in
place of its object, a text in place of a transcript) or a `ValueError` (`Pause(threshold=-1)`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

CLOSE = 0.7
"""How similar a name must be to be suggested; 1 is equal."""


def same_name(name: str, known: Iterable[str]) -> str:
    """Return the known name that differs in case and dashes at most, or ''."""
    return {_plain(each): each for each in known}.get(_plain(name), "")


def closest_name(name: str, known: Iterable[str]) -> str:
    """Return the most similar known name, or '' if none is close."""
    from difflib import get_close_matches

    plain = {_plain(each): each for each in known}
    close = get_close_matches(_plain(name), plain, n=1, cutoff=CLOSE)
    return plain[close[0]] if close else ""


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_")


def advice(name: str, known: Iterable[str], intro: str = "known are", other: str = "") -> str:
    """Suggest the known name that was probably meant, or list all known names after `intro`.

    `other` is advice that comes before names that are merely similar.
    """
    known = list(known)
    meant = same_name(name, known) or ("" if other else closest_name(name, known))
    if meant:
        return f"did you mean {meant!r}?"
    return other or f"{intro} {', '.join(known) or 'none'}"


class CaesuraError(Exception):
    """A problem in one line: `where` it is, `what` it is, and what to do (`remedy`).

    All problems of input, files, models, names and comparisons are of this class. Arguments of a
    wrong type are a `TypeError`, and wrong settings of an object a `ValueError`, as in any Python
    library; in a text such as 'Pause(threshold=-1)', wrong settings are a `CaesuraError` too.
    """

    LONGEST = 400
    """The most characters of `what`: a damaged file may be one very long word."""

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
    """The format of a file is not clear from its name and content."""


class UnknownName(CaesuraError):  # noqa: N818
    """There is no format, metric, detector or setting of that name."""


class LayerError(CaesuraError):
    """A layer of a transcript is missing, or does not fit its words."""


class ModelError(CaesuraError):
    """A model is damaged, newer than this program, or not trained yet."""


class MismatchError(CaesuraError):
    """A hypothesis and a reference, or other data to compare, do not belong together."""


class PluginError(CaesuraError):
    """A plug-in cannot be imported, or lacks what its kind needs."""


class OutputError(CaesuraError):
    """A result cannot be written where it was asked for."""


logger = logging.getLogger("caesura")

SHOWN = 3
"""Files that are named, of those with the same error."""


def raise_failures(failed: Sequence[CaesuraError], count: int, what: str) -> None:
    """Raise the errors of `count` files as one: a single one as it is, several by their number.

    If several differ, each kind is logged once.
    """
    if not failed:
        return
    if len(failed) == 1:
        raise failed[0]
    kinds: dict[tuple[str, str], list[CaesuraError]] = {}
    for error in failed:
        kinds.setdefault((error.what, error.remedy), []).append(error)
    number = f"{len(failed)} of {count} files {what}"
    if len(kinds) == 1:
        raise _joined_error(failed, number, what.replace("could not", "cannot"))
    for alike in kinds.values():
        alone = len(alike) == 1
        logger.error("%s", alike[0] if alone else _joined_error(alike, f"{len(alike)} files"))
    raise CaesuraError(f"{number}, see above")


def _joined_error(alike: Sequence[CaesuraError], number: str, said: str = "") -> CaesuraError:
    """Make one error of equal ones of different files; what `number` has `said` is left out."""
    places = [error.where for error in alike[:SHOWN] if error.where]
    shown = ", ".join([*places, "…"] if len(alike) > SHOWN else places)
    where = f" ({shown})" if places else ""
    what = alike[0].what.removeprefix(f"{said}: ")
    return CaesuraError(f"{number}: {what}{where}", remedy=alike[0].remedy)
