import CMalloc
import Foundation
import ServiceLifecycle

/// Limits the memory that this process keeps. Each arena of glibc keeps its freed memory, and there can be eight arenas
/// per processor. Without this, a server keeps hundreds of megabytes after all phones have synchronised at once.
struct ProcessHeap: Service {
    /// Limits the number of arenas to twice the number of active processors. With fewer, threads that compute and
    /// threads of the network wait for each other. Call this before other work, because it affects only arenas that do
    /// not exist yet.
    static func limitArenas() {
        _ = mallopt(M_ARENA_MAX, Int32(clamping: 2 * ProcessInfo.processInfo.activeProcessorCount))
    }

    /// Returns free memory to the system when the process is idle, until the graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var schedule = HeapTrimSchedule()
            while !Task.isCancelled {
                if schedule.isDue(used: Self.processorTime) { _ = malloc_trim(0) }
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
    }

    /// The processor time of all threads since the process started.
    private static var processorTime: Duration {
        .microseconds(clock() * 1_000_000 / Int(CLOCKS_PER_SEC))
    }
}
