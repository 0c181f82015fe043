import Dispatch
import Foundation

/// Cleans up before SIGINT, SIGTERM or SIGHUP ends a command.
struct SignalCleanup {
    private let sources: [any DispatchSourceSignal]

    /// On a signal runs `stop`, and also `force` if `stop` takes longer than 20 s. Then ends the process with status
    /// 128 + signal number.
    init(stop: @escaping @Sendable () async -> Void, force: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            Self.watch(number) {
                Task {
                    await stop()
                    _exit(128 + number)
                }
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) {
                    force()
                    _exit(128 + number)
                }
            }
        }
    }

    /// Restores the default: signals end the command at once.
    func cancel() {
        for source in sources {
            source.cancel()
            signal(Int32(source.handle), SIG_DFL)
        }
    }

    /// In seconds. A database normally starts and stops in less time.
    private static let timeout = 20.0

    /// If the parent process had the signal ignored (nohup), it stays ignored.
    private static func watch(_ number: Int32, _ handler: @escaping @Sendable () -> Void) -> (
        any DispatchSourceSignal
    )? {
        if unsafeBitCast(signal(number, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            return nil
        }
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: handler)
        source.resume()
        return source
    }
}
