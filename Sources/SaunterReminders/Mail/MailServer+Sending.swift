import CCurl
import Dispatch

extension MailServer {
    /// Submits one mail and returns the outcome. If the task is cancelled, the attempt ends within about one second.
    ///
    /// libcurl blocks, so the attempt runs on a separate thread and not in the cooperative pool. The caller limits the
    /// number of concurrent attempts.
    package func send(_ message: MailMessage) async -> MailOutcome {
        guard let cancellation = TransferCancellation() else {
            return .temporaryFailure(code: nil, text: "out of memory", retryable: true)
        }
        let attempt = MailAttempt(server: self, message: message)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async { continuation.resume(returning: attempt.run(cancellation)) }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private static let queue = DispatchQueue(label: "saunter.mail", attributes: .concurrent)
}
