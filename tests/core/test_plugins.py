"""Plug-ins: classes registered in memory, and distributions found through entry points."""

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import pytest

import caesura
from caesura.core import plugins, registry
from caesura.core.errors import CaesuraError, ModelError, PluginError, UnknownName
from caesura.core.plugins import find_study
from caesura.core.protocols import Format, Metric, WordTagger
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.detectors.column import Column
from caesura.detectors.fusion import Fusion
from caesura.detectors.pause import Pause
from caesura.detectors.stored_model import get_detector
from caesura.formats.base import Source, TextFormat
from caesura.metrics.boundary import Boundary
from caesura.models import store
from caesura.models.store import Card
from fake_distribution import install

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def _no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget what a test registers, and hide the plug-ins of the studies."""
    monkeypatch.setattr(plugins, "_plugins", {kind: {} for kind in plugins.GROUPS})
    monkeypatch.setattr(registry, "_warned", set())
    installed = metadata.entry_points

    def without_studies(group: str) -> list[metadata.EntryPoint]:
        found = installed(group=group)
        return [one for one in found if not one.value.startswith("caesura_studies")]

    monkeypatch.setattr(metadata, "entry_points", without_studies)
    plugins._read_entry_points.cache_clear()
    yield
    plugins._read_entry_points.cache_clear()


@dataclass(frozen=True, repr=False)
class Share(Metric):
    """The share of sentences of the reference that are there."""

    scale: float = 1.0

    name = "Share"
    main = "found_share"
    best: ClassVar = {"found_share": 1.0}

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        real = [set(one.sentences.sentences) for one in references if one.sentences]
        ours = set(hypothesis.sentences.sentences if hypothesis.sentences else ())
        return Counts(found=sum(len(ours & each) for each in real), real=sum(map(len, real)))

    def values(self, counts: Counts) -> dict[str, Value]:
        return {"found_share": ratio(self.scale * counts["found"], counts["real"], "no sentences")}


def like_share(**changes: Any) -> Any:
    """Make a class like `Share`, with other class attributes."""
    return dataclass(frozen=True, repr=False)(type("Other", (Share,), changes))


def test_a_registered_class_is_found_by_its_name_and_its_repr() -> None:
    assert caesura.register(Share) is Share
    assert registry.parse("metric", "Share(scale=2.0)") == Share(2.0)
    assert registry.parse("metric", repr(Share(0.5))) == Share(0.5)
    assert registry.kind_of("Share", "detector") == "metric"
    talk = Transcript(tuple("so it goes we tied it".split())).replace(
        sentences=caesura.Segmentation.of_gaps(6, [2])
    )
    assert caesura.score(talk, reference=talk, metric="Share").values == ({"found_share": 1.0},)
    with pytest.raises(UnknownName, match="Share is a metric, and a detector is wanted"):
        registry.parse("detector", "Share")
    with pytest.raises(UnknownName, match="found_share is a value of Share: metric='Share'"):
        registry.parse("metric", "FOUND-share")
    with pytest.raises(UnknownName, match="did you mean 'Share'"):
        registry.parse("metric", "Shares")


def test_registering_the_same_class_again_is_allowed() -> None:
    """A cell of a notebook is run twice, and makes the class anew."""
    caesura.register(Share)
    again: Any = dataclass(frozen=True, repr=False)(
        type("Share", (Share,), {"__module__": Share.__module__, "__qualname__": "Share"})
    )
    caesura.register(again)
    assert registry.find("metric", "Share") is again


@dataclass(frozen=True, repr=False)
class BadRepr(Share):
    name = "BadRepr"

    def __repr__(self) -> str:
        return "BadRepr(size=1)"


@dataclass(frozen=True, repr=False)
class NotEqual(Share):
    scale: float = float("nan")
    name = "NotEqual"

    def __repr__(self) -> str:
        return "NotEqual(scale=1.0)"


@dataclass(frozen=True, repr=False)
class Impossible(Share):
    name = "Impossible"

    def __post_init__(self) -> None:
        raise ValueError("never\nat all")


@dataclass(frozen=True, repr=False)
class Abstract(Metric):
    name = "Abstract"
    main = "x"
    best: ClassVar = {"x": 1.0}

    def values(self, counts: Counts) -> dict[str, Value]:
        return {}


@dataclass(frozen=True, repr=False)
class NamedBySetting(Metric):
    name: str = "NamedBySetting"  # type: ignore[misc]


@dataclass(frozen=True, repr=False)
class FailingRepr(Share):
    name = "FailingRepr"

    def __repr__(self) -> str:
        raise RuntimeError("no text")


@dataclass(frozen=True, repr=False)
class ListSetting(Share):
    classes: list[str] = field(default_factory=list)
    name = "ListSetting"


@dataclass(frozen=True, repr=False)
class Slang(Format):
    """A format that reads nothing."""

    name = "slang"
    suffixes = (".sla",)
    carries = frozenset(("start",))

    def read(self, file: BinaryIO) -> Iterator[Transcript]:
        return iter(())


def like_slang(**changes: Any) -> Any:
    """Make a class like `Slang`, with other class attributes."""
    return dataclass(frozen=True, repr=False)(type("Other", (Slang,), changes))


class Plain(Share):
    name = "Plain"


@dataclass
class Bare:
    name = "Bare"


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (like_share(name="Boundary"), "'Boundary' is the name of a metric of Caesura itself"),
        (like_share(name="srt"), "'srt' is the name of a format of Caesura itself; give the"),
        (like_share(name="a b"), "'a b' cannot be typed as its name; write name = \"Other\""),
        (like_share(name="class"), "'class' cannot be typed as its name"),
        (like_share(name=None), "Other cannot be a metric: it has no name; write name ="),
        (Plain, "Plain cannot be a metric: it is not a dataclass; write @dataclass"),
        (Bare, "is no class of a known kind; derive it from caesura.Format, caesura.Detector"),
        (Bare(), "is no class of a known kind"),
        (NamedBySetting, "its name is a setting; write name = .*, without a type"),
        (Abstract, "Abstract cannot be a metric: it does not define count; define"),
        (BadRepr, r"its repr BadRepr\(size=1\) does not parse: BadRepr has no setting 'size'"),
        (NotEqual, r"its repr NotEqual\(scale=1.0\) parses to .*, which is not equal"),
        (Impossible, "it cannot be made without settings: ValueError: never at all"),
        (FailingRepr, "its repr fails: RuntimeError: no text; write @dataclass"),
        (ListSetting, "it cannot be hashed: TypeError: .*; use tuples for settings"),
        (like_share(main=1), "its main cannot be 1; set main in the class to the name of a value"),
        (
            like_share(best=("f1",)),
            r"its best cannot be \('f1',\); set best in the class to a dict",
        ),
        (like_slang(suffixes=".sla"), "its suffixes cannot be '.sla'; set suffixes .* a tuple"),
        (like_slang(suffixes=("sla",)), r"its suffixes cannot be \('sla',\)"),
        (like_slang(suffixes=(".SLA",)), r"its suffixes cannot be \('.SLA',\)"),
        (like_slang(suffixes=(1,)), r"its suffixes cannot be \(1,\)"),
        (like_slang(carries=["start"]), r"its carries cannot be \['start'\]; .* a frozenset of"),
        (like_slang(carries=frozenset(["melody"])), r"its carries cannot be .*melody.*start"),
    ],
)
def test_what_is_wrong_with_a_class_is_one_clear_error(made: Any, message: str) -> None:
    with pytest.raises(PluginError, match=message) as caught:
        caesura.register(made)
    assert "\n" not in str(caught.value)
    assert all(not known for known in plugins._plugins.values())


def test_a_format_with_right_class_attributes_is_registered() -> None:
    assert caesura.register(Slang) is Slang
    assert caesura.register(like_slang(name="quiet", suffixes=(), carries=set()))


def test_the_classes_that_errors_advise_are_exported() -> None:
    with pytest.raises(caesura.PluginError) as caught:
        caesura.register(Bare)  # type: ignore[type-var]
    advised = [name.split(".")[1] for name in caught.value.remedy.split() if "." in name]
    assert len(advised) == 5
    for name in (*(name.rstrip(",") for name in advised), "TrainableDetector"):
        assert isinstance(getattr(caesura, name), type)


SOURCE = """
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import caesura
from caesura.core.config import ModelBacked
from caesura.detectors.window_stream import WindowStream


@dataclass(frozen=True, repr=False)
class Ratio(caesura.Metric):
    "How many sentences the hypothesis has for one of the reference."

    name = "Ratio"
    main = "ratio"
    best = {}

    def count(self, hypothesis, references):
        theirs = sum(len(one.sentences.sentences) for one in references)
        return caesura.Counts(ours=len(hypothesis.sentences.sentences), theirs=theirs)

    def values(self, counts):
        if not counts["theirs"]:
            return {"ratio": caesura.Undefined("no sentences")}
        return {"ratio": counts["ours"] / counts["theirs"]}


@dataclass(frozen=True, repr=False)
class Length(ModelBacked, caesura.Detector):
    "A boundary after words of at least as many letters as the shortest last word."

    bias: float = 0.0

    name = "Length"

    def train(self, train, dev=(), text=()):
        ends = [len(t.words[gap]) for t in train for gap in t.sentences.gaps.tolist()]
        return self.with_model(float(min(ends)))

    def log_odds(self, transcript):
        return np.array([len(w) - self.model + 0.5 for w in transcript.words]) + self.bias

    def state(self):
        return {"shortest": np.array(self.model)}

    def from_state(self, state):
        return self.with_model(float(state["shortest"]))

    def stream(self, state=None):
        return WindowStream(self, ahead=0, behind=0, state=state)
"""


def enter(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    entry_points: Mapping[str, Mapping[str, str]],
    source: str = SOURCE,
    name: str = "caesura-made-up",
) -> None:
    """Install a distribution of one module for this process, as long as a test runs."""
    install(folder, name, {module: source}, entry_points)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, module, raising=False)


def test_a_metric_of_a_distribution_parses_scores_and_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(tmp_path, monkeypatch, "made_up_a", {"caesura.metrics": {"Ratio": "made_up_a:Ratio"}})
    talk = Transcript(tuple("so it goes we tied it".split()))
    whole = talk.replace(sentences=caesura.Segmentation.of_gaps(6, []))
    halves = talk.replace(sentences=caesura.Segmentation.of_gaps(6, [2]))
    assert registry.parse("metric", "Ratio()").name == "Ratio"
    found = caesura.compare([whole, halves], reference=halves, metric="Ratio")
    assert [each.values[0]["ratio"] for each in found.scores] == [0.5, 1.0]
    rows = {row["name"]: row for row in caesura.catalogue("metrics")["metrics"]}
    assert rows["Ratio"]["plugin"] == "caesura-made-up 1.2"
    assert "plugin" not in rows["Boundary"]
    assert registry.all_names("metric")[-1] == "Ratio"
    assert "Ratio" not in registry.names("metric")


def test_a_detector_of_a_distribution_is_trained_stored_and_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = {"caesura.detectors": {"Length": "made_up_b:Length"}}
    with monkeypatch.context() as inside:
        enter(tmp_path, inside, "made_up_b", points)
        words = tuple("so it goes we tied it shut".split())
        talk = Transcript(words, id="a", sentences=caesura.Segmentation.of_gaps(7, [2]))
        caesura.train("Length", train=[talk], output=tmp_path / "model")
        model = store.load(tmp_path / "model")
        assert model.card.requires == ("caesura-made-up==1.2",)
        assert list(get_detector(str(tmp_path / "model")).detect(talk).gaps) == [2, 4, 6]
        inner = Fusion((model.detector, Pause(), Fusion((model.detector,))))
        both = store.save(tmp_path / "both", inner, Card())
        assert store.load(both).card.requires == ("caesura-made-up==1.2",)
        with pytest.raises(UnknownName, match=r"Length has no setting 'x'; it has bias$"):
            get_detector("Length(x=1)")
    monkeypatch.setattr(plugins, "_plugins", {kind: {} for kind in plugins.GROUPS})
    for folder in ("model", "both"):
        with pytest.raises(ModelError) as caught:
            store.load(tmp_path / folder)
        assert "'Length'" in str(caught.value)
        assert "pip install caesura-made-up==1.2" in str(caught.value)


def test_a_model_of_a_registered_class_names_the_module_to_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @caesura.register
    @dataclass(frozen=True, repr=False)
    class Mine(Pause):
        name = "Mine"

    place = store.save(tmp_path / "model", Mine(0.7), Card())
    assert store.load(place).detector == Mine(0.7)
    monkeypatch.setattr(plugins, "_plugins", {kind: {} for kind in plugins.GROUPS})
    with pytest.raises(ModelError, match=f"import what registers its classes: {__name__}"):
        store.load(place)


def test_models_without_plugins_say_nothing_of_them(tmp_path: Path) -> None:
    place = store.save(tmp_path / "model", Column("x"), Card())
    assert "requires" not in (place / store.CARD).read_text()


BROKEN = "import nothing_of_that_name"


def test_a_broken_plugin_is_one_error_and_breaks_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    points = {
        "caesura.metrics": {"Broken": "made_up_c:Broken"},
        "caesura.studies": {"b": "made_up_c"},
    }
    enter(tmp_path, monkeypatch, "made_up_c", points, BROKEN, "caesura-broken")
    with pytest.raises(PluginError) as caught:
        registry.parse("metric", "Broken")
    assert str(caught.value) == (
        "the metric 'Broken' of caesura-broken 1.2 cannot be imported: ModuleNotFoundError: "
        "No module named 'nothing_of_that_name'; update caesura-broken, or remove it: "
        "pip uninstall caesura-broken"
    )
    with pytest.raises(PluginError, match=r"the study 'b' of caesura-broken 1.2 cannot be"):
        find_study("b")
    assert registry.parse("metric", "Boundary") == Boundary()
    with caplog.at_level(logging.WARNING):
        rows = caesura.catalogue("metrics")["metrics"]
        caesura.catalogue("metrics")
    assert [row["name"] for row in rows] == registry.names("metric")
    assert [record.message for record in caplog.records] == [str(caught.value)]
    with pytest.raises(UnknownName, match="no metric is named 'zzz'"):
        registry.parse("metric", "zzz")


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (
            {"caesura.metrics": {"Length": "made_up_d:Length"}},
            "is named 'Length' and is a detector",
        ),
        ({"caesura.metrics": {"Rate": "made_up_d:Ratio"}}, "is named 'Ratio' and is a metric"),
        ({"caesura.metrics": {"np": "made_up_d:np"}}, "is no class of a known kind"),
        ({"caesura.metrics": {"x": "made_up_d:nothing"}}, "cannot be imported: AttributeError"),
    ],
)
def test_an_entry_point_that_names_something_else_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    points: dict[str, dict[str, str]],
    message: str,
) -> None:
    enter(tmp_path, monkeypatch, "made_up_d", points)
    (name,) = points["caesura.metrics"]
    with pytest.raises(PluginError, match=r"of caesura-made-up 1.2 cannot") as caught:
        registry.parse("metric", name)
    assert message in str(caught.value)
    assert all(not known for known in plugins._plugins.values())


def test_two_distributions_with_one_name_are_told_apart_by_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = {"caesura.metrics": {"Ratio": "made_up_e:Ratio"}}
    enter(tmp_path, monkeypatch, "made_up_e", points)
    install(tmp_path, "another", {}, points, "3")
    message = "'Ratio' is provided by (another 3|caesura-made-up 1.2) and .*; uninstall all but one"
    with pytest.raises(PluginError, match=message):
        registry.parse("metric", "Ratio")


def test_built_in_names_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    points = {"caesura.metrics": {"Boundary": "made_up_f:Ratio", "Pause": "made_up_f:Ratio"}}
    enter(tmp_path, monkeypatch, "made_up_f", points)
    assert registry.find("metric", "Boundary") is Boundary
    with caplog.at_level(logging.WARNING):
        assert list(registry.plugin_entries("metric")) == []
    assert "there is a built-in metric of that name" in caplog.records[0].message
    assert "there is a built-in detector of that name" in caplog.records[1].message
    assert "made_up_f" not in sys.modules


def test_a_class_may_be_registered_and_an_entry_point_but_not_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = {"caesura.metrics": {"Ratio": "made_up_g:Ratio"}}
    source = SOURCE + "\ncaesura.register(Ratio)\n"
    enter(tmp_path, monkeypatch, "made_up_g", points, source)
    with pytest.raises(
        PluginError, match=r"'Ratio' is the name of a metric of caesura-made-up 1.2"
    ):
        caesura.register(like_share(name="Ratio"))
    assert registry.find("metric", "Ratio").__module__ == "made_up_g"
    (entry,) = registry.plugin_entries("metric")
    assert entry.origin == "caesura-made-up 1.2"


def test_entry_points_are_read_only_where_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(group: str) -> None:
        raise AssertionError(f"{group} is read")

    monkeypatch.setattr(plugins, "_declared", refuse)
    registry.parse("metric", "Boundary(classes=('.',))")
    registry.parse("detector", "Fusion((Pause, Column('x')))")
    assert get_detector("en").name == "Model"
    assert len(list(caesura.read(EXAMPLES / "interview.whisper.json"))) == 1
    with pytest.raises(AssertionError, match=r"caesura\..* is read"):
        registry.parse("metric", "Other")


def test_a_study_is_run_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "from types import SimpleNamespace\n"
        "def run(data, out):\n    return SimpleNamespace(text=f'{data} {out}')\n"
    )
    enter(tmp_path, monkeypatch, "made_up_h", {"caesura.studies": {"toy": "made_up_h:run"}}, source)
    assert caesura.reproduce("toy", data="a", output="b") == "a b"
    with pytest.raises(UnknownName, match="no study is named 'toyy'; did you mean 'toy'"):
        find_study("toyy")


def test_a_study_that_is_no_function_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = {"caesura.studies": {"toy": "made_up_j", "other": "made_up_j:other"}}
    enter(tmp_path, monkeypatch, "made_up_j", points, "def other(data, out): ...")
    message = r"the study 'toy' of caesura-made-up 1.2 cannot be used: made_up_j is a module, not a"
    with pytest.raises(PluginError, match=message):
        find_study("toy")
    assert callable(find_study("other"))


def test_plugins_that_exit_on_import_are_one_warning_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    points = {
        "caesura.metrics": {"Leaver": "made_up_k:Leaver"},
        "caesura.studies": {"leave": "made_up_k:run"},
    }
    enter(tmp_path, monkeypatch, "made_up_k", points, "import sys\nsys.exit(3)")
    message = "'Leaver' of caesura-made-up 1.2 cannot be imported: SystemExit: 3; update"
    with pytest.raises(PluginError, match=message):
        registry.parse("metric", "Leaver")
    with pytest.raises(PluginError, match=r"'leave' of caesura-made-up 1.2 cannot be imported"):
        find_study("leave")
    with caplog.at_level(logging.WARNING):
        rows = caesura.catalogue("metrics")["metrics"]
        studies = caesura.catalogue("studies")["studies"]
    assert [row["name"] for row in rows] == registry.names("metric")
    assert studies == []
    assert ["'Leaver'" in caplog.messages[0], "'leave'" in caplog.messages[1]] == [True, True]
    assert len(caplog.records) == 2


def test_without_studies_the_package_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_declared", lambda group: {})
    with pytest.raises(
        UnknownName, match=r"no studies are installed; .* pip install caesura-studies"
    ):
        find_study("wisebe")


SHOUT = """
from dataclasses import dataclass

import caesura
from caesura.formats.base import TextFormat


@dataclass(frozen=True, repr=False)
class Shout(TextFormat):
    "One word a line after a line SHOUT."

    name = "shout"
    suffixes = (".shout", ".txt")
    carries = frozenset()

    @classmethod
    def recognises(cls, source):
        return source.text.startswith("SHOUT")

    def parse(self, source):
        yield caesura.Transcript(tuple(source.text.split()[1:]), id=source.stem)

    def render(self, transcripts):
        for each in transcripts:
            yield "\\n".join(["SHOUT", *each.words, ""])
"""


def test_a_format_of_a_distribution_is_known_by_suffix_and_by_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = {"caesura.formats": {"shout": "made_up_i:Shout"}}
    enter(tmp_path, monkeypatch, "made_up_i", points, SHOUT)
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a.shout", "b.txt", "c.strange"):
        (folder / name).write_text("SHOUT\nso\nit\n")
        (found,) = caesura.read(folder / name)
        assert found.words == ("so", "it")
        assert found.origin is not None
        assert found.origin.format == "shout"
    assert len(list(caesura.read(folder))) == 2
    caesura.convert(folder / "b.txt", output=tmp_path / "out.shout")
    assert (tmp_path / "out.shout").read_text() == "SHOUT\nso\nit\n"
    assert caesura.dumps(Transcript(("so", "it")), "shout") == "SHOUT\nso\nit\n"
    assert caesura.to_shout(Transcript(("so", "it"))) == "SHOUT\nso\nit\n"
    (folder / "d.txt").write_text("So it goes.")
    assert next(caesura.read(folder / "d.txt")).words == ("So", "it", "goes")


@dataclass(frozen=True, repr=False)
class Upper(TextFormat):
    """Words in capitals, each followed by an `end`."""

    name = "upper"
    suffixes = (".upper",)
    carries = frozenset()
    end: str = "!"

    def parse(self, source: Source) -> Iterator[Transcript]:
        yield Transcript(tuple(source.text.replace(self.end, "").split()))

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        for transcript in transcripts:
            yield " ".join(f"{word}{self.end}".upper() for word in transcript.words)


@dataclass(frozen=True, repr=False)
class Whispered(Upper):
    """A format that is only read."""

    name = "whispered"
    writable = False


def test_a_registered_format_has_a_function_that_writes_it() -> None:
    with pytest.raises(AttributeError, match="no attribute 'to_upper'"):
        _ = caesura.to_upper
    caesura.register(Upper)
    caesura.register(Whispered)
    transcript = Transcript(("so", "it"))
    assert caesura.to_upper(transcript) == caesura.dumps(transcript, "upper") == "SO! IT!"
    assert caesura.to_upper([transcript], end="?") == caesura.dumps(transcript, "upper(end='?')")
    assert caesura.loads("SO! IT!", "upper")[0].words == ("SO", "IT")
    assert not hasattr(caesura, "to_whispered")
    with pytest.raises(CaesuraError, match=r"whispered.*; choose one with to= .*upper"):
        caesura.dumps(transcript, "whispered")


@dataclass(frozen=True, repr=False)
class EveryNoun(WordTagger):
    """A tagger that tags every word as a noun."""

    name = "EveryNoun"

    def tag(self, transcript: Transcript) -> Transcript:
        return transcript.replace(tag=("NOUN",) * len(transcript))


def test_a_tagger_may_be_a_plugin_and_a_setting_of_a_detector(tmp_path: Path) -> None:
    caesura.register(EveryNoun)
    assert registry.learner("EveryNoun") == EveryNoun()
    assert registry.kind_of("EveryNoun", "detector") == "tagger"
    crf = registry.parse("detector", "CRF(tagger=EveryNoun())")
    assert EveryNoun() in crf.parts()
    stored = store.load(store.save(tmp_path / "nouns", EveryNoun(), Card()))
    assert stored.tagger.tag(Transcript(["so"])).tag == ("NOUN",)
    assert store.model_kind(tmp_path / "nouns") == "tagger"
