import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct EnrolmentCodesTests {
    @Test func `a code admits as many participants as it says, and records each of them`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            let code = try await fixture.makeEnrolmentCode(uses: 2)

            let first = try await Self.enrol(with: code, fixture)
            let second = try await Self.enrol(with: code, fixture)
            await #expect(throws: EnrolmentCodeRejection.usedUp) { try await Self.enrol(with: code, fixture) }

            let stored = try #require(await Self.codes(fixture).first)
            #expect(stored.uses == 2)
            #expect(stored.state(at: .start) == .usedUp)
            let used: [UUID] = try await fixture.values(
                "select enrolment_id as value from research.enrolment_code_use where code_id = $1",
                [.id(stored.id)])
            #expect(Set(used) == [first.id.uuid, second.id.uuid])
        }
    }

    @Test func `of two requests for the last use exactly one succeeds`() async throws {
        try await StoreFixture.with(connections: 16) { fixture in
            try await fixture.publish()
            let code = try await fixture.makeEnrolmentCode(uses: 3)

            let results = await withTaskGroup(of: Result<EnrolmentID, any Error>.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        do {
                            return .success(try await Self.enrol(with: code, fixture).id)
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }

            let failures = results.compactMap { result -> EnrolmentCodeRejection? in
                if case .failure(let error) = result { error as? EnrolmentCodeRejection } else { nil }
            }
            #expect(failures == Array(repeating: .usedUp, count: 9))
            #expect(try await fixture.count("research.enrolment") == 3)
            #expect(try await fixture.count("research.enrolment_code_use") == 3)
            #expect(try await Self.codes(fixture).map(\.uses) == [3])
        }
    }

    @Test func `a rejected code leaves no trace, and takes no position of the allocation`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()

            await #expect(throws: EnrolmentCodeRejection.unknown) {
                try await Self.enrol(with: .make(), fixture)
            }

            for table in [
                "research.allocation_counter", "research.enrolment", "identity.membership", "audit.entry",
            ] {
                #expect(try await fixture.count(table) == 0, "\(table)")
            }
        }
    }

    @Test func `an account that is enrolled gets its enrolment again and uses nothing`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            let code = try await fixture.makeEnrolmentCode()
            let account = try await fixture.makeAccount()
            let first = try await Self.enrol(account, with: code, fixture)

            let again = try await Self.enrol(account, with: code, fixture)
            let withAnother = try await Self.enrol(account, with: .make(), fixture)

            #expect(again.id == first.id && withAnother.id == first.id)
            #expect(try await Self.codes(fixture).map(\.uses) == [1])
        }
    }

    @Test func `an expired, a revoked and a foreign code are rejected`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            try await fixture.publish(StudyFixture.make(code: "moods"))
            let code = try await fixture.makeEnrolmentCode(uses: 5)
            let foreign = try await fixture.makeEnrolmentCode(uses: 5, study: "moods")
            let end = Instant.start.plus(days: 1)

            _ = try await Self.enrol(with: code, fixture, now: end.adding(milliseconds: -1))
            await #expect(throws: EnrolmentCodeRejection.expired) {
                try await Self.enrol(with: code, fixture, now: end)
            }
            await #expect(throws: EnrolmentCodeRejection.unknown) {
                try await Self.enrol(with: foreign, fixture)
            }
            let id = try #require(await Self.codes(fixture).first).id
            #expect(try await fixture.store.revokeEnrolmentCode(id, study: "walks", by: .system, now: .start))
            await #expect(throws: EnrolmentCodeRejection.revoked) {
                try await Self.enrol(with: code, fixture)
            }
        }
    }

    @Test func `a revocation keeps its first moment, and needs the study of the code`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            _ = try await fixture.makeEnrolmentCode()
            let id = try #require(await Self.codes(fixture).first).id
            let (store, later) = (fixture.store, Instant.start.plus(hours: 1))

            #expect(try await !store.revokeEnrolmentCode(id, study: "moods", by: .system, now: .start))
            #expect(try await store.revokeEnrolmentCode(id, study: "walks", by: .system, now: .start))
            #expect(try await store.revokeEnrolmentCode(id, study: "walks", by: .system, now: later))

            #expect(try await Self.codes(fixture).map(\.revokedAt) == [.start])
        }
    }

    @Test func `the list is paged, the newest code first`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            for hour in 0..<3 {
                let batch = EnrolmentCodeBatch(
                    study: "walks", label: "\(hour)", count: 2, maximumUses: 1, expiresAt: .maximum)
                _ = try await fixture.store.insertEnrolmentCodes(
                    batch, by: .system, now: Instant.start.plus(hours: hour))
            }

            var labels: [String] = []
            var ids: Set<EnrolmentCodeID> = []
            var last: EnrolmentCode?
            repeat {
                let page = try await fixture.store.listEnrolmentCodes(
                    of: "walks", before: last.map { ($0.createdAt, $0.id) }, limit: 4)
                labels += page.map(\.label)
                ids.formUnion(page.map(\.id))
                last = page.count == 4 ? page.last : nil
            } while last != nil

            #expect(labels == ["2", "2", "1", "1", "0", "0"])
            #expect(ids.count == 6)
        }
    }

    @Test func `the database contains no code, and the audit no id of a used code`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish()
            let code = try await fixture.makeEnrolmentCode()
            _ = try await Self.enrol(with: code, fixture)
            let id = try #require(await Self.codes(fixture).first).id

            for text in [code.text, code.normalised] {
                #expect(try await fixture.tables(containing: text) == [])
            }
            let tables = try await fixture.tables(containing: id.description)
            #expect(Set(tables) == ["research.enrolment_code", "research.enrolment_code_use"])
            let entries: [String] = try await fixture.values(
                "select action || ' ' || detail::text as value from audit.entry order by entry_id")
            #expect(entries.count == 2)
            #expect(entries.first?.hasPrefix("enrolment_codes_created") == true)
            #expect(entries.last?.contains("\"with_code\": true") == true)
        }
    }

    private static func codes(_ fixture: StoreFixture) async throws -> [EnrolmentCode] {
        try await fixture.store.listEnrolmentCodes(of: "walks", before: nil, limit: 10)
    }

    @discardableResult
    private static func enrol(
        _ account: AccountID? = nil, with code: EnrolmentCodeSecret, _ fixture: StoreFixture,
        now: Instant = .start
    ) async throws -> Enrolment {
        let known: AccountID
        if let account { known = account } else { known = try await fixture.makeAccount() }
        var draft = fixture.draft(known)
        draft.code = code
        return try await fixture.store.enrol(draft, now: now).enrolment
    }
}
