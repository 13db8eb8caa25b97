"""jezero-hook serve: the site on this machine, until it is stopped."""

from __future__ import annotations

import os
import signal
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING

import anyio

from ..answers import settings
from ..config import CONFIG_FILE
from ..console import print_json
from .address import Address, address_of, hosts_of, is_loopback, listen, run
from .desk import Client
from .keys import KEY_FILE, keys_of
from .running import AlreadyServingError, Running, only_one, tell
from .site import Door, Site

if TYPE_CHECKING:
    from types import FrameType

    from ..cli import Call

OPTION = "--listen"


def run_serve(call: Call) -> int:
    """Serve until interrupted; address and key file are told on stderr, with --json on stdout.

    Raises JezeroError where the address cannot be had or another server of this home runs,
    UsageError for an address that other machines reach although no name for them is given.
    """
    wanted = address_of(call.options.listen, OPTION, call.options.allow_host)
    config = settings(call)
    try:
        with only_one(call.home):
            signal.signal(signal.SIGTERM, _end)
            listening, address = listen(wanted, OPTION)
            names = call.options.allow_host
            key_file = None
            if names or not is_loopback(address.host):
                key_file = call.options.key_file or os.path.join(call.home, KEY_FILE)
            keys = keys_of(config, call.home, key_file) if key_file else []
            running = Running(_url(address, names), os.path.abspath(call.library))
            client = Client(
                call.library, call.config or os.path.join(call.home, CONFIG_FILE), call.before
            )
            site = Site(client, Door(hosts_of(address, names), tuple(keys)), config.serve)
            tell(call.home, running)
            _say(call, running, key_file)
            if call.options.open:
                # Some browsers are waited for.
                threading.Thread(target=_open, args=(running.url,), daemon=True).start()
            anyio.run(run, site, listening)
    except AlreadyServingError as already:
        first = already.first
        if not call.options.open or first is None or first.library != os.path.abspath(call.library):
            raise
        _say(call, first, None)
        _open(first.url)
    return 0


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def _url(address: Address, names: list[str]) -> str:
    """Return where a browser finds the server: by the name that others know, where it has one."""
    if is_loopback(address.host) or not names:
        return address.url()
    return f"http://{names[0]}:{address.port}"


def _say(call: Call, running: Running, key_file: str | None) -> None:
    print(f"jezero-hook: {running.library} is served at {running.url}/", file=sys.stderr)
    if key_file:
        print(f"jezero-hook: the key stands in {key_file}", file=sys.stderr)
    sys.stderr.flush()
    if call.json:
        print_json({"url": f"{running.url}/", "library": running.library, "key_file": key_file})
        sys.stdout.flush()


def _open(url: str) -> None:
    if not webbrowser.open(f"{url}/"):
        print(f"jezero-hook: no browser could be started; open {url}/", file=sys.stderr, flush=True)
