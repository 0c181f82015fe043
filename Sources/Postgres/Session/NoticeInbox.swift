import CLibPQ

/// Where libpq puts a session's notices. Filled only while the session calls libpq, so on the session's
/// thread.
final class NoticeInbox {
    private var commitIsUnconfirmed = false
    /// What the server said when it ended the session while nothing was asked of it.
    private(set) var fatalMessage: String?

    /// Registers with the connection, which must not outlive this object.
    func attach(to connection: OpaquePointer) {
        unsafe PQsetNoticeReceiver(
            connection,
            { argument, result in
                guard let argument = unsafe argument, let result = unsafe result else { return }
                unsafe Unmanaged<NoticeInbox>.fromOpaque(argument).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether, since the last call, the server gave up waiting for its standby.
    func takeUnconfirmedCommit() -> Bool {
        defer { commitIsUnconfirmed = false }
        return commitIsUnconfirmed
    }

    private func receive(_ result: OpaquePointer) {
        let notice = unsafe Notice(
            state: SQLState(field(.state, of: result) ?? ""),
            sourceFunction: field(.sourceFunction, of: result),
            message: field(.message, of: result) ?? "")
        if notice.saysCommitIsUnconfirmed { commitIsUnconfirmed = true }
        if ["FATAL", "PANIC"].contains(unsafe field(.severity, of: result)) {
            fatalMessage = "\(notice.state): \(notice.message)"
        }
    }

    private func field(_ field: DiagnosticField, of result: OpaquePointer) -> String? {
        unsafe PQresultErrorField(result, Int32(field.rawValue)).map { unsafe String(cString: $0) }
    }
}
