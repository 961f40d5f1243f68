"""Atomic output: files and folders are complete or not there."""

from io import FileIO
from pathlib import Path

import pytest

from caesura.core import atomic as module
from caesura.core.atomic import atomic, atomic_folder
from caesura.core.errors import OutputError


def fill(path: Path, text: str, error: BaseException | None = None) -> None:
    with atomic_folder(path) as made:
        (made / "x").write_text(text)
        if error is not None:
            raise error


def test_a_folder_appears_when_complete_and_replaces_the_former_one(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b"
    fill(target, "first")
    fill(target, "second")
    assert (target / "x").read_text() == "second"
    assert [inner.name for inner in target.parent.iterdir()] == ["b"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError(), OSError(28, "full")])
def test_after_an_interruption_nothing_is_left_but_the_former_folder(
    tmp_path: Path, error: BaseException
) -> None:
    target = tmp_path / "b"
    expected = OutputError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected):
        fill(target, "half", error)
    assert list(tmp_path.iterdir()) == []
    fill(target, "whole")
    with pytest.raises(expected):
        fill(target, "half", error)
    assert [inner.name for inner in tmp_path.iterdir()] == ["b"]
    assert (target / "x").read_text() == "whole"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(13, "not allowed")])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_between_two_renames_one_complete_folder_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, when: str, step: int
) -> None:
    target = tmp_path / "b"
    fill(target, "former")
    rename = Path.rename
    calls: list[Path] = []

    def interrupted(self: Path, other: Path) -> Path:
        calls.append(self)
        if len(calls) == step and when == "before":
            raise error
        done = rename(self, other)
        if len(calls) == step:
            raise error
        return done

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises((KeyboardInterrupt, OutputError)):
        fill(target, "new")
    moved = (step, when) in [(2, "after"), (3, "before"), (3, "after")]
    assert (target / "x").read_text() == ("new" if moved else "former")
    left = {inner.name for inner in tmp_path.iterdir()} - {"b"}
    assert not left or (step == 3 and when == "before")


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    fill(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "x").read_text() == "text"


def test_a_place_where_no_folder_can_be_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot be written"):
        fill(tmp_path / "file" / "b", "text")


def test_an_error_of_the_input_is_not_blamed_on_the_output(tmp_path: Path) -> None:
    missing = tmp_path / "input.txt"
    with pytest.raises(FileNotFoundError) as caught, atomic(tmp_path / "output.txt") as file:
        file.write(missing.read_bytes())
    assert caught.value.filename == str(missing)
    with pytest.raises(IsADirectoryError), atomic(tmp_path / "output.txt") as file:
        raise IsADirectoryError(21, "Is a directory")
    with pytest.raises(FileNotFoundError), atomic_folder(tmp_path / "output") as made:
        (made / "x").write_bytes(missing.read_bytes())
    refused = pytest.raises(OutputError, match="output: cannot be written: No such file")
    with refused, atomic_folder(tmp_path / "output") as made:
        (made / "nowhere" / "x").write_bytes(b"x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_an_error_of_the_output_names_it(size: int) -> None:
    refused = pytest.raises(OutputError, match=r"^/dev/full: cannot be written: No space left on")
    with refused, atomic(Path("/dev/full")) as file:
        file.write(b"x" * size)


def test_an_error_that_is_only_known_at_the_end_names_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk in a network may refuse what was written when the file is closed."""

    class Refusing(FileIO):
        def close(self) -> None:
            if not self.closed:
                super().close()
                raise OSError(122, "Disk quota exceeded")

    monkeypatch.setattr(module, "FileIO", Refusing)
    target = tmp_path / "output.txt"
    with pytest.raises(OutputError) as caught, atomic(target) as file:
        file.write(b"x")
    assert str(caught.value) == f"{target}: cannot be written: Disk quota exceeded"
    assert list(tmp_path.iterdir()) == []
