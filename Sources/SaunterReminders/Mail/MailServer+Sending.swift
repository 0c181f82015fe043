import CCurl
import Dispatch

extension MailServer {
    /// Hands in one mail and tells what became of it. A cancelled task ends the attempt within about a
    /// second.
    ///
    /// libcurl waits on the network, so it runs on a thread of its own, not on one that other tasks need.
    /// Callers bound how many run at once.
    package func send(_ message: MailMessage) async -> MailOutcome {
        guard let stop = TransferStop() else {
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
