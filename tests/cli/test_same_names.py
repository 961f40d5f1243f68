"""Commands and functions are held together: the same parameters under the same names."""

import importlib
import inspect

import click
import pytest

from caesura import api
from caesura.cli.main import VERBS, program

FUNCTIONS = {name: name for name in VERBS} | {"list": "catalogue", "models": "list_models"}
REQUIRED = {
    "align": ["x", "--script", "y"],
    "project": ["x", "--reference", "y"],
    "score": ["x", "--reference", "y"],
    "compare": ["x", "y", "--reference", "z"],
    "correlate": ["x", "--metric", "y", "--result", "z"],
    "report": ["x", "--reference", "y", "--output", "z.html"],
    "reproduce": ["wisebe", "--data", ".", "--output", "x"],
    "models": [],
    "stream": [],
    "train": ["Pause", "--train", "x", "--output", "y"],
    "list": [],
}
ONLY_SHOWN = {
    "align": {"to", "output", "json"},
    "segment": {"to", "output", "json"},
    "project": {"to", "output", "json", "lost"},
    "stream": {"to", "json"},
    "score": {"json", "report", "show"},
    "compare": {"json", "report"},
    "agree": {"json", "report"},
    "correlate": {"json", "report"},
    "models": {"json"},
    "train": {"json"},
    "list": {"json"},
}
"""What is about printing and writing what the function gives."""


def command(verb: str) -> click.Command:
    made = importlib.import_module(f"caesura.cli.{verb}").command
    assert isinstance(made, click.Command)
    return made


@pytest.mark.parametrize("verb", VERBS)
def test_parameters_have_the_same_names(verb: str) -> None:
    typed = {parameter.name for parameter in command(verb).params}
    called = set(inspect.signature(getattr(api, FUNCTIONS[verb])).parameters)
    assert typed - ONLY_SHOWN.get(verb, set()) == called


@pytest.mark.parametrize("verb", VERBS)
def test_defaults_agree(verb: str) -> None:
    parameters = inspect.signature(getattr(api, FUNCTIONS[verb])).parameters
    typed = command(verb).make_context(verb, list(REQUIRED.get(verb, ["x"]))).params
    for name, value in typed.items():
        if name not in parameters or parameters[name].default is inspect.Parameter.empty:
            continue
        assert value in (parameters[name].default, (parameters[name].default,)), name


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_examples_and_the_listed_sentence(verb: str) -> None:
    made = command(verb)
    assert made.short_help == VERBS[verb]
    assert f"caesura {verb}" in (made.epilog or "")
    for option in made.params:
        if isinstance(option, click.Option):
            assert option.help, option.name


def test_all_verbs_are_found() -> None:
    context = click.Context(program)
    assert program.list_commands(context) == list(VERBS)
    assert program.get_command(context, "nothing") is None
