import Postgres
import SaunterCore

extension Store {
    /// Notes a consent to the study's live version, which the participant follows from then on, in one transaction.
    /// - Returns: the enrolment, and whether anything changed.
    /// - Throws: `ErasedMeanwhile`.
    package func consent(
        _ id: EnrolmentID, to study: Study, language: String, audit: AuditEntry, now: Instant
    ) async throws -> (enrolment: Enrolment, isNew: Bool) {
        try await research.writeRetrying(repeatable: true) { transaction in
            var enrolment = try await Self.lockEnrolment(id, in: transaction)
            guard enrolment.consentVersion != study.consentVersion else { return (enrolment, false) }
            _ = try await transaction.pipeline([
                Self.consentCall(of: id, to: study, language: language, now: now),
                (
                    Statements.consents["update_enrolment_consent"],
                    [.id(id), .text(study.consentVersion), .instant(now)]
                ),
                audit.call(at: now),
            ])
            enrolment.consentVersion = study.consentVersion
            enrolment.consentedAt = now
            return (try await follow(study, enrolment, now: now, in: transaction), true)
        }
    }

    static func consentCall(
        of id: EnrolmentID, to study: Study, language: String, now: Instant
    ) -> (Statement, [Parameter]) {
        (
            Statements.consents["insert_enrolment_consent"],
            [
                .id(id), .text(study.consentVersion), .instant(now), .text(study.version), .text(language),
                .text(study.consentDigest(in: language)),
            ]
        )
    }

    static func versionCall(
        of id: EnrolmentID, _ version: String, now: Instant
    ) -> (Statement, [Parameter]) {
        (Statements.consents["insert_enrolment_version"], [.id(id), .text(version), .instant(now)])
    }

    /// The versions that an enrolment has followed, in the order in which it came to them; the last is its present one.
    package func listVersions(of id: EnrolmentID) async throws -> [FollowedVersion] {
        try await research.query(Statements.consents["list_enrolment_versions"], [.ids([id])]).map {
            try Self.followedVersion($0)
        }
    }

    static func followedVersion(_ row: Row) throws -> FollowedVersion {
        FollowedVersion(version: try row.get("study_version"), from: try row.instant("followed_from"))
    }
}
