"""Record which normalisation steps are done."""

from collections.abc import Callable
from typing import cast

import pytest

from caesura.core.transcript import Transcript
from caesura.text.normalization.steps import STEPS

Step = Callable[[Transcript], Transcript]


def recorded_steps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Transcript]]:
    """Record the name of each step that is done, and the transcript it is done on."""
    done: list[tuple[str, Transcript]] = []

    def recording(name: str, step: Step) -> Step:
        def record(transcript: Transcript) -> Transcript:
            done.append((name, transcript))
            return step(transcript)

        return record

    for name, step in list(STEPS.items()):
        monkeypatch.setitem(cast(dict[str, Step], STEPS), name, recording(name, step))
    return done
