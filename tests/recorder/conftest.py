"""Loads mitmproxy before any test does: it warns about its own imports, and warnings are errors."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import mitmproxy.addons  # noqa: F401
