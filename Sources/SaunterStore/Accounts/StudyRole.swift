import Foundation
import SaunterCore

/// A role of an account in one study, or an invitation to it, as the list of the study's team shows it.
package struct StudyRole: Sendable {
    /// Whether the role is in force.
    package enum State: String, Sendable, CaseIterable {
        case active
        /// The account has not logged in since the invitation, so it has no role yet.
        case invited
    }

    /// The id in the list: that of the account, or one that says nothing about the account of an invitation.
    package var id: UUID
    /// The account. The team does not see it for an invitation, because it shows whether the account existed before.
    package var account: AccountID
    /// The name of the account; for an invitation the name that was typed.
    package var name: String
    /// The address of the account; for an invitation the address that was typed.
    package var email: String
    /// The role with its permissions.
    package var grant: Grant
    /// When the role began, or when the account was invited last.
    package var since: Instant
    /// Whether the role is in force.
    package var state: State

    /// Creates an entry of the list.
    package init(
        id: UUID, account: AccountID, name: String, email: String, grant: Grant, since: Instant, state: State
    ) {
        self.id = id
        self.account = account
        self.name = name
        self.email = email
        self.grant = grant
        self.since = since
        self.state = state
    }
}

extension StudyRole {
    /// The position in the list: by the beginning, then by id and role.
    package struct Position: Comparable {
        /// When the role began, in milliseconds.
        package var since: Int64
        /// The id in the list.
        package var id: String
        /// The role.
        package var role: String

        /// Creates the position of a cursor.
        package init(since: Int64, id: String, role: String) {
            self.since = since
            self.id = id
            self.role = role
        }

        package static func < (left: Position, right: Position) -> Bool {
            (left.since, left.id, left.role) < (right.since, right.id, right.role)
        }
    }

    /// The position of this entry.
    package var position: Position {
        Position(since: since.milliseconds, id: id.uuidString.lowercased(), role: grant.role.rawValue)
    }
}

/// What a caller asks for when a colleague is invited to the team of a study.
package struct Invitation: Sendable {
    /// The code of the study.
    package var study: String
    /// The title of the study in the mail, by language. The first one is for all other languages.
    package var titles: [(language: String, title: String)]
    /// The address of the colleague.
    package var email: String
    /// The name of the colleague. Only the team sees it, until the colleague has an account with another name.
    package var name: String
    /// The role.
    package var role: Role
    /// Whether the role may export the profile `full`; nil keeps what is stored, which is at first no.
    package var fullExport: Bool?
    /// Whether the role sees the codes of arms in a blinded study; nil keeps what is stored, which is at first no.
    package var seesArms: Bool?
    /// The language of the mail to an address without an account.
    package var language: String

    /// Creates an invitation that is not stored yet.
    package init(
        study: String, titles: [(language: String, title: String)], email: String, name: String, role: Role,
        fullExport: Bool?, seesArms: Bool?, language: String
    ) {
        self.study = study
        self.titles = titles
        self.email = email
        self.name = name
        self.role = role
        self.fullExport = fullExport
        self.seesArms = seesArms
        self.language = language
    }

    /// The title of the study in this language.
    func title(in language: String?) -> String {
        titles.first { $0.language == language?.prefix(2).description }?.title ?? titles.first?.title ?? study
    }

    /// The role, and the permissions that are stated.
    var auditDetail: JSONObject {
        var detail: JSONObject = ["role": .string(role.rawValue)]
        if let fullExport { detail["full_export"] = .bool(fullExport) }
        if let seesArms { detail["sees_arms"] = .bool(seesArms) }
        return detail
    }

    /// What an invitation does. The caller who invites does not see the difference between the mails.
    enum Effect: Equatable {
        /// The account has the role with these permissions already.
        case none
        /// The permissions of a role that the account has change at once.
        case change(Grant)
        /// The account gets the role when it logs in. The mail says how.
        case offer(OutgoingMail.Kind)
    }

    /// - Parameters:
    ///   - present: the role if the account has it.
    ///   - isEnrolled: whether the account takes part in the study.
    ///   - isProven: whether the account has a password and a verified address. Otherwise the mail contains a code with
    ///     which only the owner of the address sets the password.
    func effect(present: Grant?, isEnrolled: Bool, isProven: Bool) -> Effect {
        if let present {
            var changed = present
            changed.fullExport = fullExport ?? present.fullExport
            changed.seesArms = seesArms ?? present.seesArms
            return changed == present ? .none : .change(changed)
        }
        if isEnrolled { return .offer(.roleDenied) }
        return .offer(isProven ? .roleOffered : .invitation)
    }
}
