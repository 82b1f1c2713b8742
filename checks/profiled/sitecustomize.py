"""Python imports this first, in every process that a profiled command starts."""

import os
from pathlib import Path

if "PROFILED_OUTPUT" in os.environ:
    from checks.profile_command import OUTPUT, PACKAGE, record_calls

    record_calls(os.environ[PACKAGE], Path(os.environ[OUTPUT]))
