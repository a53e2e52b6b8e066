"""The model list that the scripted provider can serve, as small as Codex 0.169.0 takes it.

Its one model is none of those built into the client, which takes it as its default: a client
that was denied the list can be told by the model it asks for, and by its tools (the built-in
default runs commands through JavaScript, this one through an ordinary function).
"""

import json

from provider_script import Plain

MODEL_LIST = Plain(
    200,
    json.dumps(
        {
            "models": [
                {
                    "slug": "scripted-model",
                    "display_name": "Scripted model",
                    "priority": 1,
                    "visibility": "list",
                    "supported_in_api": True,
                    "shell_type": "shell_command",
                    "support_verbosity": False,
                    "supported_reasoning_levels": [{"effort": "low", "description": "Fast"}],
                    "truncation_policy": {"mode": "tokens", "limit": 10000},
                    "experimental_supported_tools": [],
                    "model_messages": {"instructions_template": "You answer from a script."},
                }
            ]
        }
    ),
)
