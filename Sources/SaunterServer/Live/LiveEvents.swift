import SaunterCore
import SaunterStore

/// The text of server-sent events (HTML standard, section 9.2).
enum LiveEvents {
    /// How long a client waits before it connects again, in milliseconds.
    static let retryMilliseconds = 5000
    /// A comment that keeps proxies from closing the connection.
    static let heartbeat = ": keep-alive\n\n"

    /// Why the server ends a stream.
    enum End: String, CaseIterable {
        /// The access token has expired. The client refreshes it and connects again.
        case tokenExpired = "token_expired"
        /// The login was revoked, or the account has lost its role.
        case accessRevoked = "access_revoked"
        /// The server stops. The client connects again.
        case shutdown
    }

    /// The first event. Its id lets the client resume even if nothing has changed yet.
    static func ready(at position: Int64) -> String {
        "retry: \(retryMilliseconds)\n"
            + event("ready", id: position, ["change_seq": .int(Int(position))])
    }

    /// A change.
    static func change(_ change: ChangeEvent) -> String {
        event(
            "change", id: change.sequence,
            [
                "change_seq": .int(Int(change.sequence)), "kind": .string(change.kind.rawValue),
                "id": .optional(change.subject, JSON.string),
                "participant_id": .optional(change.participantID, JSON.string),
                "deleted": .bool(change.isDeleted),
            ])
    }

    /// The last event.
    static func end(_ reason: End) -> String { event("end", id: nil, ["reason": .string(reason.rawValue)]) }

    /// JSON in one line contains no line end, so that one `data:` line is enough.
    private static func event(_ name: String, id: Int64?, _ data: JSON) -> String {
        (id.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: \(data.text)\n\n"
    }
}
