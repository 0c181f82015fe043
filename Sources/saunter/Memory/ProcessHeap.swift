import CMalloc
import Foundation
import ServiceLifecycle

/// The memory that this process has from the system. Each of glibc's arenas keeps what was freed in it, and there may be eight for each processor: after
/// a morning on which all phones came back a server would hold hundreds of megabytes for good.
struct ProcessHeap: Service {
    /// As many arenas as processors work at once, at least two. It bounds those that are still to be made: to be called before there is work.
    static func boundArenas() {
        _ = mallopt(M_ARENA_MAX, Int32(clamping: max(2, ProcessInfo.processInfo.activeProcessorCount)))
    }

    /// Gives back what is free whenever the process rests, until it is told to stop.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var rest = HeapRest()
            while !Task.isCancelled {
                if rest.isDue(used: Self.processorTime) { _ = malloc_trim(0) }
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
    }

    /// Of all threads, since the process began.
    private static var processorTime: Duration {
        .microseconds(clock() * 1_000_000 / Int(CLOCKS_PER_SEC))
    }
}
