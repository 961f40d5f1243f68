"""Every file of the corpora that has a format is recognised and read."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura import api
from caesura.core.errors import CaesuraError
from caesura.formats.base import Source
from caesura.formats.recognize import choose_format

EXPECTED = {
    "earnings22/references/*.nlp": "nlp",
    "earnings21/references/*.nlp": "nlp",
    "earnings21/recognisers/*/*.nlp": "nlp",
    "earnings21/recognisers/*/*.ctm": "ctm",
    "rev16/*verbatim/*.nlp": "nlp",
    "coraal-multi/*/nlp/*.nlp": "nlp",
    "coraal-multi/rev*/original/*.json": "rev",
    "coraal-multi/amberscript/original/*.json": "amberscript",
    "coraal-multi/coraal/original/*.txt": "coraal",
    "iwslt-ted/dev2012": "iwslt",
    "ud/*/*.conllu": "conllu",
    "jp-table1/*/gold.conllu": "conllu",
    "ner/wikigold/*.txt": "bio",
    "ner/wnut17/*/*": "bio",
    "ner/btc/*.conll": "bio",
    "ner/sec-filings/*/*.txt": "bio",
    "wisebe/*/*": "lines",
    "formats/assemblyai/*": "assemblyai",
    "formats/aws-transcribe/*": "aws",
    "formats/azure-speech/*": "azure",
    "formats/bio/*": "bio",
    "formats/conllu-times/*": "conllu",
    "formats/ctm/*": "ctm",
    "formats/deepgram/*": "deepgram",
    "formats/eaf/*": "eaf",
    "formats/google-speech/*": "google",
    "formats/iwslt-word-label/*": "iwslt",
    "formats/revai/rev_editor*": "rev",
    "formats/revai/revai*": "revai",
    "formats/rttm/*": "rttm",
    "formats/speechmatics/*": "speechmatics",
    "formats/srt/*": "srt",
    "formats/stm/*": "stm",
    "formats/textgrid/*": "textgrid",
    "formats/ttml/*": "ttml",
    "formats/vosk/*": "vosk",
    "formats/vtt/*": "vtt",
    "formats/whisper-cpp/*": "whispercpp",
    "formats/whisper-openai/*": "whisper",
    "formats/whisper-timestamped/*": "whisper",
    "formats/whisperx/*": "whisper",
}
NO_WORDS = {
    "sctk_validator_test00_invalid.ctm": "is not a confidence",
    "speechmatics_hyp_diarization.ctm": "",
    "meeteval_hyp.rttm": "no words",
    "boldvideo_chapters.vtt": "",
}
"""Files that are wrong on purpose or hold no speech, and what is said of them if they fail."""


def files(corpora: Path, pattern: str) -> Iterator[Path]:
    found = [path for path in sorted(corpora.glob(pattern)) if path.is_file()]
    assert found, pattern
    yield from found


@pytest.mark.parametrize("pattern", EXPECTED)
def test_reads(corpora: Path, pattern: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, logger="caesura")
    for path in files(corpora, pattern):
        if path.name == "README.md":
            continue
        assert choose_format(Source(str(path), path.read_bytes())).name == EXPECTED[pattern], path
        try:
            words = sum(map(len, api.read(path)))
        except CaesuraError as error:
            assert NO_WORDS.get(path.name), str(error)
            assert NO_WORDS[path.name] in str(error)
        else:
            assert words > 0, path


@pytest.mark.parametrize("name", ["ami.txt", "nasa.txt"])
def test_turns(corpora: Path, name: str) -> None:
    documents = {"ami.txt": 137, "nasa.txt": 9}
    found = list(api.read(corpora / "text-en" / name, format="turns"))
    assert len(found) == documents[name]
    assert all(transcript.sentences is not None for transcript in found)


def test_all_kinds_of_files_are_covered(corpora: Path) -> None:
    known = {"normalizations", "wer_tags"}
    left = {
        path.relative_to(corpora).as_posix()
        for path in corpora.rglob("*")
        if path.is_file()
        and not any(path.match(pattern) for pattern in EXPECTED)
        and not known & set(path.parts)
        and path.suffix not in (".csv", ".md")
        and not path.name.startswith((".", "LICENSE", "README"))
        and "text-en" not in path.parts
    }
    others = {
        p for p in left if "jp-table1" in p or "licen" in p.lower() or "citation" in p.lower()
    }
    assert left - others == set()
