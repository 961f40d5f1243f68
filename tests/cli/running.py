"""Running the program as a shell would, in this process."""

import io
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from caesura.cli.main import main


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


class Program:
    """`caesura ARGUMENTS` with optional standard input."""

    def __init__(self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capfd = capfd
        self.monkeypatch = monkeypatch

    def __call__(self, *arguments: object, stdin: bytes = b"") -> Done:
        self.monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        sys.stdout.flush()
        out, err = self.capfd.readouterr()
        return Done(int(ended.value.code or 0), out, err)
