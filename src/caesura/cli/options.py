"""Options that several commands share, their groups in `--help`, and completion of names."""

from __future__ import annotations

import json as _json
import logging
from collections.abc import Callable
from typing import Any, cast

import click

from caesura.cli import COMMANDS
from caesura.core import registry
from caesura.core.errors import UnknownName, advice

Decorator = Callable[[Any], Any]
Complete = Callable[[click.Context, click.Parameter, str], list[str]]

INPUT, METHOD, OUTPUT = "Input", "Method", "Output"
"""Headings of options in `--help`."""


class GroupedOption(click.Option):
    """An option with the heading under which `--help` shows it."""

    def __init__(self, *names: Any, group: str = METHOD, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.group = group


def quiet() -> click.Option:
    """Make the option that leaves out messages; it may stand before or after the command."""
    return GroupedOption(
        ["--quiet", "-q"],
        group=OUTPUT,
        is_flag=True,
        expose_value=False,
        callback=_silence,
        help="Print nothing on standard error but errors.",
    )


def _silence(_context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked:
        logging.getLogger("caesura").setLevel(logging.ERROR)


class GroupedCommand(click.Command):
    """A command whose `--help` shows its options under headings; each one has `--quiet`."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.params.append(quiet())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, each group where its first option stands; `--help` comes last."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                groups.setdefault(getattr(parameter, "group", OUTPUT), []).append(record)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def command(name: str, examples: str, after: str = "") -> Decorator:
    """Make a function the command of that name; `examples` and what comes `after` end its help."""
    epilog = "\b\nExamples:\n" + examples.strip("\n") + (f"\n\n{after}" if after else "")
    made = click.command(name, cls=GroupedCommand, short_help=COMMANDS[name], epilog=epilog)
    return cast(Decorator, made)


def option(*names: str, group: str = METHOD, **settings: Any) -> Decorator:
    """Make an option that `--help` shows under a heading."""
    return cast(Decorator, click.option(*names, cls=GroupedOption, group=group, **settings))


def path() -> click.Path:
    """Give the type of a path that the library checks; - is standard input."""
    return click.Path(readable=False, allow_dash=True)


def complete_names(*kinds: registry.Kind) -> Complete:
    """Complete the registered names of some kinds."""
    return lambda _context, _parameter, typed: [
        name for kind in kinds for name in registry.all_names(kind) if name.startswith(typed)
    ]


def complete_detectors(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Complete the names of detectors and of models that ship with Caesura."""
    from caesura.models.store import shipped_models

    models = [name for name in shipped_models("detector") if name.startswith(typed)]
    return models + complete_names("detector")(context, parameter, typed)


def format_option(name: str, help: str, group: str = INPUT, **settings: Any) -> Decorator:
    """Make an option that names a format."""
    complete = complete_names("format")
    return option(
        name, group=group, metavar="FORMAT", shell_complete=complete, help=help, **settings
    )


def input_option(*names: str, help: str, **settings: Any) -> Decorator:
    """Make an option that names files or folders to read."""
    return option(*names, group=INPUT, metavar="PATH", type=path(), help=help, **settings)


files = cast(Decorator, click.argument("files", nargs=-1, required=True, type=path()))
"""Files and folders to read."""

format = format_option(
    "--format", "Format of the input. Found from suffix and content if not given."
)

alternatives = input_option(
    "--alternatives",
    multiple=True,
    help="File or folder of alternative transcriptions of references (call.norm.json for "
    "call.nlp). The one nearest to the hypothesis counts.",
)

entity_classes = input_option(
    "--entity-classes",
    multiple=True,
    help="File or folder of classes of entities that have none (call.wer_tag.json for call.nlp).",
)

detector = option(
    "--detector",
    metavar="DETECTOR",
    default="en",
    show_default=True,
    shell_complete=complete_detectors,
    help="What finds the sentences: the name or folder of a model, or a detector with its "
    "settings in brackets.",
)


def check_format_to_write(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """Refuse a name that no format has; only those that can be written are offered instead."""
    name = text.split("(")[0].strip()
    is_known = registry.is_known("format", name) or registry.kind_of(name, "format") != "format"
    if is_known or not name.isidentifier():
        return text
    from caesura.formats.recognize import writable

    hint = advice(name, writable(), "those that can be written are")
    raise UnknownName(f"no format is named {name!r}", remedy=hint)


to = format_option(
    "--to",
    "Format to write. Found from the output's suffix if not given.",
    group=OUTPUT,
    default="",
    callback=check_format_to_write,
)

output = option(
    "--output",
    "-o",
    group=OUTPUT,
    metavar="PATH",
    default="-",
    show_default="standard output",
    type=click.Path(allow_dash=True),
    help="File or folder to write. A folder is one that exists or ends in /.",
)

json = option("--json", group=OUTPUT, is_flag=True, help="Print JSON, for programs.")


def print_json(document: object) -> None:
    """Print a document for programs, on one line."""
    click.echo(_json.dumps(document, ensure_ascii=False))
