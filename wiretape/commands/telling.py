"""Sentences for the person at the terminal."""

import os
import sys
from pathlib import Path

import click


def tell(sentence: str) -> None:
    """Says a sentence on stderr, as long as anybody is there to read it."""
    try:
        click.echo(f"wiretape: {sentence}", err=True)
    except OSError:
        # The terminal or the reader is gone. What has not been said would be tried again at the
        # very end, and its failure would take the place of the exit code.
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
