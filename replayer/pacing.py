"""When an action is due, at a factor of the recorded pace."""

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """``factor`` 1 is the recorded pace, 2 twice as fast; ``None`` waits for nothing."""

    factor: float | None

    @property
    def waits(self) -> bool:
        return self.factor is not None

    async def until(self, at_us: int, began_s: float) -> None:
        """Returns when ``at_us`` is due, on a schedule that began at ``began_s`` (loop time).

        An absolute schedule, so that one late action does not delay all that follow.
        """
        if self.factor is not None:
            delay_s = began_s + at_us / 1e6 / self.factor - asyncio.get_running_loop().time()
            if delay_s > 0:
                await asyncio.sleep(delay_s)


MAX = Pace(None)
