"""The API against its own description: whatever is asked, an answer of the form it tells."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from jezero_hooks.config import Serve
from jezero_hooks.server.address import Address, hosts_of
from jezero_hooks.server.desk import Client
from jezero_hooks.server.endpoints import ENDPOINTS
from jezero_hooks.server.openapi import description
from jezero_hooks.server.site import Door, Site
from tests.commands import Place

schemathesis = pytest.importorskip("schemathesis")

# JEZERO_HOOKS_TESTS_REQUESTS=2000 asks that many times; each operation gets its share.
REQUESTS = int(os.environ.get("JEZERO_HOOKS_TESTS_REQUESTS", "160"))
SHARE = -(-REQUESTS // (2 * len(ENDPOINTS)))
NAMES = [endpoint.name for endpoint in ENDPOINTS]


def site_of(place: Place) -> Site:
    client = Client(str(place.library), str(place.config))
    return Site(client, Door(hosts_of(Address("localhost", 80), ()), ()), Serve())


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_as_described(documented: Place, name: str, mode: str) -> None:
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    schema = schemathesis.openapi.from_dict(description(ENDPOINTS))
    schema.app = site_of(documented)
    (operation,) = (
        found.ok()
        for found in schema.get_all_operations()
        if found.ok().definition.raw["operationId"] == name
    )
    strategy = operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode))
    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]

    @settings(
        max_examples=SHARE,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def ask(case: Any) -> None:
        reply = case.call(base_url="http://localhost")
        case.validate_response(reply, checks=checks)
        assert reply.status_code < 500
        if mode == "positive":
            assert reply.status_code in (200, 400, 404)

    ask()


def test_the_description_is_openapi() -> None:
    schema = schemathesis.openapi.from_dict(description(ENDPOINTS))
    schema.validate()
    assert [found.ok().definition.raw["operationId"] for found in schema.get_all_operations()] == (
        NAMES
    )
