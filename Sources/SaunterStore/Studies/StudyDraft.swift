import Foundation
import Postgres
import SaunterCore

/// The files of a study that its editors change before they publish the next version. A study has at most one draft.
package struct StudyDraft: Sendable {
    /// The code of the study.
    package var study: String
    /// The published version from which the draft began; nil for a new study.
    package var basedOn: String?
    /// From 1. Each change adds 1.
    package var revision: Int
    /// Path -> text, in the form of `PackFiles`.
    package var files: [String: String]
    /// When it was last changed, by the server's clock.
    package var changedAt: Instant
    /// The account that made the last change; nil if the draft is not stored.
    package var changedBy: AccountID?

    /// Creates a draft, such as the files of a published version that are treated like one.
    package init(
        study: String, basedOn: String?, revision: Int, files: [String: String], changedAt: Instant,
        changedBy: AccountID?
    ) {
        self.study = study
        self.basedOn = basedOn
        self.revision = revision
        self.files = files
        self.changedAt = changedAt
        self.changedBy = changedBy
    }
}

/// Why a draft cannot be changed.
package enum StudyDraftFault: Error {
    /// Another editor changed, started or ended the draft in the meantime. `current` is its revision; nil if there is
    /// no draft.
    case changed(current: Int?)
}

/// The code of a new study is in use: by a published version, by a draft, or by the roles of another team.
package struct StudyCodeTaken: Error {}

extension Store {
    /// The draft of a study with its files, or nil.
    package func findDraft(of study: String) async throws -> StudyDraft? {
        // One snapshot, so that the files belong to the revision.
        try await research.read(isolation: .repeatableRead) { transaction in
            let found = try await transaction.pipeline([
                (Statements.studyDrafts["find_draft"], ["study": .text(study)]),
                (Statements.studyDrafts["list_draft_files"], ["study": .text(study)]),
            ])
            guard let row = try found[0].oneOrNone() else { return nil }
            var files: [String: String] = [:]
            for file in found[1] { files[try file.get("path")] = try file.get("content", as: String.self) }
            return try Self.draft(row, files)
        }
    }

    /// The revision of a draft, without reading its files; nil if there is no draft.
    package func findDraftRevision(of study: String) async throws -> Int? {
        try await research.query(Statements.studyDrafts["find_draft"], ["study": .text(study)]).oneOrNone()?
            .get("revision")
    }

    /// Replaces the files of a draft, or starts one. Writes an audit entry, at most one per account, study and hour.
    /// - Parameters:
    ///   - files: all files of the draft.
    ///   - expected: the revision that the caller has read; nil if there must be no draft.
    /// - Returns: the stored draft.
    /// - Throws: `StudyDraftFault`.
    package func saveDraft(
        _ files: [String: String], of study: String, basedOn: String?, expecting expected: Int?,
        by account: AccountID, requestID: String? = nil, now: Instant
    ) async throws -> StudyDraft {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockDraft(of: study, account, now: now, in: transaction)
            guard locked?.revision == expected else {
                throw StudyDraftFault.changed(current: locked?.revision)
            }
            let revision = (expected ?? 0) + 1
            let audit = AuditEntry(
                actor: .account(account), action: "draft_changed", study: study, requestID: requestID,
                detail: ["revision": .int(revision)])
            _ = try await transaction.pipeline(
                Self.writeCalls(
                    files, of: study, basedOn: basedOn, revision: revision, by: account, now: now)
                    + (locked?.isAudited == true ? [] : [audit.call(at: now, secrets)]))
            return StudyDraft(
                study: study, basedOn: basedOn, revision: revision, files: files, changedAt: now,
                changedBy: account)
        }
    }

    /// Deletes a draft.
    /// - Parameters:
    ///   - expected: the revision that the caller has read.
    ///   - isPublished: whether its content was published. Then no audit entry is written here, because the publication
    ///     has one.
    /// - Throws: `StudyDraftFault`.
    package func deleteDraft(
        of study: String, expecting expected: Int, by account: AccountID, requestID: String? = nil,
        isPublished: Bool = false, now: Instant
    ) async throws {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockDraft(of: study, account, now: now, in: transaction)
            guard let locked, locked.revision == expected else {
                throw StudyDraftFault.changed(current: locked?.revision)
            }
            let audit = AuditEntry(
                actor: .account(account), action: "draft_deleted", study: study, requestID: requestID,
                detail: ["revision": .int(expected)])
            _ = try await transaction.query(
                Statements.studyDrafts["delete_draft"], ["study": .text(study)])
            if !isPublished { _ = try await transaction.pipeline([audit.call(at: now, secrets)]) }
        }
    }

    /// Creates a study: its first draft, and the roles editor, researcher and coordinator of its creator. Writes the
    /// audit entries.
    /// - Throws: `StudyCodeTaken`.
    package func createStudy(
        _ study: String, files: [String: String], by account: AccountID, requestID: String? = nil,
        now: Instant
    ) async throws {
        try await clerk.writeRetrying { transaction in
            _ = try await transaction.query(Statements.studies["lock_study"], ["study": .text(study)])
            let found = try await transaction.pipeline([
                (Statements.accounts["lock_account"], ["account_id": .id(account)]),
                (
                    Statements.studyDrafts["find_study_owner"],
                    ["study": .text(study), "account_id": .id(account)]
                ),
                (Statements.accounts["list_grants"], ["account_id": .id(account)]),
            ])
            guard !found[0].isEmpty else { throw ConcurrentErasure() }
            let owner = try found[1].one()
            guard try !owner.get("is_published", as: Bool.self), try !owner.get("has_draft", as: Bool.self),
                try !owner.get("has_other_team", as: Bool.self)
            else { throw StudyCodeTaken() }
            // An earlier draft of the same creator may have been deleted. Its roles are still there.
            let present = try found[2].filter { try $0.get("study", as: String.self) == study }.map { row in
                (
                    role: try row.value("role", as: Role.self),
                    fullExport: try row.get("full_export", as: Bool.self)
                )
            }
            let grants = [Role.editor, .researcher, .coordinator].map { role in
                Grant(
                    role: role, study: study,
                    fullExport: present.first { $0.role == role }?.fullExport ?? false, seesArms: true)
            }
            let actor = AuditEntry.Actor.account(account)
            let created = AuditEntry(
                actor: actor, action: "study_created", study: study, requestID: requestID)
            let granted = grants.map {
                $0.auditEntry("role_granted", of: account, by: actor, requestID: requestID)
            }
            _ = try await transaction.pipeline(
                Self.writeCalls(files, of: study, basedOn: nil, revision: 1, by: account, now: now)
                    + grants.flatMap { Self.grantCalls($0, to: account, now: now) }
                    + ([created] + granted).map { $0.call(at: now, secrets) })
        }
    }

    /// The drafts of studies without a published version, by code. Their `files` are only those that contain
    /// the title.
    /// - Parameter studies: codes of studies; nil for all.
    package func listUnpublishedDrafts(of studies: [String]?) async throws -> [StudyDraft] {
        let drafts = try await research.query(
            Statements.studyDrafts["list_unpublished_drafts"], ["studies": .texts(studies)])
        guard !drafts.isEmpty else { return [] }
        let codes = try drafts.map { try $0.get("study", as: String.self) }
        var files: [String: [String: String]] = [:]
        for row in try await research.query(
            Statements.studyDrafts["list_draft_words"], ["studies": .texts(codes)])
        {
            files[try row.get("study", as: String.self), default: [:]][try row.get("path")] =
                try row.get("content", as: String.self)
        }
        return try drafts.map { try Self.draft($0, files[try $0.get("study")] ?? [:]) }
    }

    /// Serialises changes of the draft, also those that start one.
    private static func lockDraft(
        of study: String, _ account: AccountID, now: Instant, in transaction: Transaction
    ) async throws -> (revision: Int, isAudited: Bool)? {
        let found = try await transaction.pipeline([
            (Statements.studies["lock_study"], ["study": .text(study)]),
            (
                Statements.studyDrafts["lock_draft"],
                ["study": .text(study), "now": .instant(now), "account_id": .id(account)]
            ),
        ])
        return try found[1].oneOrNone().map { (try $0.get("revision"), try $0.get("is_audited")) }
    }

    /// The calls that store all files of a draft. Revision 1 is a new draft.
    private static func writeCalls(
        _ files: [String: String], of study: String, basedOn: String?, revision: Int, by account: AccountID,
        now: Instant
    ) -> [(Statement, Arguments)] {
        let sorted = files.sorted { $0.key < $1.key }
        var draft: Arguments = [
            "study": .text(study), "based_on": .text(basedOn), "now": .instant(now),
            "account_id": .id(account),
        ]
        if revision > 1 { draft = draft + ["revision": .int(revision)] }
        return [
            (Statements.studyDrafts[revision == 1 ? "insert_draft" : "update_draft"], draft),
            (
                Statements.studyDrafts["delete_other_draft_files"],
                ["study": .text(study), "paths": .texts(sorted.map(\.key))]
            ),
            (
                Statements.studyDrafts["upsert_draft_files"],
                [
                    "study": .text(study), "paths": .texts(sorted.map(\.key)),
                    "contents": .texts(sorted.map(\.value)),
                ]
            ),
        ]
    }

    private static func draft(_ row: Row, _ files: [String: String]) throws -> StudyDraft {
        StudyDraft(
            study: try row.get("study"), basedOn: try row.getOptional("based_on"),
            revision: try row.get("revision"), files: files, changedAt: try row.instant("changed_at"),
            changedBy: try row.id("changed_by"))
    }
}
