import CLibPQ

/// Receives the notices of a session. libpq calls it only while the session calls libpq, so always on the thread of the
/// session.
final class NoticeReceiver {
    private var commitIsUnconfirmed = false
    /// The message with which the server ended the session while no request was running.
    private(set) var fatalMessage: String?

    /// Registers this receiver with the connection. The connection must not outlive the receiver.
    func attach(to connection: OpaquePointer) {
        unsafe PQsetNoticeReceiver(
            connection,
            { argument, result in
                guard let argument = unsafe argument, let result = unsafe result else { return }
                unsafe Unmanaged<NoticeReceiver>.fromOpaque(argument).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Returns whether the server stopped waiting for its standby since the last call.
    func takeUnconfirmedCommit() -> Bool {
        defer { commitIsUnconfirmed = false }
        return commitIsUnconfirmed
    }

    private func receive(_ result: OpaquePointer) {
        let notice = unsafe Notice(
            state: SQLState(DiagnosticField.state.content(in: result) ?? ""),
            sourceFunction: DiagnosticField.sourceFunction.content(in: result),
            message: DiagnosticField.message.content(in: result) ?? "")
        if notice.reportsUnconfirmedCommit { commitIsUnconfirmed = true }
        if unsafe DiagnosticField.isFatal(result) {
            fatalMessage = "\(notice.state): \(notice.message)"
        }
    }
}
