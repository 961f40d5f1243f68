"""Several files that failed, told in few lines."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from caesura.errors import CaesuraError

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
