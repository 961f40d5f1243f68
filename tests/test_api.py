"""What `import caesura` offers: names, laziness, and texts in and out."""

import ast
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import caesura
from caesura import api
from caesura.core import registry
from caesura.core.errors import CaesuraError, FormatError, OutputError, UnknownName
from caesura.evaluation.evaluate import LEAST
from caesura.evaluation.resampling import RESAMPLES, SEED
from caesura.evaluation.script_alignment import DEFAULT_LAYERS, DEFAULT_STEPS
from caesura.formats.plain import Lines
from caesura.metrics.words import Words

ROOT = Path(__file__).parent.parent
ANN, BEN = (str(ROOT / f"examples/council.{name}.txt") for name in ("ann", "ben"))
SRT = "1\n00:00:01,000 --> 00:00:02,000\nSo it goes.\n\n"
CLASSES = [
    name
    for kind in ("detector", "tagger", "entity-model", "metric")
    for name in registry.NAMES[kind]
    if name != "Words"
]


def run(code: str) -> str:
    """Run a program of its own; return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_costs_nothing() -> None:
    code = "import sys, caesura; print('numpy' in sys.modules, 'caesura.api' in sys.modules)"
    assert run(code) == "False False"


def test_help_needs_neither_numpy_nor_the_library() -> None:
    code = """
import sys
from caesura.cli.main import main
try:
    main(["--help"])
except SystemExit:
    loaded = [name for name in sys.modules if name.split(".")[0] in ("caesura", "numpy")]
    print(len(loaded), "numpy" in sys.modules)
"""
    assert run(code).splitlines()[-1] == "5 False"


LOADED = """
import sys
from pathlib import Path
from caesura.cli.main import main
try:
    main({arguments})
except SystemExit as done:
    assert not done.code
root = Path(sys.modules["caesura"].__file__).parent
for name in [each for each in sys.modules if each.split(".")[0] == "caesura"]:
    print(Path(sys.modules[name].__file__).relative_to(root))
"""


@pytest.mark.parametrize(
    ("command", "detector", "most"),
    [("convert", "", 26), ("segment", "Pause", 31), ("segment", "en", 37)],
)
def test_few_files_are_passed_from_whisper_to_srt(
    tmp_path: Path, command: str, detector: str, most: int
) -> None:
    """Count modules that do something: those of other formats, metrics and streams are no part.

    The default model is a combination of a language model and pauses, and needs those as well.
    """
    given = [command, "examples/interview.whisper.json", "-o", str(tmp_path / "out.srt")]
    given += ["--detector", detector] if detector else []
    files = [file for file in run(LOADED.format(arguments=given)).split() if "__" not in file]
    assert len(files) <= most, files
    assert not any(file.startswith(("metrics", "training")) for file in files)
    assert [file for file in files if file.startswith("formats/asr/")] == ["formats/asr/whisper.py"]


def test_every_public_name_is_there_once() -> None:
    assert len(set(caesura.__all__)) == len(caesura.__all__)
    for name in caesura.__all__:
        assert getattr(caesura, name) is not None
    assert set(caesura.__all__) < set(dir(caesura))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = caesura.nothing
    with pytest.raises(AttributeError, match="to_knp"):
        _ = caesura.to_knp


@pytest.mark.parametrize("name", CLASSES)
def test_registered_classes_are_exported(name: str) -> None:
    assert name in caesura.__all__
    assert getattr(caesura, name).__name__ == name


def test_type_checkers_see_all_that_is_exported() -> None:
    tree = ast.parse(Path(inspect.getfile(caesura)).read_text("utf-8"))
    seen = {
        alias.name
        for block in tree.body
        if isinstance(block, ast.If)
        for imported in block.body
        if isinstance(imported, ast.ImportFrom)
        for alias in imported.names
    }
    assert seen == set(caesura.__all__)


def test_defaults_are_those_of_the_packages() -> None:
    for function in (caesura.score, caesura.compare, caesura.agree):
        defaults = {
            name: each.default for name, each in inspect.signature(function).parameters.items()
        }
        assert (defaults["normalize"], defaults["resamples"], defaults["seed"]) == (
            LEAST,
            RESAMPLES,
            SEED,
        )
    aligning = inspect.signature(caesura.align).parameters
    assert (aligning["layers"].default, aligning["normalize"].default) == (
        DEFAULT_LAYERS,
        DEFAULT_STEPS,
    )


def test_texts_of_formats() -> None:
    (transcript,) = caesura.loads(SRT, "srt")
    assert transcript.words == ("So", "it", "goes")
    assert caesura.loads(SRT) == caesura.loads(SRT.encode()) == [transcript]
    assert caesura.dumps(transcript, "srt").strip() == SRT.strip()
    assert caesura.to_srt(transcript) == caesura.dumps([transcript], "srt")
    assert caesura.to_srt.__name__ == "to_srt"
    with pytest.raises(UnknownName, match="no format is named 'srtt'"):
        caesura.dumps(transcript, "srtt")
    with pytest.raises(CaesuraError):
        caesura.dumps(transcript, "knp")
    with pytest.raises(FormatError):
        caesura.loads("1\n00:00:01,000 -->", "ctm")


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (ANN, "str"),
        (Path(ANN), r"\w*Path"),
        (None, "NoneType"),
        (caesura.Text("so it goes"), "Text"),
        ([1, 2], "int"),
        ([ANN], "str"),
    ],
)
def test_only_transcripts_are_written(given: Any, kind: str, tmp_path: Path) -> None:
    message = (
        rf"a transcript is wanted, or several, not {kind}: caesura\.read\(\.\.\.\) or caesura\.seg"
    )
    with pytest.raises(TypeError, match=message):
        caesura.to_srt(given)
    with pytest.raises(TypeError, match=message):
        caesura.dumps(given, "jsonl")
    with pytest.raises(TypeError, match=message):
        caesura.write(given, output=tmp_path / "out.srt")
    assert not list(tmp_path.iterdir())


def test_a_text_of_one_recording_takes_one() -> None:
    (transcript,) = caesura.loads(SRT, "srt")
    for several in ([], [transcript, transcript]):
        with pytest.raises(
            OutputError, match=rf"there are {len(several)}; give one: \[caesura.to_"
        ):
            caesura.to_srt(several)
    assert caesura.to_jsonl([transcript, transcript]).count("\n") == 2


def test_the_output_is_given_by_place_or_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (transcript,) = caesura.loads(SRT, "srt")
    out = tmp_path / "talk.srt"
    assert caesura.write(transcript, out) == caesura.write([transcript], output=out) == [out]
    capsys.readouterr()
    assert caesura.convert(out, to="srt") == []
    assert capsys.readouterr().out == out.read_text("utf-8")


def test_wrong_settings_are_as_in_any_library() -> None:
    with pytest.raises(ValueError, match="threshold"):
        caesura.Pause(threshold=-1)
    with pytest.raises(CaesuraError, match="threshold"):
        caesura.load("Pause(threshold=-1)")


def test_a_text_must_have_a_format() -> None:
    (transcript,) = caesura.loads(SRT, "srt")
    for blank in ("", " "):
        with pytest.raises(UnknownName, match="the text must have a format; name one of lines, "):
            caesura.dumps(transcript, blank)
    with pytest.raises(TypeError, match=r"a format is a text, .*, not None"):
        caesura.dumps(transcript, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("format", api.writable_formats())
def test_every_writer_gives_a_text(format: str) -> None:
    (transcript,) = caesura.read(ROOT / "examples" / "interview.whisper.json")
    transcript = caesura.load("Pause").annotate(transcript)
    if format in ("conllu", "bio"):
        transcript = transcript.replace(entities=())
    text = getattr(caesura, f"to_{format}")(transcript)
    assert transcript.words[0].lower() in text.lower() or format == "rttm"
    assert registry.find("format", format).writable


def test_settings_of_a_writer() -> None:
    (transcript,) = caesura.loads(SRT, "srt")
    name = next(iter(inspect.signature(registry.find("format", "srt")).parameters))
    default = inspect.signature(registry.find("format", "srt")).parameters[name].default
    assert caesura.to_srt(transcript, **{name: default}) == caesura.to_srt(transcript)
    with pytest.raises(UnknownName, match="srt has no setting 'nothing'; it has lines, charact"):
        caesura.to_srt(transcript, nothing=1)
    with pytest.raises(UnknownName, match="srt: characters is "):
        caesura.to_srt(transcript, characters=-1)


def test_a_format_that_is_only_read_has_no_writer() -> None:
    with pytest.raises(AttributeError, match=r"the format aws is only read: .* no caesura\.to_aws"):
        _ = caesura.to_aws
    with pytest.raises(AttributeError, match="has no attribute 'to_nothing'"):
        _ = caesura.to_nothing


def test_an_empty_text_is_no_file() -> None:
    for empty in ("", " \n", b""):
        with pytest.raises(
            FormatError, match=r"^the text is empty; if nothing was said, name a te"
        ):
            caesura.loads(empty)
    assert [len(each) for each in caesura.loads("", "lines")] == [0]
    with pytest.raises(FormatError, match=r"^<text>:1: "):
        caesura.loads("one two", "ctm")
    with pytest.raises(TypeError, match="the text of a file is wanted, not NoneType"):
        caesura.loads(None)  # type: ignore[arg-type]


def test_a_detector_is_loaded_by_name() -> None:
    detector = caesura.load("en")
    (given,) = caesura.read(caesura.Words("so it goes we tied it shut".split()))
    (expected,) = caesura.segment(given, detector="en", restore=False)
    assert detector.annotate(given) == expected
    assert caesura.load("Pause(threshold=0.6)") == caesura.Pause(threshold=0.6)
    with pytest.raises(UnknownName, match="Nothing"):
        caesura.load("Nothing")


CLASS_FOR_OBJECT = [
    (lambda: list(caesura.segment(ANN, detector=caesura.Pause)), r"write caesura\.Pause\(\), not"),  # type: ignore[arg-type]
    (lambda: caesura.load(caesura.Boundary()), r"a detector is a text, as in 'Pause', or an obj"),  # type: ignore[arg-type]
    (lambda: list(caesura.segment(ANN, detector=None)), r"as in caesura\.Pause\(\), not None"),  # type: ignore[arg-type]
    (lambda: list(caesura.stream(ANN, detector=5)), "a detector is a text, .*, not 5"),  # type: ignore[arg-type]
    (lambda: caesura.score(ANN, reference=BEN, metric=caesura.Pk), r"write caesura\.Pk\(\), not"),  # type: ignore[arg-type]
    (lambda: caesura.score(ANN, reference=BEN, metric=[caesura.Pk]), r"write caesura\.Pk\(\)"),  # type: ignore[list-item]
    (lambda: caesura.agree([ANN, BEN], metric=None), r"as in caesura\.Boundary\(\), not None"),  # type: ignore[arg-type]
    (lambda: caesura.score(ANN, reference=BEN, metric=Words), r"write caesura\.metrics\.words\.W"),  # type: ignore[arg-type]
    (lambda: caesura.score(ANN, reference=BEN, reference_format=5), "a format is a text, as in"),  # type: ignore[arg-type]
    (lambda: caesura.read(ANN, format=Lines), r"write caesura\.formats\.plain\.Lines\(\), not"),  # type: ignore[arg-type]
    (lambda: caesura.write([], output="x.txt", to=Lines), r"plain\.Lines\(\), not the class"),  # type: ignore[arg-type]
    (lambda: caesura.score(ANN, reference=BEN, normalize=5), "normalize is a text, as in 'case"),  # type: ignore[arg-type]
    (
        lambda: caesura.train(caesura.LM, train=ANN, output="x"),  # type: ignore[arg-type]
        r"a detector, tagger or entity-model is wanted: write caesura\.LM\(\), not the class",
    ),
]


@pytest.mark.parametrize(
    ("call", "message"), CLASS_FOR_OBJECT, ids=[m for _, m in CLASS_FOR_OBJECT]
)
def test_a_class_or_another_type_is_no_detector_metric_or_format(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_preferences_and_limits_are_those_of_a_decision() -> None:
    words = caesura.Words([f"w{at}" for at in range(20)])
    (found,) = caesura.segment(words, detector="Pause", longest=6, restore=False)
    assert found.sentences == caesura.Decision(caesura.Pause(), longest=6).detect(found)
    streamed = list(caesura.stream(words, detector="Pause", longest="1.5s"))
    assert all(len(sentence) <= 5 for sentence in streamed)
    with pytest.raises(caesura.CaesuraError, match="prefer is one of f1, precision, recall"):
        list(caesura.segment(words, prefer="speed"))
