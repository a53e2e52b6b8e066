"""A small client of the standard library: posts to each URL it is given, prints what it gets.

It finds proxy and authorities in the environment, as most programs do. ``-`` copies a line of its
input; ``tty`` says what its terminal is; a number is the exit code.
"""

import os
import sys
import urllib.request


def main(arguments: list[str]) -> int:
    for argument in arguments:
        if argument.isdigit():
            return int(argument)
        if argument == "-":
            print(sys.stdin.readline().strip(), flush=True)
        elif argument == "tty":
            print(*(os.isatty(number) for number in range(3)), flush=True)
        else:
            print(ask(argument), flush=True)
    return 0


def ask(url: str) -> str:
    body = b'{"input":[],"tools":[]}'
    asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            text: str = answer.read().decode()
            return f"{answer.status} {text}"
    except OSError as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
