"""Says that nothing comes."""

import pytest
from raw_client import TIMEOUT_S, RawClient


def assert_silent(client: RawClient) -> None:
    """Nothing comes for a moment, and the connection stays."""
    assert not client.held
    client.connection.settimeout(0.02)
    with pytest.raises(TimeoutError):
        client.connection.recv(1)
    client.connection.settimeout(TIMEOUT_S)
