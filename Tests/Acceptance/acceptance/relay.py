"""A bad connection between devices and the server: bytes arrive late, slowly, in part or not at all."""

import asyncio
import dataclasses
import random
import threading


@dataclasses.dataclass(frozen=True)
class Line:
    """The faults of a connection."""

    # Maximum delay of each piece of data, in seconds, in each direction.
    delay: float = 0
    # Bytes per second in each direction.
    rate: float | None = None
    # The share of request pieces that are cut in the middle; then the connection is closed.
    cut: float = 0
    # The share of response pieces that are dropped; then the connection is closed.
    swallow: float = 0
    # The share of request pieces after which no byte passes any more. The connection stays open.
    freeze: float = 0


class Relay:
    """Forwards connections to a port, with the faults of `line`. A test may replace `line` at any time."""

    def __init__(self, port, line=Line(), seed=0):
        self.line = line
        self.swallowed = self.cut = self.frozen = 0
        self._to = port
        self._chance = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(30)
        self.url = f"http://127.0.0.1:{self.port}"

    def _run(self):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1000))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)

    async def _serve(self, reader, writer):
        try:
            to_server, from_server = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.close()
            return
        ways = [
            asyncio.ensure_future(self._pass(reader, from_server, upwards=True)),
            asyncio.ensure_future(self._pass(to_server, writer, upwards=False)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if any(way.done() and way.result() == "frozen" for way in ways):
                await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass  # `close` was called.
        finally:
            for way in ways:
                way.cancel()
            for end in (writer, from_server):
                end.transport.abort()

    async def _pass(self, source, sink, upwards):
        rate = self.line.rate
        try:
            while piece := await source.read(max(64, int(rate / 10)) if rate else 16_384):
                line = self.line
                if line.delay:
                    await asyncio.sleep(self._chance.uniform(0, line.delay))
                if line.rate:
                    await asyncio.sleep(len(piece) / line.rate)
                if upwards and self._chance.random() < line.freeze:
                    self.frozen += 1
                    return "frozen"
                if upwards and self._chance.random() < line.cut:
                    self.cut += 1
                    sink.write(piece[:self._chance.randrange(len(piece))])
                    await sink.drain()
                    return "cut"
                # The server has answered, so the request was processed.
                if not upwards and self._chance.random() < line.swallow:
                    self.swallowed += 1
                    return "swallowed"
                sink.write(piece)
                await sink.drain()
        except OSError:
            pass  # One end has closed the connection, so the other end is closed too.
        return "ended"
