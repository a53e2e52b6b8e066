"""Recordings that lack something: the recorder lost it, was stopped, or was not trusted."""

from labelled_recording import S1, answer, labelled, say
from timed_tapes import NEW_CODEX, TapeMaker, ask, call, completed, created, delta, message, output

from wiretape.diagnosis.kinds import Kind
from wiretape.facts import EndKind, Sender


@labelled(Kind.RECORDER_GAP)
def _a_gap_in_the_recording(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"))
    maker.gap(30, 40)


@labelled(Kind.RECORDER_GAP)
def _a_gap_that_took_the_end(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.chunk(6, b'data: {"type": "response.created", "resp')
    maker.gap(7, 8, exchange=1)
    post.chunk(9, b'onse": {}}\n\n')
    post.end(10)
    answer(maker, 300, ask("hi", message("hello", "assistant"), "more"))


@labelled(Kind.RECORDER_GAP, agent=NEW_CODEX)
def _a_gap_that_took_a_call(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    socket.say(2, created())
    maker.gap(3, 4, exchange=1)
    socket.say(5, completed())
    socket.ask(10, ask(output("c1"), previous_response_id="resp_1"))
    say(socket, 11, name="resp_2")


@labelled(Kind.RECORDER_GAP)
def _a_gap_that_took_an_output(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    post = maker.post(50, b"", S1)
    maker.gap(51, 52, exchange=2)
    post.answer(60, created(), completed())


@labelled(Kind.RECORDER_GAP)
def _a_gap_that_took_the_end_of_a_cut_stream(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created())
    maker.gap(7, 8, exchange=1)
    post.end(9, EndKind.SERVER_CLOSED, Sender.SERVER)


@labelled(Kind.RECORDING_CUT)
def _killed_within_an_answer(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created(), delta())
    maker.is_cut_off = True


@labelled(Kind.RECORDING_CUT)
def _killed_while_a_tool_ran(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    maker.is_cut_off = True


@labelled(Kind.RECORDING_CUT)
def _killed_after_an_upgrade_was_refused(maker: TapeMaker) -> None:
    maker.upgrade(0, S1).refuse(5, 426)
    maker.is_cut_off = True


@labelled(Kind.RECORDING_CUT, Kind.RATE_LIMITED)
def _killed_before_the_next_try(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).refuse(5, 429, "", (("retry-after", "2"),))
    maker.is_cut_off = True


@labelled(Kind.NOT_TRUSTED)
def _a_client_that_does_not_trust_the_recorder(maker: TapeMaker) -> None:
    for at_ms in (0, 20):
        tunnel = maker.get(at_ms, "api.openai.com:443")
        tunnel.end(at_ms + 5, EndKind.TLS_FAILURE, Sender.CLIENT)
