"""A bad line between devices and the server: bytes pass late, slowly, in part or not at all."""

import asyncio
import dataclasses
import random
import threading


@dataclasses.dataclass(frozen=True)
class Line:
    """What is wrong with it."""

    # Seconds that each piece takes, at most, each way.
    delay: float = 0
    # Bytes a second, each way.
    rate: float | None = None
    # Of the pieces of requests: cut off within, and the connection with them.
    cut: float = 0
    # Of the pieces of replies: never passed on; the connection ends when the server has sent them.
    swallow: float = 0
    # Of the pieces of requests: after them nothing passes any more, and nobody is told.
    freeze: float = 0


class Relay:
    """Listens on a port of its own, and passes on what comes as its line has it. The line may be changed meanwhile."""

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
            pass  # The relay is closed.
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
                # A reply is there: what it says was done.
                if not upwards and self._chance.random() < line.swallow:
                    self.swallowed += 1
                    return "swallowed"
                sink.write(piece)
                await sink.drain()
        except OSError:
            pass  # One of both ends is gone, and so is the other.
        return "ended"
