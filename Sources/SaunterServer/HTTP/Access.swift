import SaunterStore

/// Who may call a route.
package enum AccessKind: String, Sendable, Hashable, CaseIterable {
    case anyone, account, participant, researcher, coordinator, admin
    /// A researcher, or a program of theirs that has an API token of the study.
    case reader
    /// The operator's own listener, or whoever has the metrics token.
    case metrics

    /// The role that is asked for, where one is.
    package var role: Role? {
        switch self {
        case .researcher, .reader: .researcher
        case .coordinator: .coordinator
        case .admin: .admin
        case .anyone, .account, .participant, .metrics: nil
        }
    }

    /// Whether the caller must be known.
    package var needsIdentity: Bool { self != .anyone && self != .metrics }
}

/// Who may call a route, together with what its handler then knows of the caller: `Identity`, never an optional one, or nothing.
package struct Access<Caller: Sendable>: Sendable {
    let kind: AccessKind
    /// Nil when the caller is not what the kind promises, which the gateway has ruled out before.
    let caller: @Sendable (Identity?) -> Caller?
}

extension Access where Caller == Anyone {
    /// No token needed; one that is sent is not looked at.
    package static let anyone = Access(kind: .anyone) { _ in Anyone() }
    /// The operator's listener or token.
    package static let metrics = Access(kind: .metrics) { _ in Anyone() }
}

extension Access where Caller == Identity {
    /// Anybody who is logged in.
    package static let account = Access(kind: .account) { $0 }
    /// Anybody who is logged in, for their own enrolments. The handler answers 404 for those of others.
    package static let participant = Access(kind: .participant) { $0 }
    /// A researcher or coordinator; where the path names a `study`, of that study.
    package static let researcher = Access(kind: .researcher) { $0 }
    /// A researcher or coordinator of the `study` that the path names, in person or by an API token of that study.
    package static let reader = Access(kind: .reader) { $0 }
    /// A coordinator; where the path names a `study`, of that study.
    package static let coordinator = Access(kind: .coordinator) { $0 }
    /// An admin.
    package static let admin = Access(kind: .admin) { $0 }
}
