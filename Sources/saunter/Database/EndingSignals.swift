import Dispatch
import Foundation

/// What a command does before a signal ends it.
struct EndingSignals {
    private let sources: [any DispatchSourceSignal]

    /// On a signal runs `stop`, or `force` where that takes too long, and then ends the command as the signal would.
    init(stop: @escaping @Sendable () async -> Void, force: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            Self.watch(number) {
                Task {
                    await stop()
                    _exit(128 + number)
                }
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                    force()
                    _exit(128 + number)
                }
            }
        }
    }

    /// From now on signals end the command at once.
    func cancel() {
        for source in sources {
            source.cancel()
            signal(Int32(source.handle), SIG_DFL)
        }
    }

    /// In seconds. A database starts and stops sooner.
    private static let patience = 20.0

    /// Whoever started the command may have had a signal ignored (nohup); then it stays so.
    private static func watch(_ number: Int32, _ act: @escaping @Sendable () -> Void) -> (
        any DispatchSourceSignal
    )? {
        if unsafeBitCast(signal(number, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            return nil
        }
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: act)
        source.resume()
        return source
    }
}
