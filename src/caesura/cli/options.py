"""What several commands share: options with their groups in `--help`, and the line of progress."""

from __future__ import annotations

import json as _json
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import click

from caesura.cli import COMMANDS
from caesura.core import registry
from caesura.core.errors import UnknownName, advice

if TYPE_CHECKING:
    from caesura.core.transcript import Transcript

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

    names = ["auto", *shipped_models("detector")]
    models = [name for name in names if name.startswith(typed)]
    return models + complete_names("detector")(context, parameter, typed)


def complete_models(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """Complete the names of detectors that ship with Caesura as models."""
    from caesura.models.store import shipped_models

    return [name for name in shipped_models("detector") if name.startswith(typed)]


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

language = option(
    "--language",
    group=INPUT,
    default="",
    metavar="LANGUAGE",
    help="The language of recordings that do not state theirs, such as en or English.",
)

detector = option(
    "--detector",
    metavar="DETECTOR",
    default="auto",
    show_default=True,
    shell_complete=complete_detectors,
    help="What finds the sentences: auto, the model of each recording's language; the name or "
    "folder of a model; or a detector with its settings in brackets.",
)


def decisions(command: Any) -> Any:
    """How sentences are decided: what is preferred, and how short and long they may be."""
    for made in (
        option(
            "--longest",
            metavar="LENGTH",
            help="Sentences are no longer than so many words, as in 40, or seconds, as in 12s.",
        ),
        option(
            "--shortest",
            metavar="LENGTH",
            help="Sentences are no shorter than so many words or seconds, as far as possible.",
        ),
        option(
            "--prefer",
            type=click.Choice(["f1", "precision", "recall"]),
            default="f1",
            show_default=True,
            help="What matters more: that boundaries are right (precision), that none is missed "
            "(recall), or both alike.",
        ),
    ):
        command = made(command)
    return command


to = format_option(
    "--to",
    "Format to write. Found from the output's suffix if not given.",
    group=OUTPUT,
    default="",
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

as_read = option(
    "--as-read",
    "restore",
    group=OUTPUT,
    is_flag=True,
    flag_value=False,
    default=True,
    help="Leave words and marks as they were read: add no capitals, commas and full stops.",
)
json = option("--json", group=OUTPUT, is_flag=True, help="Print JSON, for programs.")


def check_format_to_write(text: str) -> None:
    """Refuse a name that no format has; only those that can be written are offered instead."""
    name = text.split("(")[0].strip()
    is_known = registry.is_known("format", name) or registry.kind_of(name, "format") != "format"
    if is_known or not name.isidentifier():
        return
    from caesura.formats.recognize import writable

    hint = advice(name, writable(), "those that can be written are")
    raise UnknownName(f"no format is named {name!r}", remedy=hint)


def print_json(document: object) -> None:
    """Print a document for programs, on one line."""
    click.echo(_json.dumps(document, ensure_ascii=False))


SECONDS_BEFORE_PROGRESS = 1.0
SECONDS_BETWEEN_UPDATES = 0.2


class ProgressLine:
    """A line of a terminal that is written over and over."""

    def __init__(self) -> None:
        self.shown = False

    def show(self, text: str) -> None:
        """Write the line in place of the one before."""
        self._write(f"\r\033[K{text}")
        self.shown = True

    def clear(self) -> None:
        """Remove the line, if there is one, so that something else can be written."""
        if self.shown:
            self._write("\r\033[K")
            self.shown = False

    def clear_before(self, _record: logging.LogRecord) -> bool:
        """Make room for a message, as a filter of messages that lets all through."""
        self.clear()
        return True

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


line = ProgressLine()
"""The only one: a terminal has one place for it."""


class Count:
    """How many recordings and words have come, and how fast since the first recording.

    What is before the first, such as loading a model, says nothing about the speed.
    """

    def __init__(self) -> None:
        self.recordings = self.words = 0
        self.first_words = 0
        self.begun = 0.0

    def add(self, words: int, now: float) -> None:
        """Count a recording that has come at the time `now`."""
        if not self.recordings:
            self.first_words, self.begun = words, now
        self.recordings += 1
        self.words += words

    def describe(self, now: float) -> str:
        """Give the counts, and the rate once it has been measured for a while."""
        text = f"{_counted(self.recordings, 'recording')}, {_counted(self.words, 'word')}"
        seconds = now - self.begun
        if self.recordings == 1 or seconds < SECONDS_BEFORE_PROGRESS:
            return text
        return f"{text}, {(self.words - self.first_words) / seconds:,.0f} words/s"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def with_progress(transcripts: Iterable[Transcript], output: str) -> Iterator[Transcript]:
    """Pass recordings on, counting them on standard error if that is a terminal.

    They are not counted where the terminal shows the recordings themselves.
    """
    talks = sys.stderr.isatty() and logging.getLogger("caesura").isEnabledFor(logging.INFO)
    if not talks or (output == "-" and sys.stdout.isatty()):
        yield from transcripts
        return
    for handler in logging.getLogger("caesura").handlers:
        handler.addFilter(line.clear_before)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(line.clear)
    count = Count()
    begun = updated = monotonic()
    try:
        for transcript in transcripts:
            now = monotonic()
            count.add(len(transcript), now)
            if now - begun > SECONDS_BEFORE_PROGRESS and now - updated > SECONDS_BETWEEN_UPDATES:
                updated = now
                line.show(count.describe(now))
            yield transcript
    finally:
        line.clear()
