"""SQLite, as apsw brings it: all that use it import it from here."""

from __future__ import annotations

import _collections_abc
import sys

# apsw asks for collections.abc, and with it comes all of collections: as much work as apsw itself.
# What collections.abc holds is _collections_abc, which os has loaded already.
_LENT = [name for name in ("collections", "collections.abc") if name not in sys.modules]
sys.modules.update(dict.fromkeys(_LENT, _collections_abc))
try:
    import apsw as apsw
finally:
    for _name in _LENT:
        del sys.modules[_name]  # whoever asks next gets the real ones
