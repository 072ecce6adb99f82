"""Redact whatever guests of a redacted link get, in one place, so that no route can forget it.

JSON is redacted as it leaves; files that are made for the way out (reports, tables, comparisons,
bundles) are made with the kinds of the link, whatever the request chooses; nothing else leaves.
``guards`` closes the routes that show raw bytes of files.
"""

from __future__ import annotations

import json
from urllib.parse import parse_qsl, urlencode

from fastapi import Request, Response

from pileup.api.auth import Principal, principal
from pileup.api.deps import Services
from pileup.api.errors import ApiError
from pileup.report.redaction.spans import IS_TOKEN
from pileup.storage.database import Unit
from pileup.views.reports.export import redacted
from pileup.views.reports.known import redactor_for

_MADE_FOR_LEAVING = (".csv", "/export", "/bundle")
"""Ends of the addresses of files whose route takes the parameter ``redact``."""
_OF_HTML = ("/report/page", "/report/preview")
"""Ends of the addresses whose answers hold sections as HTML."""


def change_query(request: Request, services: Services, unit: Unit) -> None:
    """Change what a redacted guest asks for: a file of their kinds; tokens are the values again."""
    query = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    is_file = request.scope["path"].endswith(_MADE_FOR_LEAVING)
    has_token = any(IS_TOKEN.search(value) for _, value in query)
    if not (is_file or has_token):
        return
    caller = principal(request, services)
    if not caller.redact:
        return
    if has_token:
        redactor = redactor_for(unit, services.placed, caller.incident_id, caller.redact)
        query = [(name, redactor.values_of(value)) for name, value in query]
    if is_file:
        query = [(name, value) for name, value in query if name != "redact"]
        query.append(("redact", ",".join(caller.redact)))
    request.scope["query_string"] = urlencode(query).encode()


def redacted_answer(
    request: Request, services: Services, unit: Unit, response: Response
) -> Response:
    """Return the response as the caller may see it; raises Refused when a value would be left."""
    caller: Principal | None = getattr(request.state, "principal", None)
    if caller is None or not caller.redact or request.scope["path"].endswith(_MADE_FOR_LEAVING):
        return response
    kind = response.headers.get("content-type", "")
    if not response.headers.get("content-length", "0").strip("0") and not kind:
        return response
    if not kind.startswith("application/json") or not hasattr(response, "body"):
        raise ApiError(403, "Not with this link", "this link shows no files as they are")
    redactor = redactor_for(unit, services.placed, caller.incident_id, caller.redact)
    has_html = request.scope["path"].endswith(_OF_HTML)
    content = redacted(json.loads(bytes(response.body)), redactor, html=has_html)
    return Response(
        json.dumps(content, ensure_ascii=False, separators=(",", ":")),
        status_code=response.status_code,
        headers={
            name: value
            for name, value in response.headers.items()
            if name not in ("content-length", "content-type", "etag")
        },
        media_type="application/json",
    )
