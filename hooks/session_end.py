"""The session-end hook: payload on stdin, nothing on stdout, exit 0."""

import gc
import sys
from posix import _exit  # os would cost a silent hook a fifth of its time

try:
    # The launcher names the environment's packages; the plugin's own folder is known from here.
    sys.path[:0] = [__file__.rpartition("/hooks/")[0], *sys.argv[1:]]
    gc.disable()  # a hook is over before anything could pile up
    from jezero_hooks.hook import session_end

    session_end()
    sys.stdout.flush()
finally:
    # Nothing may show a traceback or another exit code to the client, not even an import that
    # fails; and nothing is left that the interpreter's own tear-down would have to do.
    _exit(0)
