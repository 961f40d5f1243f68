"""The numbers of the paper (Oba, Hori and Nakamura 2006): F-values in per cent."""

from __future__ import annotations

TABLE_1 = {"SVM": ("84.5", "96.8"), "CRF": ("85.5", "96.5")}
"""F of sentence boundaries and of bunsetsu."""

TABLE_2 = {"SVM": ("76.3", "84.5"), "CRF": ("75.7", "85.5"), "SDA+CRF": ("76.6", "88.4")}
"""F of dependencies and of sentence boundaries; the first two with normal dependency analysis."""

ALPHA = 1.2
"""The weight of the CRF in equation 5."""
