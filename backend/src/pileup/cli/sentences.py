"""Turn expected errors into one sentence on stderr and exit code 1, never a traceback."""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable
from typing import ParamSpec

import click
from pydantic import ValidationError

from pileup.runtime.errors import StartError, disk_full
from pileup.storage.errors import StorageError

P = ParamSpec("P")


def sentences(function: Callable[P, None]) -> Callable[P, None]:
    """Decorate the body of a command so that its errors print one sentence."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
        except (StartError, StorageError) as error:
            _leave(str(error))
        except ValidationError as error:
            first = error.errors()[0]
            name = "_".join(str(part) for part in first["loc"]).upper()
            _leave(f"the setting PILEUP_{name} is not usable: {first['msg']}.")
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            _leave(str(disk_full(error.filename or "the data folder")))

    return wrapped


def _leave(sentence: str) -> None:
    click.echo(f"pileup: {sentence}", err=True)
    raise SystemExit(1)
