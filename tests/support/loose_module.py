"""Loads a module from a file that is in no package: a script."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any


def load(path: Path) -> Any:
    """The module in that file."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    # A dataclass looks its own module up.
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
