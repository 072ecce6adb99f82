"""Send one webhook delivery: signed, to a checked address, within ten seconds.

Addresses are untrusted: a name is resolved first, every address of it must be public
(PILEUP_WEBHOOK_PRIVATE allows others), and the connection goes to the checked address, so that a
name that changes in between leads nowhere else. Redirects are not followed.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import socket
import ssl
import time
from contextlib import aclosing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import msgspec

from pileup import __version__
from pileup.storage.incidents.webhooks import Parcel, Webhooks
from pileup.storage.queue.jobs import Job, Jobs
from pileup.worker.runtime import Runtime

TIMEOUT_S = 10.0
_ANSWER_BYTES = 2000
_TRANSLATED = tuple(
    ipaddress.ip_network(net)
    for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")
)
"""IPv6 that carries an IPv4 address within: it could lead back inside."""


_ROUTED = ipaddress.ip_network("2000::/3")
"""The only part of IPv6 that is routed in the Internet."""
_METADATA = frozenset(
    map(ipaddress.ip_address, ("192.0.0.192", "169.254.169.254", "100.100.100.200"))
)
"""Where clouds tell machines their secrets; some are in ranges that count as global."""


_RELAYS = ipaddress.ip_network("192.88.99.0/24")
"""Relays of 6to4, which counts as global and is routed no more (RFC 7526)."""


class Unreachable(Exception):  # noqa: N818  (named after the event, as the errors of storage)
    """The address may not or cannot be reached; the message says why."""


def deliver(runtime: Runtime, job: Job) -> None:
    """Send the delivery and store the answer; safe to run twice, as receivers know its id."""
    with runtime.database.unit() as unit:
        parcel = Webhooks(unit).parcel(job.target)
        if parcel is None:
            Jobs(unit).finish(job)
            return
    try:
        settings = runtime.settings
        status, answer = send(parcel, private=settings.webhook_private, ca=settings.webhook_ca)
    except (Unreachable, httpx.HTTPError) as error:
        status, answer = None, f"{type(error).__name__}: {error}"[:_ANSWER_BYTES]
    with runtime.database.unit() as unit:
        if Jobs(unit).finish(job):
            Webhooks(unit).record_answer(job.target, status, answer)


def send(parcel: Parcel, *, private: bool, ca: Path | None = None) -> tuple[int, str]:
    """POST the event; return the status and the beginning of the answer.

    ``ca``: authorities (PEM) that are trusted in addition to the public ones.
    """
    parts = urlsplit(parcel.url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = public_address(host, port, private=private)
    body = msgspec.json.encode(parcel.delivery.payload)
    literal = f"[{address}]" if ":" in address else address
    target = parts._replace(netloc=f"{literal}:{port}", fragment="").geturl()
    headers = {
        "Host": parts.netloc.rpartition("@")[2],
        "Content-Type": "application/json",
        "User-Agent": f"Pileup/{__version__}",
        "Pileup-Event": parcel.delivery.event,
        "Pileup-Delivery": parcel.delivery.id,
        "Pileup-Signature": signature(parcel.secret, body, int(time.time())),
    }
    return asyncio.run(_exchange(target, body, headers, host, _trust(ca)))


async def _exchange(
    target: str, body: bytes, headers: dict[str, str], host: str, trust: ssl.SSLContext
) -> tuple[int, str]:
    """POST the body; return the status and the beginning of what is answered in time.

    Who sends a byte now and then, of the answer's head too, holds no worker.
    """
    until = asyncio.get_running_loop().time() + TIMEOUT_S
    answer = b""
    async with httpx.AsyncClient(
        timeout=TIMEOUT_S, follow_redirects=False, trust_env=False, verify=trust
    ) as client:
        request = client.build_request(
            "POST", target, content=body, headers=headers, extensions={"sni_hostname": host}
        )
        try:
            async with asyncio.timeout_at(until):
                response = await client.send(request, stream=True)
        except TimeoutError:
            raise Unreachable(f"no answer within {TIMEOUT_S:g} s") from None
        with suppress(TimeoutError):
            async with aclosing(response), asyncio.timeout_at(until):
                async for chunk in response.aiter_raw():
                    answer += chunk
                    if len(answer) >= _ANSWER_BYTES:
                        break
    return response.status_code, answer[:_ANSWER_BYTES].decode("utf-8", "replace")


def _trust(ca: Path | None) -> ssl.SSLContext:
    context = httpx.create_ssl_context(trust_env=False)
    if ca is not None:
        try:
            context.load_verify_locations(ca)
        except (OSError, ssl.SSLError) as error:
            raise Unreachable(f"PILEUP_WEBHOOK_CA ({ca}) cannot be read: {error}") from None
    return context


def signature(secret: str, body: bytes, at: int) -> str:
    """Return 't=<seconds>,v1=<hex>': HMAC-SHA256 of '<seconds>.' and the body, by the secret."""
    signed = hmac.new(secret.encode(), b"%d." % at + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={signed}"


def public_address(host: str, port: int, *, private: bool) -> str:
    """Return an address of the host to connect to; raise Unreachable if any is not public."""
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unreachable(f"{host} has no address: {error}") from None
    addresses = [str(entry[4][0]).partition("%")[0] for entry in rows]
    for address in addresses:
        if not private and not is_public(address):
            raise Unreachable(
                f"{host} is at {address}, which is not a public address; "
                "PILEUP_WEBHOOK_PRIVATE=true allows such"
            )
    return addresses[0]


def is_public(address: str) -> bool:
    """Return whether an address is routed in the Internet; every other one may lead inside."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return is_public(str(ip.ipv4_mapped))
        if ip not in _ROUTED or any(ip in net for net in _TRANSLATED):
            return False
    is_routed = ip.is_global and not ip.is_multicast and ip not in _RELAYS
    return is_routed and ip not in _METADATA
