import SaunterStore

/// The callers that a route accepts.
package enum AccessKind: String, Sendable, Hashable, CaseIterable {
    case anyone, account, participant, researcher, coordinator, editor, admin
    /// An account with any role in any study.
    case staff
    /// An account with any role in the study of the path.
    case member
    /// A visitor of a page, who may have a browser session.
    case visitor
    /// A researcher, or a researcher's program that has an API token of the study.
    case reader
    /// A caller on this machine, or a caller with the metrics token.
    case metrics

    /// The role that the caller needs; nil if the route needs none.
    package var role: Role? {
        switch self {
        case .researcher, .reader: .researcher
        case .coordinator: .coordinator
        case .editor: .editor
        case .admin: .admin
        case .anyone, .account, .participant, .metrics, .visitor, .staff, .member: nil
        }
    }

    /// Whether the caller needs a role, in any study or in that of the path.
    package var needsGrants: Bool { role != nil || self == .staff || self == .member }

    /// Whether the caller must be authenticated.
    package var needsIdentity: Bool { self != .anyone && self != .metrics && self != .visitor }
}

/// The callers that a route accepts, and the type in which its handler gets the caller: `Identity`, or `Anyone` without
/// information.
package struct Access<Caller: Sendable>: Sendable {
    let kind: AccessKind
    /// Nil if the caller does not fit `kind`. The gateway has already rejected such a caller.
    let caller: @Sendable (Identity?) -> Caller?
}

extension Access where Caller == Anyone {
    /// The route needs no token, and ignores one that is sent.
    package static let anyone = Access(kind: .anyone) { _ in Anyone() }
    /// A caller on this machine, or a caller with the metrics token.
    package static let metrics = Access(kind: .metrics) { _ in Anyone() }
}

extension Access where Caller == Visitor {
    /// The route is a page. Its handler decides what a visitor without a session sees.
    package static let visitor = Access(kind: .visitor) { Visitor(identity: $0) }
}

extension Access where Caller == Identity {
    /// Any account that is logged in.
    package static let account = Access(kind: .account) { $0 }
    /// Any account that is logged in, for its own enrolments. The handler returns 404 for those of others.
    package static let participant = Access(kind: .participant) { $0 }
    /// A researcher or coordinator; if the path has a `study`, of that study.
    package static let researcher = Access(kind: .researcher) { $0 }
    /// A researcher or coordinator of the `study` in the path, with an access token or an API token of that study.
    package static let reader = Access(kind: .reader) { $0 }
    /// A coordinator or an admin; if the path has a `study`, of that study or of all studies.
    package static let coordinator = Access(kind: .coordinator) { $0 }
    /// An editor of the `study` in the path, or an admin.
    package static let editor = Access(kind: .editor) { $0 }
    /// An account with any role in the `study` of the path.
    package static let member = Access(kind: .member) { $0 }
    /// An account with any role. The handler shows only what the roles allow.
    package static let staff = Access(kind: .staff) { $0 }
    /// An admin.
    package static let admin = Access(kind: .admin) { $0 }
}
