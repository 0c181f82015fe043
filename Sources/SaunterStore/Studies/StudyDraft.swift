import Foundation
import Postgres
import SaunterCore

/// The files of a study that its editors change before they publish the next version. A study has at most one draft.
package struct StudyDraft: Sendable {
    /// The code of the study.
    package var study: String
    /// The published version from which the draft began; nil for a new study.
    package var basedOn: String?
    /// The edition of the library with which the draft began, or that its editors took over; nil if there was none.
    package var edition: Int?
    /// Each change adds 1. A new draft begins with a number that no earlier draft of the study had.
    package var revision: Int
    /// Path -> text, in the form of `PackFiles`.
    package var files: [String: String]
    /// When it was last changed, by the server's clock.
    package var changedAt: Instant
    /// The account that made the last change; nil if the draft is not stored.
    package var changedBy: AccountID?

    /// Creates a draft, such as the files of a published version that are treated like one.
    package init(
        study: String, basedOn: String?, edition: Int? = nil, revision: Int, files: [String: String],
        changedAt: Instant, changedBy: AccountID?
    ) {
        self.study = study
        self.basedOn = basedOn
        self.edition = edition
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

/// The draft whose content is published, and its publisher.
package struct PublishedDraft: Sendable {
    /// The revision that was checked. Another one is not published.
    package var revision: Int
    /// The publisher.
    package var account: AccountID
    /// The `X-Request-ID` of the request.
    package var requestID: String?

    /// Creates the description of a draft.
    package init(revision: Int, account: AccountID, requestID: String? = nil) {
        self.revision = revision
        self.account = account
        self.requestID = requestID
    }
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
    ///   - edition: the edition of the library in these files; nil if the change does not concern it.
    ///   - expected: the revision that the caller has read; nil if there must be no draft.
    ///   - more: further audit entries about the change.
    /// - Returns: the stored draft.
    /// - Throws: `StudyDraftFault`.
    package func saveDraft(
        _ files: [String: String], of study: String, basedOn: String?, edition: Int? = nil,
        expecting expected: Int?, by account: AccountID, requestID: String? = nil,
        audit more: [AuditEntry] = [], now: Instant
    ) async throws -> StudyDraft {
        try await research.writeRetrying { transaction in
            let locked = try await Self.lockDraft(of: study, account, now: now, in: transaction)
            guard locked?.revision == expected else {
                throw StudyDraftFault.changed(current: locked?.revision)
            }
            let revision: Int
            if let expected {
                revision = expected + 1
            } else {
                revision = try await Self.nextRevision(of: study, in: transaction)
            }
            let audit = AuditEntry(
                actor: .account(account), action: "draft_changed", study: study, requestID: requestID,
                detail: ["revision": .int(revision)])
            _ = try await transaction.pipeline(
                Self.writeCalls(
                    files, of: study, basedOn: basedOn, edition: edition, revision: revision,
                    isNew: expected == nil, by: account, now: now)
                    + ((locked?.isAudited == true ? [] : [audit]) + more).map { $0.call(at: now, secrets) })
            return StudyDraft(
                study: study, basedOn: basedOn, edition: edition ?? locked?.edition, revision: revision,
                files: files, changedAt: now, changedBy: account)
        }
    }

    /// Deletes a draft. Writes an audit entry.
    /// - Parameter expected: the revision that the caller has read.
    /// - Throws: `StudyDraftFault`.
    package func deleteDraft(
        of study: String, expecting expected: Int, by account: AccountID, requestID: String? = nil,
        now: Instant
    ) async throws {
        try await research.writeRetrying { transaction in
            let draft = PublishedDraft(revision: expected, account: account, requestID: requestID)
            _ = try await Self.lock(draft, of: study, now: now, in: transaction)
            try await end(draft, of: study, isPublished: false, now: now, in: transaction)
        }
    }

    /// Locks a draft until the end of the transaction.
    /// - Returns: the edition of the library from which it began.
    /// - Throws: `StudyDraftFault` if it has another revision.
    static func lock(
        _ draft: PublishedDraft, of study: String, now: Instant, in transaction: Transaction
    ) async throws -> Int? {
        let locked = try await lockDraft(of: study, draft.account, now: now, in: transaction)
        guard let locked, locked.revision == draft.revision else {
            throw StudyDraftFault.changed(current: locked?.revision)
        }
        return locked.edition
    }

    /// Deletes a locked draft.
    /// - Parameter isPublished: whether its content is published. Then no audit entry is written here, because the
    ///   publication has one.
    func end(
        _ draft: PublishedDraft, of study: String, isPublished: Bool, now: Instant,
        in transaction: Transaction
    ) async throws {
        let audit = AuditEntry(
            actor: .account(draft.account), action: "draft_deleted", study: study,
            requestID: draft.requestID, detail: ["revision": .int(draft.revision)])
        _ = try await transaction.query(Statements.studyDrafts["delete_draft"], ["study": .text(study)])
        if !isPublished { _ = try await transaction.pipeline([audit.call(at: now, secrets)]) }
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
            let revision = try await Self.nextRevision(of: study, in: transaction)
            _ = try await transaction.pipeline(
                Self.writeCalls(
                    files, of: study, basedOn: nil, edition: nil, revision: revision, isNew: true,
                    by: account, now: now)
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
    ) async throws -> (revision: Int, edition: Int?, isAudited: Bool)? {
        let found = try await transaction.pipeline([
            (Statements.studies["lock_study"], ["study": .text(study)]),
            (
                Statements.studyDrafts["lock_draft"],
                ["study": .text(study), "now": .instant(now), "account_id": .id(account)]
            ),
        ])
        return try found[1].oneOrNone().map {
            (try $0.get("revision"), try $0.getOptional("edition"), try $0.get("is_audited"))
        }
    }

    /// The first revision of a new draft. The caller holds the lock of the study.
    private static func nextRevision(of study: String, in transaction: Transaction) async throws -> Int {
        let end: Int? = try await transaction.query(
            Statements.studyDrafts["find_draft_end"], ["study": .text(study)]
        ).oneOrNone()?.get("revision")
        return (end ?? 0) + 1
    }

    /// The calls that store all files of a draft.
    private static func writeCalls(
        _ files: [String: String], of study: String, basedOn: String?, edition: Int?, revision: Int,
        isNew: Bool, by account: AccountID, now: Instant
    ) -> [(Statement, Arguments)] {
        let sorted = files.sorted { $0.key < $1.key }
        return [
            (
                Statements.studyDrafts[isNew ? "insert_draft" : "update_draft"],
                [
                    "study": .text(study), "based_on": .text(basedOn), "edition": .int(edition),
                    "revision": .int(revision), "now": .instant(now), "account_id": .id(account),
                ]
            ),
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
            edition: try row.getOptional("edition"), revision: try row.get("revision"), files: files,
            changedAt: try row.instant("changed_at"),
            changedBy: try row.id("changed_by"))
    }
}
