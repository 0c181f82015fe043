import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct UnblindingTests {
    @Test func `reading one arm is recorded each time, with an audit entry that names no participant`()
        async throws
    {
        try await StoreFixture.with { fixture in
            try await fixture.publish(StudyFixture.study)
            let account = try await fixture.makeAccount()
            let enrolment = try await fixture.store.enrol(fixture.draft(account), now: .start).enrolment
            #expect(try await !fixture.store.isUnblinded(enrolment.id))

            for hours in 1...2 {
                let read = try await fixture.store.unblind(
                    enrolment.id, because: "Emergency \(hours).", by: account, requestID: "r",
                    now: Instant.start.plus(hours: hours))
                #expect(read.arm == enrolment.arm)
            }

            #expect(try await fixture.store.isUnblinded(enrolment.id))
            #expect(try await !fixture.store.isUnblinded("walks"))
            let found = try await fixture.store.listUnblindings(of: "walks", after: nil, limit: 10)
            #expect(found.map(\.ordinal) == [2, 1])
            #expect(found.map(\.participantID) == [enrolment.participantID, enrolment.participantID])
            #expect(found.map(\.reason) == ["Emergency 2.", "Emergency 1."])
            let audited: [String] = try await fixture.values(
                "select entry::text as value from audit.entry where action = 'unblinded' order by entry_id")
            #expect(audited.count == 2)
            for entry in audited {
                #expect(!entry.contains(enrolment.id.description) && !entry.contains(enrolment.arm))
                #expect(!entry.contains("Emergency"))
            }
        }
    }

    @Test func `a study is unblinded once, also by concurrent calls`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish(StudyFixture.study)
            let account = try await fixture.makeAccount()

            let results = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        try await fixture.store.unblind(
                            "walks", because: "Closed \(number).", by: account, requestID: nil, now: .start)
                    }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }

            #expect(results.filter { $0 }.count == 1)
            #expect(try await fixture.store.isUnblinded("walks"))
            #expect(try await !fixture.store.isUnblinded("other"))
            let entries: Int = try await fixture.value(
                "select count(*) as value from audit.entry where action = 'unblinded'", as: Int.self)
            #expect(entries == 1)
        }
    }

    @Test func `pages contain every unblinding once, the newest first`() async throws {
        try await StoreFixture.with { fixture in
            try await fixture.publish(StudyFixture.study)
            let account = try await fixture.makeAccount()
            let enrolment = try await fixture.store.enrol(fixture.draft(account), now: .start).enrolment
            for _ in 0..<4 {
                _ = try await fixture.store.unblind(
                    enrolment.id, because: "Emergency.", by: account, requestID: nil, now: .start)
            }
            _ = try await fixture.store.unblind(
                "walks", because: "Closed.", by: account, requestID: nil, now: Instant.start.plus(hours: 1))
            let whole = try await fixture.store.listUnblindings(of: "walks", after: nil, limit: 10)
            #expect(whole.count == 5 && whole[0].participantID == nil)

            var paged: [Unblinding] = []
            while true {
                let page = try await fixture.store.listUnblindings(
                    of: "walks", after: paged.last?.position, limit: 2)
                guard !page.isEmpty, paged.count < 10 else { break }
                paged += page
            }

            #expect(paged == whole)
        }
    }

    @Test func `a grant stores whether the account sees arms`() async throws {
        try await StoreFixture.with { fixture in
            let account = try await fixture.makeAccount()
            let seeing = Grant(role: .researcher, study: "walks", seesArms: true)
            try await fixture.store.upsert(seeing, for: account, now: .start)
            #expect(try await fixture.store.listGrants(account) == [seeing])

            let blinded = Grant(role: .researcher, study: "walks")
            try await fixture.store.upsert(blinded, for: account, now: .start)

            #expect(try await fixture.store.listGrants(account) == [blinded])
        }
    }
}
