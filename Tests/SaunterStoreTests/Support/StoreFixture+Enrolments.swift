import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

extension StoreFixture {
    var study: Study { StudyFixture.study }

    /// A new account with a verified address.
    func makeAccount(email: String? = nil, name: String = "Ada", isVerified: Bool = true) async throws
        -> AccountID
    {
        let id = AccountID(UUID())
        try await store.insert(
            Account(
                id: id, email: email ?? "\(id)@example.org", name: name, passwordHash: "hash", zone: nil,
                language: "en",
                createdAt: .start, emailVerifiedAt: isVerified ? .start : nil))
        return id
    }

    /// A login to an account of `makeAccount`.
    func makeLogin(to account: AccountID, tokenHash: [UInt8] = [1]) async throws -> UUID {
        let family = UUID()
        let isInserted = try await store.insertFamily(
            family, of: account, verified: "hash", tokenHash: tokenHash, now: .start, expiresAt: .maximum)
        precondition(isInserted)
        return family
    }

    func publish(_ study: Study = StudyFixture.study) async throws {
        _ = try await store.publish(StudyFixture.publication(of: study), now: .start)
    }

    func draft(
        _ account: AccountID, study: Study = StudyFixture.study, zone: Zone = .utc,
        participant: String? = nil,
        levels: FactorLevels = .empty
    ) -> EnrolmentDraft {
        let id = EnrolmentID(UUID())
        return EnrolmentDraft(
            id: id, account: account, study: study, participantID: participant ?? "P-\(id)",
            levels: levels, zone: zone,
            language: "en", seed: Self.secrets.studySeed(study.code), requestID: nil)
    }

    /// Enrols a new account in the study, and publishes the study first if necessary.
    func enrol(now: Instant = .start, zone: Zone = .utc, study: Study = StudyFixture.study) async throws
        -> Enrolment
    {
        try await publish(study)
        let account = try await makeAccount()
        return try await store.enrol(draft(account, study: study, zone: zone), now: now).enrolment
    }

    /// A code of the study that admits so many participants until one day after the start.
    func makeEnrolmentCode(uses: Int = 1, study: String = "walks") async throws -> EnrolmentCodeSecret {
        let batch = EnrolmentCodeBatch(
            study: study, label: "Leaflet", count: 1, maximumUses: uses,
            expiresAt: Instant.start.plus(days: 1))
        let made = try await store.insertEnrolmentCodes(batch, by: .system, now: .start)
        return try #require(made.first).secret
    }

    func occasions(of enrolment: EnrolmentID) async throws -> [Occasion] {
        try await store.listOccasions(of: [enrolment])[enrolment] ?? []
    }

    func evenings(of enrolment: EnrolmentID) async throws -> [Occasion] {
        try await occasions(of: enrolment).filter { $0.key.schedule == "evening" }
    }

    static func entry(_ action: String = "test", _ enrolment: EnrolmentID? = nil) -> AuditEntry {
        AuditEntry(actor: .system, action: action, study: "walks", enrolment: enrolment)
    }
}
