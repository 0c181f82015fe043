import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// The stored decisions of a rule, for researchers.
@Suite struct DecisionListTests {
    /// Stores a decision some hours after the start.
    private static func decide(
        _ fixture: StoreFixture, _ rule: String, _ id: EnrolmentID, hour: Int, _ outcome: String = "message",
        point: String = "p", key: String = ""
    ) async throws {
        _ = try await fixture.run(
            """
            insert into research.decision (enrolment_id, rule, point, key, study_version, moment, decided_at, outcome,
              available, variables)
            values ($1, $2, $3, $4, '1.0.0', $5, $5, $6, true, '{"mood": 3}')
            """,
            [
                .id(id), .text(rule), .text(point), .text(key), .instant(Instant.start.plus(hours: hour)),
                .text(outcome),
            ])
    }

    private static func hours(
        _ fixture: StoreFixture, _ rule: String = "hello", _ change: (inout DecisionFilter) -> Void = { _ in }
    ) async throws -> [Int] {
        var filter = DecisionFilter()
        change(&filter)
        return try await fixture.store.listDecisions(
            of: rule, in: "walks", filter, after: nil, limit: 100
        ).map { Int(($0.decidedAt.milliseconds - Instant.start.milliseconds) / 3_600_000) }
    }

    @Test func `filters select the participant, the outcome and the time`() async throws {
        try await StoreFixture.with { fixture in
            let (ada, ben) = (try await fixture.enrol().id, try await fixture.enrol().id)
            for hour in 1...4 {
                try await Self.decide(
                    fixture, "hello", hour % 2 == 0 ? ada : ben, hour: hour, hour == 3 ? "muted" : "message",
                    point: "p\(hour)")
            }
            try await Self.decide(fixture, "other", ada, hour: 9)

            #expect(try await Self.hours(fixture) == [4, 3, 2, 1])
            #expect(try await Self.hours(fixture) { $0.enrolment = ada } == [4, 2])
            #expect(try await Self.hours(fixture) { $0.outcome = "muted" } == [3])
            #expect(try await Self.hours(fixture) { $0.outcome = "limit" } == [])
            #expect(try await Self.hours(fixture) { $0.since = Instant.start.plus(hours: 3) } == [4, 3])
            #expect(try await Self.hours(fixture) { $0.until = Instant.start.plus(hours: 3) } == [2, 1])
            #expect(try await Self.hours(fixture, "other") == [9])
            #expect(
                try await Self.hours(fixture) {
                    $0.enrolment = ben
                    $0.outcome = "message"
                } == [1])
            try await fixture.run(
                "update research.enrolment set status = 'excluded' where enrolment_id = $1", [.id(ada)])
            #expect(try await Self.hours(fixture) == [3, 1])
        }
    }

    @Test func `pages together are the list, also if many decisions have one instant`() async throws {
        try await StoreFixture.with { fixture in
            let ids = [try await fixture.enrol().id, try await fixture.enrol().id]
            for id in ids {
                for number in 0..<5 {
                    try await Self.decide(
                        fixture, "hello", id, hour: number / 3, point: "p\(number % 2)", key: "k\(number)")
                }
            }
            let all = try await fixture.store.listDecisions(
                of: "hello", in: "walks", after: nil, limit: 100)
            var (found, position): ([StoredDecision], DecisionPosition?) = ([], nil)
            while true {
                let page = try await fixture.store.listDecisions(
                    of: "hello", in: "walks", after: position, limit: 3)
                found += page
                guard let last = page.last else { break }
                position = DecisionPosition(
                    decidedAt: last.decidedAt, enrolment: last.enrolment, point: last.point, key: last.key)
            }

            #expect(all.count == 10 && found.map(\.name) == all.map(\.name))
            #expect(all.map(\.decidedAt) == all.map(\.decidedAt).sorted(by: >))
        }
    }

    @Test func `decisions are counted by rule and outcome`() async throws {
        try await StoreFixture.with { fixture in
            let (ada, ben) = (try await fixture.enrol().id, try await fixture.enrol().id)
            for hour in 1...3 {
                try await Self.decide(fixture, "hello", ada, hour: hour, point: "p\(hour)")
            }
            try await Self.decide(fixture, "hello", ben, hour: 7, "when")
            try await Self.decide(fixture, "other", ben, hour: 8, "award")

            func counts(_ rules: [String], in study: String = "walks") async throws -> [String] {
                try await fixture.store.countDecisions(of: rules, in: study).map {
                    let hours = ($0.lastDecidedAt.milliseconds - Instant.start.milliseconds) / 3_600_000
                    return "\($0.rule) \($0.outcome) \($0.decisions) \(hours)"
                }.sorted()
            }
            #expect(try await counts(["hello"]) == ["hello message 3 3", "hello when 1 7"])
            #expect(
                try await counts(["other", "hello", "none"])
                    == ["hello message 3 3", "hello when 1 7", "other award 1 8"])
            #expect(try await counts(["hello"], in: "others") == [])
            #expect(try await counts([]) == [])
            try await fixture.run(
                "update research.enrolment set status = 'excluded' where enrolment_id = $1", [.id(ben)])
            #expect(try await counts(["hello", "other"]) == ["hello message 3 3"])
        }
    }
}

extension StoredDecision {
    fileprivate var name: String { "\(enrolment) \(point) \(key)" }
}
