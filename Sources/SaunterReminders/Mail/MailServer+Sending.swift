import CCurlMail
import Dispatch

extension MailServer {
    /// Hands in one mail and tells what became of it. A cancelled task ends the attempt within about a
    /// second.
    ///
    /// libcurl waits on the network, so it runs on a thread of its own, not on one that other tasks need.
    /// Callers bound how many run at once.
    package func send(_ message: MailMessage) async -> MailOutcome {
        guard let stop = MailStop() else {
            return .temporaryFailure(code: nil, text: "out of memory", retryable: true)
        }
        let attempt = MailAttempt(server: self, message: message)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async { continuation.resume(returning: attempt.run(stop)) }
            }
        } onCancel: {
            stop.set()
        }
    }

    private static let queue = DispatchQueue(label: "saunter.mail", attributes: .concurrent)
}

/// The switch by which a cancelled task ends its transfer.
final class MailStop: Sendable {
    // The C side reads and writes it atomically.
    nonisolated(unsafe) let pointer: OpaquePointer

    init?() {
        guard let made = saunter_mail_stop_make() else { return nil }
        pointer = made
    }

    deinit {
        saunter_mail_stop_free(pointer)
    }

    func set() {
        saunter_mail_stop_set(pointer)
    }
}
