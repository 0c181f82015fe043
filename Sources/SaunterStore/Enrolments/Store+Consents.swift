import Postgres
import SaunterCore

/// A study version that an enrolment follows or has followed.
package struct FollowedVersion: Sendable, Hashable {
    /// The number of the study version, such as `1.2.0`.
    package var version: String
    /// When the enrolment began to follow the version. If it returned to the version, the instant of the last return.
    package var from: Instant
}

extension [FollowedVersion] {
    /// The versions in the order in which they are likely to have created an occasion of this moment: the version
    /// followed at that instant, then earlier ones, then later ones. The array must be in the order of following.
    package func nearest(to moment: Instant) -> [FollowedVersion] {
        let before = prefix { $0.from <= moment }
        return Array(before.reversed()) + Array(dropFirst(before.count))
    }
}

extension Store {
    /// Records a consent to the study's live version and moves the enrolment to this version, in one transaction.
    /// - Returns: the enrolment, and whether the consent is new.
    /// - Throws: `ConcurrentErasure`, `StudyVersionMismatch` if another version is live.
    package func consent(
        _ id: EnrolmentID, to study: Study, language: String, audit: AuditEntry, now: Instant
    ) async throws -> (enrolment: Enrolment, isNew: Bool) {
        try await research.writeRetrying(idempotent: true) { transaction in
            // The version is read with the lock, so a later publication waits for it to move the participant.
            let found = try await transaction.pipeline([
                (Statements.enrolments["lock_enrolment"], ["enrolment_id": .id(id)]),
                (Statements.studies["find_live_version"], ["enrolment_id": .id(id)]),
            ])
            guard let row = try found[0].oneOrNone() else { throw ConcurrentErasure() }
            var enrolment = try Self.enrolment(row)
            guard enrolment.consentVersion != study.consentVersion else { return (enrolment, false) }
            guard try found[1].one().get("live_version", as: String.self) == study.version else {
                throw StudyVersionMismatch()
            }
            _ = try await transaction.pipeline([
                Self.consentCall(of: id, to: study, language: language, now: now),
                (
                    Statements.consents["update_enrolment_consent"],
                    [
                        "enrolment_id": .id(id), "consent_version": .text(study.consentVersion),
                        "now": .instant(now),
                    ]
                ),
                audit.call(at: now, secrets),
            ])
            enrolment.consentVersion = study.consentVersion
            enrolment.consentedAt = now
            return (try await setVersion(study, of: enrolment, now: now, in: transaction), true)
        }
    }

    /// The call that records a consent.
    static func consentCall(
        of id: EnrolmentID, to study: Study, language: String, now: Instant
    ) -> (Statement, Arguments) {
        (
            Statements.consents["insert_enrolment_consent"],
            [
                "enrolment_id": .id(id), "consent_version": .text(study.consentVersion), "now": .instant(now),
                "study_version": .text(study.version), "language": .text(language),
                "text_digest": .text(study.consentDigest(in: language)),
            ]
        )
    }

    /// The call that records that an enrolment follows a version.
    static func versionCall(
        of id: EnrolmentID, _ version: String, now: Instant
    ) -> (Statement, Arguments) {
        (
            Statements.consents["insert_enrolment_version"],
            ["enrolment_id": .id(id), "study_version": .text(version), "now": .instant(now)]
        )
    }

    /// The versions that an enrolment has followed, in order. The last one is the current version.
    package func listVersions(of id: EnrolmentID) async throws -> [FollowedVersion] {
        try await research.query(
            Statements.consents["list_enrolment_versions"], ["enrolment_ids": .ids([id])]
        ).map {
            try Self.followedVersion($0)
        }
    }

    static func followedVersion(_ row: Row) throws -> FollowedVersion {
        FollowedVersion(version: try row.get("study_version"), from: try row.instant("followed_from"))
    }
}
