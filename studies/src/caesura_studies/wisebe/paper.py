"""The numbers of the WiSeBE paper (González-Gallardo and Torres-Moreno 2018), as printed.

They are strings because digits matter: a number printed with three digits stands for all numbers
that round to it. The output of the authors' program for the public video is here too. The functions
at the end fit whole numbers of boundaries to the cells of Table 4.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations, product

from caesura_studies.report import Number, wrong

ALL = "all"
"""The total or the mean over all videos."""

VIDEOS = tuple(f"v{i}" for i in range(1, 11))
REFERENCES = ("ref_1", "ref_2", "ref_3")
COLUMNS = (*REFERENCES, "mean")
SYSTEMS = ("S1", "S2")
MEASURES = ("P", "R", "F1")
RATIO, KAPPA = "R_GAR", "kappa"
MEAN_F1, WINDOWS, WISEBE = SCORES = ("mean F1", "F1 over windows", "WiSeBE")


def _rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


BY_VIDEO = {
    (name, video): best_fit
    for name, *cells in _rows("""
ref_1 38 42 17 11 55 87 109 72 55 16 502
ref_2 33 42 16 14 54 98 92 65 51 20 485
ref_3 23 20 10 6 39 39 76 30 29 9 281
S1 53 38 15 13 54 108 106 70 71 11 539
S2 38 37 12 11 36 92 86 46 53 13 424
R_GAR .691 .688 .684 .578 .767 .541 .617 .525 .604 .619
kappa .776 .697 .757 .696 .839 .630 .743 .655 .704 .718
""")
    for video, best_fit in zip((*VIDEOS, ALL), cells, strict=False)
}
"""Tables 2 (references) and 3 (systems): boundaries; Table 6: agreement."""

ROWS_4 = _rows("""
v1  S1 .396 .553 .462  .377 .606 .465  .264 .609 .368   .346 .589 .432
v1  S2 .474 .474 .474* .474 .545 .507* .368 .6087 .459* .439 .543 .480*
v2  S1 .605 .548 .575* .711 .643 .675* .368 .700 .483*  .561 .630 .578*
v2  S2 .595 .524 .557  .676 .595 .633  .351 .650 .456   .541 .590 .549
v3  S1 .333 .294 .313  .267 .250 .258  .200 .300 .240   .267 .281 .270
v3  S2 .417 .294 .345* .417 .313 .357* .250 .300 .273*  .361 .302 .325*
v4  S1 .615 .571 .593  .462 .545 .500  .308 .667 .421   .462 .595 .505
v4  S2 .909 .714 .800* .818 .818 .818* .455 .833 .588*  .727 .789 .735*
v5  S1 .630 .618 .624* .593 .593 .593* .481 .667 .560*  .568 .626 .592*
v5  S2 .667 .436 .527  .611 .407 .489  .500 .462 .480   .593 .435 .499
v6  S1 .491 .541 .515* .454 .563 .503  .213 .590 .313   .386 .565 .443
v6  S2 .500 .469 .484  .522 .552 .536* .250 .590 .351*  .4234 .537 .457*
v7  S1 .594 .578 .586* .462 .533 .495  .406 .566 .473   .487 .559 .518
v7  S2 .663 .523 .585  .558 .522 .539* .465 .526 .494*  .562 .524 .539*
v8  S1 .443 .477 .459  .514 .500 .507  .229 .533 .320   .395 .503 .429
v8  S2 .609 .431 .505* .652 .417 .508* .370 .567 .447*  .543 .471 .487*
v9  S1 .437 .564 .492  .451 .627 .525  .254 .621 .360   .380 .603 .459*
v9  S2 .623 .600 .611* .585 .608 .596* .321 .586 .414*  .509 .598 .541
v10 S1 .818 .450 .581* .818 .450 .581* .455 .556 .500*  .697 .523 .582*
v10 S2 .692 .450 .545  .615 .500 .552  .308 .444 .364   .538 .4645 .487
""")
"""A row for each video and system: all measures in each column; a star where F1 is bold."""

TABLE_4 = {
    (video, system, *place): best_fit.rstrip("*")
    for video, system, *cells in ROWS_4
    for place, best_fit in zip(product(COLUMNS, MEASURES), cells, strict=True)
}
BOLD = {
    (video, system, column)
    for video, system, *cells in ROWS_4
    for column, best_fit in zip(COLUMNS, cells[2::3], strict=True)
    if best_fit.endswith("*")
}
MEANS_4 = {
    (system, column): best_fit
    for system, *cells in _rows("S1 .520 .510 .404 .481 \n S2 .543 .554 .433 .510")
    for column, best_fit in zip(COLUMNS, cells, strict=True)
}
"""F1 of each system in each column, averaged over videos."""

TABLE_5 = {
    (video, *place): best_fit
    for video, *cells in _rows("""
v1  .691 .432 .495 .342 .480 .513 .354
v2  .688 .578 .659 .453 .549 .595 .409
v3  .684 .270 .303 .207 .325 .400 .274
v4  .578 .505 .593 .342 .735 .800 .462
v5  .767 .592 .614 .471 .499 .500 .383
v6  .541 .443 .550 .298 .457 .535 .289
v7  .617 .518 .592 .366 .539 .606 .374
v8  .525 .429 .494 .259 .487 .508 .267
v9  .604 .459 .569 .344 .541 .667 .403
v10 .619 .582 .581 .359 .487 .545 .338
all .631 .481 .545 .344 .510 .567 .355
""")
    for place, best_fit in zip([("", RATIO), *product(SYSTEMS, SCORES)], cells, strict=True)
}
"""By video and system: the agreement ratio, which has no system, and the scores."""

LONGEST = "1602"
"""The words of the longest transcript; this and the following numbers are from the text."""

CORRELATION = ".890"
"""Pearson's coefficient of the two rows of Table 6."""

FEWER, MORE = "43", "27"
"""Per cent: how many boundaries fewer ref_3 has than the mean of the others; how many more S1 has
than S2."""

WINS_OF_S1 = {"ref_1": "5", "ref_2": "2", "ref_3": "3", "mean": "4"}
"""Videos in which S1 has the better F1."""

NEAREST = {"S1": ("ref_1", "5"), "S2": ("ref_2", "7")}
"""For each system a reference, and in how many videos it gives the highest F1 of the three."""

LOWEST, HIGHEST = ("v8", ".525"), ("v5", ".767")
"""The range of the agreement ratio."""

CANDIDATES = {"S1": "candidate_A", "S2": "candidate_B"}
"""The published file of each system."""

TOOL_AGREEMENT = {"agreement_ratio": ".544928", "kappa": ".634730", "kappa_borders": "-.017509"}
TOOL_SHARED = {"S1": ("54", "50", "24"), "S2": ("47", "49", "24")}
"""Boundaries that each system shares with each reference if the last boundary counts."""

TOOL_CELLS = ("boundaries_inside", "windows_hit", "f1", "wisebe", "smooth_wisebe")
TOOL = {
    int(limit): dict(zip([("S1", "windows"), *product(SYSTEMS, TOOL_CELLS)], cells, strict=True))
    for limit, *cells in _rows("""
0  115 61 61 .54464 .29679 .29778 55 55 .52885 .28818 .28957
1  113 61 61 .54955 .29946 .30044 55 55 .53398 .29098 .29235
2  110 61 60 .55245 .30105 .30201 55 54 .53649 .29235 .29371
3  108 61 59 .55288 .30128 .30225 56 54 .54634 .29772 .29906
4  104 61 59 .56344 .30704 .30798 56 51 .54055 .29456 .29592
5  100 61 58 .56963 .31041 .31134 56 50 .54634 .29772 .29906
6   94 61 56 .57712 .31449 .31541 56 48 .55263 .30114 .30246
7   90 62 56 .59432 .32386 .32475 57 47 .56394 .30731 .30861
8   86 63 55 .60720 .33088 .33176 59 48 .59384 .32360 .32485
9   78 63 52 .61916 .33740 .33826 61 47 .62811 .34227 .34344
10  69 64 45 .61796 .33674 .33761 64 42 .64600 .35202 .35318
""")
}
"""For each window limit the number of windows, then values by system, from the authors' program."""


def _numbers(place: tuple[str, str, str], shared: int, real: int) -> dict[str, Number]:
    """Return the measures of a cell as printed, and as they are with these whole numbers."""
    video, system, _ = place
    found = int(BY_VIDEO[system, video])
    right = {"P": Fraction(shared, found), "R": Fraction(shared, real)}
    right["F1"] = Fraction(2 * shared, found + real)
    why = f"{shared} shared boundaries of {found} and {real}"
    return {
        name: Number(f"Table 4, {' '.join(place)} {name}", TABLE_4[(*place, name)], value, why)
        for name, value in right.items()
    }


@cache
def best_fit(place: tuple[str, str, str], real: int) -> dict[str, Number]:
    """Choose the number of shared boundaries that fits a cell best."""
    tried = [_numbers(place, shared, real) for shared in range(real + 1)]
    return min(tried, key=lambda each: len(wrong(each.values())))


def misfits(video: str, order: tuple[str, ...]) -> int:
    """Count the numbers of a video that no whole number fits, with Table 2's rows in this order."""
    pairs = list(zip(REFERENCES, order, strict=True))
    return sum(
        len(wrong(best_fit((video, system, reference), int(BY_VIDEO[name, video])).values()))
        for system, (reference, name) in product(SYSTEMS, pairs)
    )


@cache
def order(video: str) -> tuple[str, ...]:
    """Return the order of Table 2's rows with the fewest misfits; the printed one in a tie."""
    return min(permutations(REFERENCES), key=lambda each: (misfits(video, each), each))


def sizes(video: str) -> dict[str, int]:
    """Return the number of boundaries of each reference as Table 4 names them."""
    names = zip(REFERENCES, order(video), strict=True)
    return {reference: int(BY_VIDEO[name, video]) for reference, name in names}


def fitted_cell(video: str, system: str, reference: str) -> dict[str, Number]:
    """Return the measures of a cell with all exchanged references put right."""
    return best_fit((video, system, reference), sizes(video)[reference])
