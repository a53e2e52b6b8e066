"""Which tests are slow: those that start whole programs (recorders, test runs, browsers) or wait
for a real second to go by. ``scripts/check`` leaves them out, ``scripts/check all`` does not.

They are known by how their ids begin, here and not at each test, so that what makes a check slow
is seen in one place. ``pytest --durations=40 -m "not slow and not codex"`` shows what is missing.
"""

SLOW = (
    "tests/inspector_web/test_browser.py",
    "tests/inspector_web/test_cli.py",
    "tests/inspector_web/test_drawing.py::test_a_million_events",
    "tests/inspector_web/test_hostile.py::test_a_huge_string",
    "tests/inspector_web/test_samples_in_browser.py",
    "tests/provider/test_codex_run.py::test_deadline",
    "tests/recorder/test_chaining.py",
    "tests/recorder/test_interrupted.py",
    "tests/recorder/test_killed.py",
    "tests/recorder/test_limits.py",
    "tests/recorder/test_locked.py",
    "tests/recorder/test_past_us.py",
    "tests/recorder/test_record_command.py",
    "tests/recorder/test_same_as_without.py",
    "tests/recorder/test_secrets.py",
    "tests/recorder/test_secrets_anywhere.py",
    "tests/recorder/test_tls.py",
    "tests/recorder/test_tools.py",
    "tests/replayer/pytest_plugin/",
    "tests/replayer/reference/test_recorded_runs.py",
    "tests/replayer/reference/test_verify.py::test_a_silence_after",
    "tests/replayer/test_command.py",
    "tests/replayer/test_minimize_command.py",
    "tests/replayer/test_openai_sdk_recorded.py",
    "tests/replayer/test_versions_command.py",
    "tests/replayer/trials/test_trial.py",
    "tests/test_demo.py",
    "tests/test_required.py",
    "tests/wiretape/commands/test_bad_input.py::test_a_busy_port",
    "tests/wiretape/commands/test_bad_input.py::test_a_command_line",
    "tests/wiretape/commands/test_bad_input.py::test_a_command_that",
    "tests/wiretape/commands/test_bad_input.py::test_a_reader_that",
    "tests/wiretape/commands/test_bad_input.py::test_an_output_without",
    "tests/wiretape/scripts/test_round_trip.py",
    "tests/wiretape/test_content.py::test_a_bomb",
    "tests/wiretape/test_reconstruct.py::test_memory",
    "tests/wiretape/test_reconstruct_anything.py",
    "tests/wiretape/test_reconstruct_sdk.py",
    "tests/wiretape/test_recording.py::test_a_recording_comes_back",
    "tests/wiretape/test_store_trouble.py",
)
