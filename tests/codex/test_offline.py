"""A replay needs no network: it runs where there is none but loopback."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cells import Cell
from codex_run import normalised
from situations import DEFAULT_TRANSPORT, SITUATIONS, Version

pytestmark = pytest.mark.codex

WITHOUT_NETWORK = ["unshare", "--map-root-user", "--net", "sh", "-c"]
WITHOUT_NETWORK += ['ip link set lo up && exec "$@"', "sh"]


@pytest.fixture
def _namespaces() -> None:
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("unshare and ip are needed to take the network away")
    tried = subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"network namespaces are not allowed here: {tried.stderr.decode().strip()}")


@pytest.mark.usefixtures("_namespaces")
@pytest.mark.parametrize("version", Version)
def test_the_unconfigured_client_replays_without_a_network(
    version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """The default provider's session is played back where nothing can be reached."""
    transport = DEFAULT_TRANSPORT[version]
    cell = Cell(SITUATIONS["default-provider"], codex(version), transport, tmp_path)
    recorded = cell.recorded()
    replayed, report = cell.replayed(prefix=WITHOUT_NETWORK)
    assert normalised(replayed.events) == normalised(recorded.codex.events)
    assert replayed.exit_code == 0
    assert (report["counts"]["unexpected"], report["counts"]["not_asked"]) == (0, 0)
