"""The numbers of the paper (Gotoh and Renals 2000)."""

from __future__ import annotations

TABLES_1_2 = {
    "scripts, BBC 1": ("1160", "4280071", "268283", "16.0"),
    "scripts, Radio 4": ("1050", "4748831", "234456", "20.3"),
    "scripts with audio, BBC 1": ("337", "1397656", "87628", "15.9"),
    "scripts with audio, Radio 4": ("265", "1276323", "63632", "20.1"),
    "references, BBC 1": ("18", "87926", "5064", "17.4"),
    "references, Radio 4": ("14", "70054", "3326", "21.1"),
}
"""Tables 1 and 2: shows, words, sentence ends, words per end."""

TABLE_3 = {"<s>": ("1.79", "1.06"), "<sil>": ("7.94", "2.44"), "word": ("90.27", "0.78")}
"""Per cent of all tokens that are of a kind, and that are of it and have a sentence end."""

TABLE_4 = {"BBC 1": "32.0", "Radio 4": "19.2", "total": "26.3"}
"""Word error rates in per cent."""

TABLE_5 = {
    "lm": (".39", ".56", ".46", ".92"),
    "pause": (".58", ".74", ".65", ".63"),
    "A": (".71", ".66", ".68", ".65"),
    "B": (".62", ".80", ".70", ".54"),
}
"""Recall, precision, P&R and SER on recogniser output."""

BEST_THRESHOLD = 0.4
"""The best pause threshold of figure 7 in seconds, approximately."""

LARGE_WEIGHT = 10.0
"""The weight above which B is said to beat the pause model."""
