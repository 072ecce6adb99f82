"""The OpenID Connect provider of this installation: discovery, authorization, verified identity.

Everything about the protocol is Authlib's. What this adds: nothing is believed that the configured
issuer did not sign for this client and this attempt, and no request waits long for the provider.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import httpx
from authlib.oauth2.base import OAuth2Error
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from pileup.settings import Settings

with warnings.catch_warnings():  # Authlib prefers httpx2, which no other library of ours takes
    warnings.simplefilter("ignore")
    from authlib.integrations.httpx_client import OAuth2Client

_TIMEOUT_S = 5.0
_FRESH_S = 3600.0
_LEEWAY_S = 60
_MOST_BYTES = 1 << 20
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Signatures by a key of the provider alone; never ``none``, never by a shared secret."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ProviderError(Exception):
    """The provider does not answer, or its answer proves nothing; the message is for the log."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom the provider signed in."""

    issuer: str
    subject: str
    name: str
    email: str | None
    """None unless the provider says that it verified the address."""


class Provider:
    """The provider that the settings name; its metadata and keys are remembered for an hour."""

    def __init__(self, settings: Settings) -> None:
        self.issuer = settings.oidc_issuer or ""
        self.name = settings.oidc_name
        self._client_id = settings.oidc_client_id or ""
        secret = settings.oidc_client_secret
        self._secret = secret.get_secret_value() if secret else None
        self._scope = settings.oidc_scopes
        self._strengths = settings.oidc_acr.split()
        self.callback = f"{settings.url}/api/v1/session/oidc/callback"
        self._lock = Lock()
        self._metadata: dict[str, Any] = {}
        self._keys: KeySet | None = None
        self._fresh_until = 0.0

    def address(self, state: str, nonce: str, verifier: str) -> str:
        """Return where the browser signs in; raises ProviderError."""
        wanted = {"acr_values": " ".join(self._strengths)} if self._strengths else {}
        with self._client() as client:
            address, _ = client.create_authorization_url(
                self._endpoint("authorization_endpoint"),
                state=state,
                nonce=nonce,
                code_verifier=verifier,
                **wanted,
            )
        return str(address)

    def identity(self, code: str, issuer: str | None, nonce: str, verifier: str) -> Identity:
        """Exchange a code for a verified identity; raises ProviderError.

        issuer: the one that the answer names (RFC 9207), if any.
        """
        needed = self._discover().get("authorization_response_iss_parameter_supported")
        if issuer != self.issuer and (issuer is not None or needed):
            raise ProviderError(f"the answer comes from {issuer!r}, not from {self.issuer!r}")
        with self._client() as client:
            try:
                tokens = client.fetch_token(
                    self._endpoint("token_endpoint"),
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=verifier,
                )
            except (OAuth2Error, httpx.HTTPError, ValueError) as error:
                raise ProviderError(f"the code was not exchanged: {error}") from error
        return self._verified(str(tokens.get("id_token") or ""), nonce)

    def _verified(self, id_token: str, nonce: str) -> Identity:
        try:
            claims = self._claims(id_token, nonce)
            claims.validate(leeway=_LEEWAY_S)
        except (JoseError, OAuth2Error, ValueError) as error:
            raise ProviderError(f"the ID token proves nothing: {error}") from error
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= 255:
            raise ProviderError("the ID token has no usable subject")
        if self._strengths and claims.get("acr") not in self._strengths:
            raise ProviderError(
                f"the provider signed the user in as {claims.get('acr')!r}; PILEUP_OIDC_ACR wants "
                f"one of: {', '.join(self._strengths)}"
            )
        email = claims.get("email") if claims.get("email_verified") is True else None
        name = claims.get("name") or claims.get("preferred_username") or email or "new user"
        return Identity(self.issuer, subject, str(name)[:200], str(email) if email else None)

    def _claims(self, id_token: str, nonce: str) -> Any:
        try:
            token = jwt.decode(id_token, self._key_set(), algorithms=self._algorithms())
        except (JoseError, ValueError):  # the provider may have changed its keys
            token = jwt.decode(id_token, self._key_set(fresh=True), algorithms=self._algorithms())
        return CodeIDToken(
            token.claims,
            token.header,
            options={
                "iss": {"essential": True, "value": self.issuer},
                "aud": {"essential": True, "value": self._client_id},
            },
            params={"nonce": nonce, "client_id": self._client_id},
        )

    def _algorithms(self) -> list[str]:
        signed = self._discover().get("id_token_signing_alg_values_supported") or ["RS256"]
        return [name for name in _ALGORITHMS if name in signed]

    def _key_set(self, *, fresh: bool = False) -> KeySet:
        address = self._endpoint("jwks_uri")
        with self._lock:
            if self._keys is None or fresh:
                try:
                    self._keys = KeySet.import_key_set(_get(address))  # type: ignore[arg-type]
                except (JoseError, ValueError, KeyError, TypeError) as error:
                    raise ProviderError(
                        f"the keys of the provider cannot be read: {error}"
                    ) from error
            return self._keys

    def _endpoint(self, name: str) -> str:
        address = str(self._discover().get(name) or "")
        parts = urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise ProviderError(f"the {name} of the provider is no https address: {address!r}")
        return address

    def _discover(self) -> dict[str, Any]:
        with self._lock:
            if time.monotonic() < self._fresh_until:
                return self._metadata
            metadata = _get(get_well_known_url(self.issuer, external=True))
            if metadata.get("issuer") != self.issuer:
                raise ProviderError(
                    f"the provider calls itself {metadata.get('issuer')!r}; PILEUP_OIDC_ISSUER is "
                    f"{self.issuer!r}"
                )
            try:
                OpenIDProviderMetadata(metadata).validate()
            except ValueError as error:
                raise ProviderError(f"the metadata of the provider is wrong: {error}") from error
            self._metadata, self._keys = metadata, None
            self._fresh_until = time.monotonic() + _FRESH_S
            return metadata

    def _client(self) -> Any:
        methods = self._discover().get("token_endpoint_auth_methods_supported")
        method = "client_secret_basic" if self._secret else "none"
        if self._secret and methods and method not in methods:
            method = "client_secret_post"
        return OAuth2Client(
            self._client_id,
            self._secret,
            token_endpoint_auth_method=method,
            scope=self._scope,
            redirect_uri=self.callback,
            code_challenge_method="S256",
            timeout=_TIMEOUT_S,
            follow_redirects=False,
        )


def _get(address: str) -> dict[str, Any]:
    try:
        with httpx.stream("GET", address, timeout=_TIMEOUT_S, follow_redirects=False) as answer:
            answer.raise_for_status()
            body = b""
            for chunk in answer.iter_bytes():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise ProviderError(f"{address} answers with more than 1 MiB")
        document = httpx.Response(200, content=body).json()
    except (httpx.HTTPError, ValueError) as error:
        raise ProviderError(f"{address} does not answer with JSON: {error}") from error
    if not isinstance(document, dict):
        raise ProviderError(f"{address} does not answer with an object")
    return document
