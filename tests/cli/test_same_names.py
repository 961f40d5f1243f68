"""Commands and functions are held together: the same parameters under the same names."""

import importlib
import inspect

import click
import pytest

import caesura
from caesura.cli import COMMANDS
from caesura.cli.main import program

FUNCTIONS = {name: name for name in COMMANDS} | {"list": "catalogue", "models": "list_models"}
REQUIRED = {
    "align": ["x", "--script", "y"],
    "project": ["x", "--reference", "y"],
    "score": ["x", "--reference", "y"],
    "compare": ["x", "y", "--reference", "z"],
    "correlate": ["x", "--metric", "y", "--result", "z"],
    "reproduce": ["wisebe", "--data", ".", "--output", "x"],
    "models": [],
    "stream": [],
    "train": ["Pause", "--train", "x", "--output", "y"],
    "adapt": ["en", "--train", "x", "--output", "y"],
    "list": [],
}
ONLY_SHOWN = {
    "align": {"to", "output", "json"},
    "segment": {"to", "output", "json", "explain", "near_misses"},
    "project": {"to", "output", "json", "lost"},
    "stream": {"to", "json"},
    "score": {"json", "show"},
    "compare": {"json"},
    "agree": {"json"},
    "correlate": {"json", "report"},
    "models": {"json", "reliability"},
    "train": {"json"},
    "adapt": {"json"},
    "list": {"json"},
}
"""What is about printing and writing what the function gives."""


def command(name: str) -> click.Command:
    made = importlib.import_module(f"caesura.cli.{name}").command
    assert isinstance(made, click.Command)
    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_parameters_have_the_same_names(name: str) -> None:
    typed = {parameter.name for parameter in command(name).params} - {"quiet"}
    called = set(inspect.signature(getattr(caesura, FUNCTIONS[name])).parameters)
    assert typed - ONLY_SHOWN.get(name, set()) == called


@pytest.mark.parametrize("name", COMMANDS)
def test_defaults_agree(name: str) -> None:
    parameters = inspect.signature(getattr(caesura, FUNCTIONS[name])).parameters
    typed = command(name).make_context(name, list(REQUIRED.get(name, ["x"]))).params
    for parameter, value in typed.items():
        if parameter not in parameters or parameters[parameter].default is inspect.Parameter.empty:
            continue
        default = parameters[parameter].default
        assert value in (default, (default,)), parameter


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples_and_the_listed_sentence(name: str) -> None:
    made = command(name)
    assert made.short_help == COMMANDS[name]
    assert f"caesura {name}" in (made.epilog or "")
    for option in made.params:
        if isinstance(option, click.Option):
            assert option.help, option.name


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_80_columns_with_its_options_under_headings(name: str) -> None:
    made = command(name)
    shown = made.get_help(click.Context(made, info_name=f"caesura {name}", terminal_width=80))
    assert max(map(len, shown.splitlines())) <= 80
    headings = [line for line in shown.splitlines() if line in ("Input:", "Method:", "Output:")]
    assert headings == [each for each in ("Input:", "Method:", "Output:") if each in headings]
    assert headings[-1] == "Output:"


def test_all_names_are_found() -> None:
    context = click.Context(program)
    assert program.list_commands(context) == list(COMMANDS)
    assert program.get_command(context, "nothing") is None
