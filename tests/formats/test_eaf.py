"""ELAN's annotation files."""

import io
from pathlib import Path

import numpy as np
import pytest
from pympi import Eaf as Peer

from caesura.core import registry
from caesura.core.errors import FormatError, UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.annotation.eaf import Eaf
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"
NAN = np.nan


def read(path: Path, format: Eaf | None = None) -> Transcript:
    (found,) = (format or Eaf()).parse(Source(str(path), path.read_bytes()))
    return found


def parsed(text: str, format: Eaf | None = None) -> Transcript:
    (found,) = (format or Eaf()).parse(Source("a.eaf", text.encode()))
    return found


def written(transcript: Transcript) -> str:
    file = io.BytesIO()
    Eaf().write([transcript], file)
    return file.getvalue().decode()


def document(*tiers: str) -> str:
    """A file whose time slots t0 to t9 are one second apart."""
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="t{i}" TIME_VALUE="{i}000"/>' for i in range(10))
    inner = f"<TIME_ORDER>{slots}</TIME_ORDER>{''.join(tiers)}"
    return f"<ANNOTATION_DOCUMENT>\n{inner}</ANNOTATION_DOCUMENT>"


def tier(name: str, *texts: str, at: int = 0) -> str:
    """A tier of annotations that follow each other, a second each."""
    inner = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{name}{i}" TIME_SLOT_REF1="t{i}" '
        f'TIME_SLOT_REF2="t{i + 1}"><ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>'
        "</ALIGNABLE_ANNOTATION></ANNOTATION>"
        for i, text in enumerate(texts, at)
    )
    return f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="default">{inner}</TIER>'


def test_reads_words_by_type_sentences_and_language() -> None:
    found = read(SAMPLES / "eaf.eaf")
    assert found.id == "eaf"
    assert found.language == "eng"
    assert found.text == "So & so."
    assert found.speaker == ("Ana", "Ana", "Ana")
    np.testing.assert_array_equal(found.start, [0.25, 0.5, NAN])
    np.testing.assert_array_equal(found.end, [0.5, NAN, 1])
    assert found.sentences is not None
    assert found.sentences.sentences == [(0, 2)]


def test_annotations_that_divide_another_share_its_times() -> None:
    found = read(SAMPLES / "eaf-refs.eaf")
    assert found.text == "It rains. Yes"
    assert found.speaker == ("Ana", "Ana", "Ana")
    np.testing.assert_array_equal(found.start, [0, NAN, 1.5])
    np.testing.assert_array_equal(found.end, [NAN, 1.5, 2.5])
    assert found.sentences is None


def test_reads_tiers_of_running_speech_as_speakers() -> None:
    found = read(SAMPLES / "eaf-speakers.eaf")
    assert found.text == "Who is it? Only me."
    assert found.speaker == ("Ana", "Ana", "Ana", "Ben", "Ben")
    np.testing.assert_array_equal(found.start, [0, NAN, NAN, 1, NAN])
    np.testing.assert_array_equal(found.end, [NAN, NAN, 1.5, NAN, 2.5])


def test_utterances_are_sentences() -> None:
    found = parsed(
        document(tier("Ana (Utterance)", "so it is", "sp"), tier("marker", "start here"))
    )
    assert found.words == ("so", "it", "is")
    assert found.speaker == ("Ana",) * 3
    assert found.pause == ("", "", "sp")
    assert found.sentences is not None
    assert found.sentences.sentences == [(0, 2)]


def test_a_tier_can_be_chosen() -> None:
    text = document(tier("x", "yes", "no"), tier("y", "a", "b"), tier("z", at=3))
    with pytest.raises(FormatError) as caught:
        parsed(text)
    assert str(caught.value) == (
        "a.eaf: it is not clear which tier holds the words; there are 1 'x', 2 'y', 3 'z'; "
        "choose one with eaf(tier='name'), or several, or by number"
    )
    assert parsed(text, Eaf(tier="Y")).words == ("a", "b")
    chosen = registry.parse("format", "eaf(tier=('x', 2))")
    assert isinstance(chosen, Eaf)
    assert parsed(text, chosen).words == ("yes", "a", "no", "b")
    with pytest.raises(UnknownName, match="tier is a name or a number"):
        registry.parse("format", "eaf(tier=1.5)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<tt/>", "a.eaf: this is not an EAF file; its first element has to be"),
        ("<ANNOTATION_DOCUMENT>", "a.eaf:1: not XML: no element found"),
        ("<!DOCTYPE a><ANNOTATION_DOCUMENT/>", "a.eaf: this XML has a document type"),
        (
            document(tier("x", "yes")).replace('REF1="t0"', 'REF1="q"'),
            "a.eaf: annotation 'x0' refers to a time slot that is not there",
        ),
        (
            document(tier("x", "yes")).replace('REF1="t0"', 'REF1="t5"'),
            "a.eaf: annotation 'x0' ends before it begins",
        ),
        (document().replace('"1000"', '"soon"'), "a.eaf: 'soon' is not a time in milliseconds"),
        (
            document('<TIER><ANNOTATION><REF_ANNOTATION ANNOTATION_REF="b"/></ANNOTATION></TIER>'),
            "a.eaf: annotations refer to others that are not there",
        ),
        (
            '<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="PAL-frames"/></ANNOTATION_DOCUMENT>',
            "a.eaf: times in 'PAL-frames' cannot be read, only those in milliseconds",
        ),
    ],
)
def test_refuses_what_is_no_eaf(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parsed(text)
    assert str(caught.value).startswith(message)


def test_pympi_reads_what_is_written(tmp_path: Path) -> None:
    transcript = Transcript(
        ("So", "<it>", "is\x02", "yes"),
        language="en",
        start=np.array([0.25, 0.5, 0.75, 0.9]),
        end=np.array([0.5, 0.75, 1, 1.25]),
        mark=("", "", ".", "!"),
        speaker=("Ana & co", "Ana & co", "Ana & co", ""),
        sentences=Segmentation.of_gaps(4, [2]),
    )
    path = tmp_path / "a.eaf"
    path.write_text(written(transcript), "utf-8")
    peer = Peer(str(path))
    assert peer.get_annotation_data_for_tier("Ana & co - words") == [
        (250, 500, "So"),
        (500, 750, "<it>"),
        (750, 1000, "is."),
    ]
    assert peer.get_annotation_data_for_tier("words") == [(900, 1250, "yes!")]
    assert peer.get_annotation_data_for_tier("Ana & co - sentences") == [(250, 1000, "So <it> is.")]
    assert peer.get_parameters_for_tier("words")["LANG_REF"] == "en"
    assert peer.get_parameters_for_tier("Ana & co - words")["PARTICIPANT"] == "Ana & co"
    expected = transcript.replace(id="a", words=("So", "<it>", "is", "yes"))
    assert read(path) == expected


def test_real_files_read_as_pympi_reads_them(corpora: Path) -> None:
    counted = {}
    for path in sorted((corpora / "formats" / "eaf").iterdir()):
        name = {"speach_fables_aesop.eaf": "Story"}.get(path.name, "Person1 (Utterance)")
        data = sorted(Peer(str(path)).get_annotation_data_for_tier(name))
        found = read(path)
        assert found.start is not None
        assert found.end is not None
        starts, ends = (t[~np.isnan(t)].tolist() for t in (found.start, found.end))
        assert starts == [start / 1000 for start, _, _ in data]
        assert ends == [end / 1000 for _, end, _ in data]
        assert found.text == " ".join(text for _, _, text in data)
        assert found.sentences is not None
        assert len(found.sentences.sentences) == len(data)
        counted[path.name] = (len(found), len(data), set(found.speaker or ()))
    assert counted == {
        "speach_fables_aesop.eaf": (226, 16, {"P001"}),
        "speach_test.eaf": (28, 8, {"P001"}),
    }
