"""Everything that can go wrong, in one small tree.

    CaesuraError            catch this to catch whatever Caesura raises on purpose
    ├── FormatError         a file is not what its format says; names file and line
    ├── AmbiguousFormat     the format cannot be told from the file; lists the candidates
    ├── UnknownName         no format, metric, detector or parameter of that name
    ├── LayerError          a layer is missing, or does not fit the words
    ├── ModelError          a model is damaged, too new, or not there yet
    ├── MismatchError       hypothesis and reference do not belong together
    ├── PluginError         a plug-in cannot be imported, or lacks what its kind needs
    └── OutputError         a result cannot be written where it was asked for

What a user should know but need not stop for goes to the logger `caesura`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

CLOSE = 0.7
"""How alike names are of which one may be meant by the other; 1 is the same."""


def same(name: str, known: Iterable[str]) -> str:
    """Give the known name that differs in case and dashes at most; or none."""
    return {_plain(each): each for each in known}.get(_plain(name), "")


def closest(name: str, known: Iterable[str]) -> str:
    """Give the known name that was likely meant; or none."""
    from difflib import get_close_matches

    plain = {_plain(each): each for each in known}
    found = get_close_matches(_plain(name), plain, n=1, cutoff=CLOSE)
    return plain[found[0]] if found else ""


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_")


def advice(name: str, known: Iterable[str], told: str = "known are", other: str = "") -> str:
    """Ask whether a known name was meant, or else tell all of them.

    Other advice goes before names that are merely close.
    """
    known = list(known)
    meant = same(name, known) or ("" if other else closest(name, known))
    if meant:
        return f"did you mean {meant!r}?"
    return other or f"{told} {', '.join(known) or 'none'}"


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


class PluginError(CaesuraError):
    """A plug-in cannot be imported, or lacks what its kind needs."""


class OutputError(CaesuraError):
    """A result cannot be written where it was asked for."""


logger = logging.getLogger("caesura")

SHOWN = 3
"""Files that are named of those that failed alike."""


def tell(failed: Sequence[CaesuraError], count: int, what: str) -> None:
    """Raise a single error as it is; of several, tell each kind once and raise their number."""
    if not failed:
        return
    if len(failed) == 1:
        raise failed[0]
    kinds: dict[tuple[str, str], list[CaesuraError]] = {}
    for error in failed:
        kinds.setdefault((error.what, error.remedy), []).append(error)
    number = f"{len(failed)} of {count} files {what}"
    if len(kinds) == 1:
        raise _together(failed, number)
    for alike in kinds.values():
        alone = len(alike) == 1
        logger.error("%s", alike[0] if alone else _together(alike, f"{len(alike)} files"))
    raise CaesuraError(f"{number}, as told above")


def _together(alike: Sequence[CaesuraError], number: str) -> CaesuraError:
    """Make one error of several that say the same of different files."""
    places = [error.where for error in alike[:SHOWN] if error.where]
    shown = ", ".join([*places, "…"] if len(alike) > SHOWN else places)
    where = f" ({shown})" if places else ""
    return CaesuraError(f"{number}: {alike[0].what}{where}", remedy=alike[0].remedy)
