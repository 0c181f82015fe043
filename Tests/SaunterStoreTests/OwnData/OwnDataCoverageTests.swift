import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

/// A participant's own data contain every column of every table with the participant's rows, or the list below says why
/// not. A new table or column fails here until a developer decides.
@Suite struct OwnDataCoverageTests {
    /// Table or column -> why the own data do not contain it.
    private static let exceptions = [
        "identity.membership":
            "the link between the account and the enrolment, which are both in the own data",
        "research.change": "positions in the change feed, a copy of what the other tables contain",
        "research.answer_sheet.slots": "decoded into the answers",
        "research.answer_sheet.numbers": "decoded into the answers",
        "research.answer_sheet.repeated": "decoded into the answers",
        "research.answer_text.item": "decoded into the answers",
        "research.answer_text.text": "decoded into the answers",
        "research.answer_text.sheet_id": "decoded into the answers",
        "research.answer_text.revision": "decoded into the answers",
        "research.rescored_sheet": "the rows of `research.score`",
        "research.answer_sheet.key_id": "the rows of `research.score`",
        "research.answer_sheet.scored_at": "the rows of `research.score`",
        "research.answer_sheet.covariates": "the rows of `research.score`",
        "research.answer_sheet.score_values": "the rows of `research.score`",
        "research.answer_sheet.score_reasons": "the rows of `research.score`",
        "research.answer_sheet.score_bands": "the rows of `research.score`",
        "research.answer_sheet.score_counts": "the rows of `research.score`",
        "research.answer_sheet.score_exclusions": "the rows of `research.score`",
        "research.answer_sheet.score_errors": "the rows of `research.score`",
        "research.score.sheet_id": "the sheet that contains the scores",
        "research.score.revision": "the sheet that contains the scores",
        "research.enrolment.allocation_stratum": "the allocation list, which concerns other participants too",
        "research.enrolment.allocation_position":
            "the allocation list, which concerns other participants too",
        "research.enrolment.allocation_basis": "how many other participants were in each arm",
        "research.enrolment.allocation_seed": "would reveal the next allocations",
        "research.arm_change.changed_by": "the account of a researcher",
        "research.enrolment_unblinding.unblinded_by": "the account of a coordinator",
        "research.reminder.claim_id": "identifies an attempt of a server",
    ]

    /// Every table is part of one of these results.
    private static let records: [String: OwnRecords] = [
        "research.occasion": .occasions, "research.walk": .walks, "research.calibration": .calibrations,
        "research.observation": .observations, "research.device": .devices, "research.amendment": .edits,
        "research.quarantine": .conflicts, "research.usage_event": .usageEvents,
        "research.reminder": .messages,
        "research.reminder_snooze": .snoozes, "research.content_selection": .content,
        "research.decision": .decisions, "research.inbox_message": .inbox,
    ]

    @Test func `every column of a participant's tables is in the own data or has a reason not to be`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let (_, enrolment) = try await fixture.makeFullParticipant(participant: "P-own")
            let members = try await Self.members(of: enrolment.id, fixture)
            let columns: [String] = try await fixture.values(
                """
                select format('%s.%s.%s', n.nspname, c.relname, a.attname) as value
                from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
                where n.nspname in ('identity', 'research') and (c.relkind in ('r', 'p') or c.oid = 'research.score'::regclass) and a.attnum > 0
                  and not a.attisdropped and exists (
                    select from pg_attribute e where e.attrelid = c.oid and e.attname = 'enrolment_id')
                order by 1
                """)
            #expect(columns.count > 200)
            var unused = Set(Self.exceptions.keys)
            for column in columns {
                let parts = column.split(separator: ".").map(String.init)
                let table = "\(parts[0]).\(parts[1])"
                // Left out everywhere: the enrolment itself, and digests by which the server recognises a replay.
                if ["enrolment_id", "body_sha256"].contains(parts[2]) { continue }
                if let reason = Self.exceptions[column] ?? Self.exceptions[table] {
                    unused.subtract([column, table])
                    #expect(!reason.isEmpty)
                    #expect(
                        members[table]?.contains(parts[2]) != true || table == column,
                        "\(column) is contained")
                    continue
                }
                #expect(members[table]?.contains(parts[2]) == true, "\(column) is missing")
            }
            #expect(unused.isEmpty)
        }
    }

    @Test func `instants are RFC 3339 in UTC with milliseconds`() async throws {
        try await StoreFixture.with { fixture in
            let (_, enrolment) = try await fixture.makeFullParticipant(participant: "P-own")
            let texts = try await Self.texts(of: enrolment.id, fixture)
            #expect(texts.contains { $0.contains("2026-11-21T08:00:00.000Z") })
            for text in texts {
                #expect(text.firstMatch(of: /\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d/) == nil, "\(text)")
            }
        }
    }

    @Test func `no statement returns rows of another participant`() async throws {
        try await StoreFixture.with { fixture in
            let (_, enrolment) = try await fixture.makeFullParticipant(participant: "P-own")
            let (_, other) = try await fixture.makeFullParticipant(participant: "P-other")
            for text in try await Self.texts(of: enrolment.id, fixture) {
                #expect(!text.contains("P-other") && !text.contains(other.id.description))
            }
        }
    }

    @Test func `pages contain every record once`() async throws {
        try await StoreFixture.with { fixture in
            let enrolment = try await fixture.enrol()
            for _ in 0..<7 { _ = try await fixture.store.submit([SheetSubmission.make(enrolment.id, nil)]) }
            var seen: [SheetID] = []
            var position = OwnPosition.beforeFirstSheet
            while true {
                let page = try await fixture.store.listOwnSheets(of: enrolment.id, after: position, limit: 3)
                seen += page.map(\.sheet.sheet.id)
                guard let last = page.last else { break }
                position = last.position
            }
            #expect(seen.count == 7)
            #expect(Set(seen).count == 7)
        }
    }

    @Test func `while the study conceals the arm, nothing shows it`() async throws {
        try await StoreFixture.with { fixture in
            let (_, enrolment) = try await fixture.makeFullParticipant(participant: "P-own")

            let concealed = try await fixture.store.fetchOwnEnrolment(enrolment.id, showsArm: false)
            let shown = try await fixture.store.fetchOwnEnrolment(enrolment.id, showsArm: true)

            #expect(!JSON.object(concealed).text.contains("experimental"))
            #expect(!JSON.object(concealed).text.contains("\"control\""))
            #expect(JSON.object(shown).text.contains("experimental"))
            #expect(shown["arm_change"]?.array?.count == 1)
        }
    }

    /// Table -> the names of the members that the own data contain.
    private static func members(of id: EnrolmentID, _ fixture: StoreFixture) async throws -> [String: Set<
        String
    >] {
        let store = fixture.store
        let own = try await store.fetchOwnEnrolment(id, showsArm: true)
        var members = ["research.enrolment": Set(own.names)]
        func add(_ table: String, _ objects: [JSON]) {
            #expect(!objects.isEmpty, "\(table) has no row")
            for object in objects { members[table, default: []].formUnion(object.object?.names ?? []) }
        }
        for member in own {
            if let list = member.value.array, list.first?.object != nil {
                add("research.\(member.name)", list)
            }
        }
        for (table, records) in records {
            let page = try await store.listOwnRecords(records, of: id, after: records.start)
            let objects = try page.map { try JSONReader.read($0.body) }
            add(table, objects)
            if records == .messages {
                add("research.reminder_attempt", objects.flatMap { $0["reminder_attempt"]?.array ?? [] })
            }
        }
        let sheets = try await store.listOwnSheets(of: id, after: .beforeFirstSheet, limit: 10)
        add("research.answer_sheet", sheets.map { .object($0.sheet.body) })
        add("research.score", sheets.flatMap(\.sheet.scores))
        #expect(sheets.contains { !$0.sheet.sheet.answers.texts.isEmpty })
        return members
    }

    private static func texts(of id: EnrolmentID, _ fixture: StoreFixture) async throws -> [String] {
        let store = fixture.store
        var texts = [JSON.object(try await store.fetchOwnEnrolment(id, showsArm: true)).text]
        for records in OwnRecords.allCases {
            texts += try await store.listOwnRecords(records, of: id, after: records.start).map(\.body)
        }
        let sheets = try await store.listOwnSheets(of: id, after: .beforeFirstSheet, limit: 10)
        texts += sheets.flatMap { [JSON.object($0.sheet.body).text] + $0.sheet.scores.map(\.text) }
        texts += try await store.listOwnWalkSummaries(of: id, after: .beforeFirstWalk, limit: 10).map(\.body)
        return texts
    }
}
