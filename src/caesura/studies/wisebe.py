"""The study behind `reproduce wisebe`: González-Gallardo and Torres-Moreno 2018 computed again.

Their video v6 to the digit, their tables checked against each other, and their two questions
(how far do annotators agree, and does the ranking of systems depend on the reference) put to
corpora with real transcripts of several people.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from caesura.errors import FormatError
from caesura.numeric.stats import Resampling
from caesura.studies import systems, transcribers, wisebe_agreement, wisebe_rankings
from caesura.studies.rankings import Ranking
from caesura.studies.transcribers import CORPORA, Accord, Group
from caesura.studies.wisebe_claims import claims
from caesura.studies.wisebe_figures import figures
from caesura.studies.wisebe_misprints import tables
from caesura.studies.wisebe_tables import CANDIDATES
from caesura.studies.wisebe_video import video
from caesura.studies.writing import Outcome, Part, as_bytes, listed, refuse_file, write
from caesura.version import __version__

logger = logging.getLogger("caesura")

RESAMPLING = Resampling()
SYSTEMS = "Two systems: whom does one trust?"
CLAIMS = "What this says of the paper's claims"
FOLDERS = ("wisebe", *(corpus.name for corpus in CORPORA))
FILES = [f"references/reference_{i}.txt" for i in (1, 2, 3)]
FILES += [f"candidate/{name}.txt" for name in CANDIDATES.values()]


def run(data: Path, out: Path) -> Outcome:
    """Run the study on the corpora below `data` and write the report into `out`."""
    refuse_file(out)
    absent = lacking(data)
    if all(name in absent for name in FOLDERS):
        raise FormatError(
            "there is no corpus that the study can use",
            where=str(data),
            remedy="give a folder that holds " + ", ".join(f"{name}/" for name in FOLDERS),
        )
    accords = {
        corpus.name: _accord(corpus, data) for corpus in CORPORA if corpus.name not in absent
    }
    found: list[Ranking] = []
    if accords and "systems" not in absent:
        trained = systems.trained(data)
        found = [Ranking(each, trained, RESAMPLING) for each in accords.values()]
    parts = list(_parts(data, absent, accords, found))
    logger.info("writing to %s", out)
    return _written(out, parts, figures(list(accords.values()), found))


def lacking(data: Path) -> dict[str, str]:
    """Say for each part that cannot be done what it lacks."""
    found = {corpus.name: transcribers.lacking(corpus, data) for corpus in CORPORA}
    found["systems"] = systems.lacking(data)
    if all(found[corpus.name] for corpus in CORPORA):
        found["systems"] = "there is no corpus to compare them on"
    missing = [file for file in FILES if not (data / "wisebe" / file).is_file()]
    if not (data / "wisebe").is_dir():
        found["wisebe"] = "there is no folder wisebe/"
    elif missing:
        found["wisebe"] = f"there is no wisebe/{missing[0]}"
    return {name: reason for name, reason in found.items() if reason}


def _accord(corpus: transcribers.Corpus, data: Path) -> Accord:
    logger.info("reading %s", corpus.name)
    return Accord(Group.read(corpus, data), RESAMPLING)


def _parts(
    data: Path,
    absent: Mapping[str, str],
    accords: Mapping[str, Accord],
    found: Sequence[Ranking],
) -> list[Part]:
    """Make all chapters; one that lacks its corpus says so."""
    makers: list[tuple[str, str, Callable[[int], Part]]] = [
        ("wisebe", "The paper's video v6", lambda at: video(at, data)),
        ("", "The paper's tables checked", tables),
    ]
    makers += [(corpus.name, corpus.name, _agreement(corpus.name, accords)) for corpus in CORPORA]
    makers += [
        ("systems", SYSTEMS, lambda at: wisebe_rankings.chapter(at, found)),
        ("", CLAIMS, lambda at: claims(at, list(accords.values()), found, RESAMPLING)),
    ]
    parts = []
    for section, (name, title, make) in enumerate(makers, 1):
        if name in absent:
            told = f"**Left out**: {absent[name]}."
            short = f"Left out: {title} ({absent[name]})."
            numbers = {"left_out": absent[name]}
            parts.append(Part(name, f"{section}. {title}", told, numbers, (short,)))
        else:
            logger.info("section %d: %s", section, title)
            parts.append(make(section))
    return parts


def _agreement(name: str, accords: Mapping[str, Accord]) -> Callable[[int], Part]:
    return lambda section: wisebe_agreement.chapter(section, accords[name])


def _written(out: Path, parts: Sequence[Part], drawn: Mapping[str, bytes]) -> Outcome:
    title = "# WiSeBE (González-Gallardo and Torres-Moreno 2018) computed again"
    short = listed([line for part in parts for line in part.short])
    chapters = "\n\n".join(f"## {part.title}\n\n{part.text}" for part in parts)
    report = "\n\n".join([title, "## In short", short, chapters, _pictures(drawn), _made()]) + "\n"
    numbers = {part.key: part.numbers for part in parts} | {"caesura": __version__}
    contents = {"report.md": report.encode(), "results.json": as_bytes(numbers), **drawn}
    files = write(out, contents)
    return Outcome(f"{title}\n\n{short}\n", numbers, files)


def _pictures(drawn: Mapping[str, bytes]) -> str:
    if not drawn:
        told = "Left out: matplotlib is not installed (`pip install 'caesura[plot]'`)."
        return f"## Figures\n\n{told}"
    first, *others = drawn
    shown = [f"Kappa over R_GAR, a point for each recording:\n\n![kappa over R_GAR]({first})"]
    for name in others:
        told = "Difference of the two systems in each recording, by reference:"
        shown.append(f"{told}\n\n![differences of two systems]({name})")
    return "\n\n".join(["## Figures", *shown])


def _made() -> str:
    return (
        "## How the numbers were made\n\n"
        f"Caesura {__version__}; resampling {RESAMPLING}. Everything is computed from counts "
        "summed over recordings, never from means of rates, unless a line says so. The same data "
        "and version give the same numbers; `results.json` has them all, with the signatures "
        "that reproduce each."
    )
