"""What ``opweld check`` does with a user's own ops: lint, DebugMode, every place that can fail forced, memory refused.

`whole` does all of it in a process of its own: `subjects` finds the functions, `drawing` their inputs, `checks` does
one check after the other; `report` tells (docs/check.md).
"""

from opweld.rooms import door

__all__, __getattr__, __dir__ = door(
    __name__,
    {
        "checks": ("ASKED_FOR", "CHECKS", "Course", "check"),
        "forcing": ("Call",),
        "report": ("Fault", "Report", "Row"),
        "subjects": ("INPUTS", "Subject", "distinct", "found", "recorded", "recording", "subject_of"),
        "whole": ("check_all", "check_apart"),
    },
)
