"""The program `caesura`: finds the command, and reports every problem in one line."""

from __future__ import annotations

import errno
import importlib
import logging
import os
import signal
import sys
from io import TextIOWrapper
from pathlib import Path
from traceback import walk_tb
from types import FrameType

import click

from caesura import __version__
from caesura.cli import COMMANDS
from caesura.core.errors import CaesuraError, closest_name

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors that only writing has; one that names no file is of standard output."""

PACKAGE = Path(__file__).parents[1]
"""The folder of Caesura's own code."""


class LazyCommands(click.Group):
    """Commands that are imported only when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"caesura.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a name that is not known, suggest the one that is meant."""
        meant = "" if args[0] in COMMANDS else closest_name(args[0], COMMANDS)
        if meant and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}; did you mean {meant!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _completion(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    if not shell or ctx.resilient_parsing:
        return
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        raise click.BadParameter(f"no completion for {shell}")
    click.echo(made(ctx.command, {}, "caesura", "_CAESURA_COMPLETE").source())
    ctx.exit()


@click.group(
    cls=LazyCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 90},
    epilog="Try: caesura segment talk.json --to srt --output talk.srt",
)
@click.version_option(__version__, "--version", prog_name="caesura")
@click.option(
    "--completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    callback=_completion,
    is_eager=True,
    expose_value=False,
    help="Print a completion script for your shell: eval it, or save it.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing on standard error but errors.")
def program(quiet: bool) -> None:
    """Sentences in speech: find where they end, and measure how well that came out."""
    _set_up_logging(quiet)


class FirstFew(logging.Filter):
    """Lets the first messages through, such as which format a file has, and drops the rest."""

    MOST = 5

    def __init__(self) -> None:
        super().__init__()
        self.seen = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Count messages; warnings, errors and the progress of long work always pass.

        Long work has a logger of its own, such as `caesura.studies`.
        """
        if record.levelno > logging.INFO or record.name != "caesura":
            return True
        self.seen += 1
        if self.seen == self.MOST:
            record.msg = f"{record.msg}; and so on"
        return self.seen <= self.MOST


def _set_up_logging(quiet: bool) -> None:
    """Send what users should know to standard error."""
    logger = logging.getLogger("caesura")
    logger.handlers = [logging.StreamHandler(sys.stderr)]
    logger.handlers[0].setFormatter(logging.Formatter("caesura: %(message)s"))
    logger.handlers[0].addFilter(FirstFew())
    logger.setLevel(logging.ERROR if quiet else logging.INFO)
    logger.propagate = False


def _handle_signals() -> None:
    """Let a signal that ends the program end it like an interrupt."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _terminated)


def _terminated(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> None:
    """Run a command; turn every problem into one line and an exit code."""
    _handle_signals()
    _prepare_streams()
    try:
        code = program.main(arguments, prog_name="caesura", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        code = done.exit_code
    except click.UsageError as error:
        error.show(sys.stderr)
        code = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("caesura: interrupted; nothing was left half written", err=True)
        code = 130
    except CaesuraError as error:
        click.echo(f"caesura: {error}", err=True)
        code = 1
    except OSError as error:
        code = _report_os_error(error)
    except MemoryError:
        click.echo("caesura: the input is too large for this machine's memory", err=True)
        code = 1
    except Exception as error:
        failed = describe_plugin_error(error)
        if not failed:
            raise
        click.echo(f"caesura: {failed}", err=True)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def describe_plugin_error(error: Exception) -> str:
    """Say which plug-in failed and where, in one line; '' for an error inside Caesura itself.

    Libraries that either of them calls are passed over.
    """
    from caesura.core import plugins

    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(PACKAGE):
            return ""
        owner = frame.f_locals.get("self", frame.f_locals.get("cls"))
        plugin = plugins.of_class(owner if isinstance(owner, type) else type(owner))
        if plugin:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            place = f"{file.name}, line {line}"
            return (
                f"the plug-in {plugin.plugin_class.name} ({plugin.origin}) failed: {what} ({place})"
            )
    return ""


def _prepare_streams() -> None:
    """Make output UTF-8 where it goes to files and pipes, and stand in for closed streams."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123
    if sys.stdout is None:
        click.echo("caesura: standard output is closed", err=True)
        sys.exit(1)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")


def _report_os_error(error: OSError) -> int:
    """Report what the system refused; a closed pipe is no error of ours."""
    closed = isinstance(error, BrokenPipeError)
    if not closed:
        if error.filename is not None:
            what = f"{error.filename}: {error.strerror}"
        elif error.errno in NO_SPACE:
            what = f"standard output: cannot be written: {error.strerror}"
        else:
            what = str(error.strerror or error)
        click.echo(f"caesura: {what}", err=True)
    # What is still buffered cannot be written: keep Python from trying again at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if closed else 1
