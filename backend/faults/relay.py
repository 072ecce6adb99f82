"""Relay TCP connections to a local socket, and break them in the ways that networks do."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from pathlib import Path

_BLOCK = 65536


class Relay:
    """Accepts connections on some addresses and relays each to one socket of the same machine."""

    def __init__(self, target: Path, hosts: tuple[str, ...]) -> None:
        self._target = target
        self._open: set[asyncio.WriteTransport] = set()
        self._silent: set[asyncio.WriteTransport] = set()
        self._loop = asyncio.new_event_loop()
        first = socket.create_server((hosts[0], 0))
        self.port: int = first.getsockname()[1]
        others = [socket.create_server((host, self.port)) for host in hosts[1:]]
        self._listeners = [first, *others]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def lead_to(self, target: Path) -> None:
        """Relay the connections that come from now on to another socket."""
        self._target = target

    def silence(self) -> None:
        """Let every connection of now fall silent for ever, without a reset; new ones work."""
        self._loop.call_soon_threadsafe(lambda: self._silent.update(self._open))

    def cut(self) -> None:
        """Reset every connection of now, the silent ones too."""
        self._loop.call_soon_threadsafe(self._abort)

    def close(self) -> None:
        """Stop relaying."""
        self._loop.call_soon_threadsafe(self._leave)
        self._thread.join(timeout=5)
        for listener in self._listeners:
            listener.close()

    def _leave(self) -> None:
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        asyncio.gather(*tasks, return_exceptions=True).add_done_callback(
            lambda _: self._loop.stop()
        )

    def _abort(self) -> None:
        for transport in list(self._open):
            transport.abort()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        for listener in self._listeners:
            self._loop.run_until_complete(asyncio.start_server(self._relay, sock=listener))
        self._loop.run_forever()
        self._loop.close()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = writer.transport
        try:
            theirs, to_them = await asyncio.open_unix_connection(str(self._target))
        except OSError:
            client.abort()
            return
        ends: set[asyncio.WriteTransport] = {client, to_them.transport}
        self._open |= ends
        try:
            await asyncio.gather(
                self._pump(reader, to_them, client), self._pump(theirs, writer, client)
            )
        finally:
            for end in ends:
                end.abort()
            self._open -= ends
            self._silent -= ends

    async def _pump(
        self,
        source: asyncio.StreamReader,
        to: asyncio.StreamWriter,
        client: asyncio.WriteTransport,
    ) -> None:
        with contextlib.suppress(OSError):
            while block := await source.read(_BLOCK):
                if client in self._silent:
                    continue
                to.write(block)
                await to.drain()
        if client in self._silent:
            await asyncio.sleep(120)  # the end of a lost connection is not seen either
        to.transport.abort()
