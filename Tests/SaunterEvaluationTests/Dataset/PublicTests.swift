import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct PublicTests {
    @Test
    func `small counts are suppressed, with others so that they cannot be computed by subtraction`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.change(Self.crowd)
            try await garden.dataset(profile: .public) { folder, _ in
                let people = try TableRows(folder + "/data/public_people.csv").map { $0 }
                // 21 of plants and 6 of stones: suppressing only the 6 would reveal it as 27 - 21.
                #expect(
                    Self.lines(people, ["dimension", "code", "people", "suppressed"]) == [
                        "all,all,27,0", "arm,plants,,1", "arm,stones,,1", "status,active,,1",
                        "status,stopped,,1",
                    ])
                let feel = try TableRows(folder + "/data/public_answers.csv").filter { $0["item"] == "feel" }
                // 3 good, 12 so-so, 12 bad: the 3 is suppressed, and the smaller of the other counts.
                #expect(Self.lines(feel, ["code", "people", "suppressed"]) == ["1,,1", "2,12,0", "3,,1"])
                for row in try TableRows(folder + "/data/public_statistics.csv") {
                    let isHidden = row["suppressed"] == "1"
                    #expect((row["mean"] == "") == isHidden && (row["people_at_least"] == "") == isHidden)
                    if !isHidden { #expect((Int(row["people_at_least"] ?? "") ?? 0) >= 10) }
                }
                let minutes = try TableRows(folder + "/data/public_statistics.csv").filter {
                    $0["name"] == "minutes"
                }
                #expect(
                    Self.lines(minutes, ["arm", "people_at_least", "mean", "suppressed"]) == [
                        "all,20,14.000000,0", "plants,,,1", "stones,,,1",
                    ])
            }
        }
    }

    @Test func `suppressed numbers are at least two, with enough participants together`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.change(Self.crowd)
            try await garden.dataset(profile: .public) { folder, _ in
                var groups: [String: (hidden: Int, shown: Int)] = [:]
                for row in try TableRows(folder + "/data/public_answers.csv") {
                    let name = "\(row["item"] ?? "") \(row["option"] ?? "")"
                    var group = groups[name] ?? (0, 0)
                    if let people = Int(row["people"] ?? "") {
                        #expect(people >= DatasetProfile.minimumParticipants)
                        group.shown += people
                    } else {
                        group.hidden += 1
                    }
                    groups[name] = group
                }
                for (name, group) in groups where group.hidden > 0 {
                    // All 27 submitted a sheet of a version that has the item.
                    #expect(group.hidden >= 2, "\(name)")
                    #expect(27 - group.shown >= DatasetProfile.minimumParticipants, "\(name)")
                }
                #expect(groups.count > 5)
            }
        }
    }

    @Test func `a small study reveals nothing except that it is small`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .public) { folder, manifest in
                for path in manifest.files.map(\.path) where path.hasPrefix("data/") {
                    #expect(path.hasPrefix("data/public_"))
                    for row in try TableRows("\(folder)/\(path)") {
                        #expect(
                            row["suppressed"] == "1" && (row["people"] ?? "") == ""
                                && (row["mean"] ?? "") == "")
                    }
                }
                #expect(
                    manifest.json["counts"] == [
                        "enrolments": nil, "excluded_enrolments": nil, "erased_people": nil,
                        "deleted_walks": nil, "deleted_observations": nil, "purged_sheets": nil,
                    ])
            }
        }
    }

    @Test(arguments: [
        DatasetFilters(from: LocalDate("2026-03-29")), DatasetFilters(to: LocalDate("2026-03-29")),
        DatasetFilters(arms: ["plants"]),
    ])
    func `filters are rejected, because two exports could be subtracted`(filters: DatasetFilters) async throws
    {
        try await Garden.with { garden in
            await #expect(throws: DatasetFault.filteredProfile(.public)) {
                try await garden.dataset(profile: .public, filters: filters) { _, _ in }
            }
        }
    }

    @Test func `reversed dates are rejected for every profile`() throws {
        let (first, last) = (try #require(LocalDate("2026-03-29")), try #require(LocalDate("2026-03-28")))
        for profile in DatasetProfile.allCases {
            #expect(
                DatasetFilters(from: first, to: last).fault(with: profile)
                    == .reversedDates(from: first, to: last))
        }
        #expect(DatasetFilters(from: first, to: first).fault(with: .coded) == nil)
    }

    private static func lines(_ rows: [[String: String]], _ columns: [String]) -> [String] {
        rows.map { row in columns.map { row[$0] ?? "?" }.joined(separator: ",") }
    }

    /// 27 participants instead of two: 21 of plants and 6 of stones, of whom one stopped. Each has submitted one sheet.
    private static let crowd = """
        update research.enrolment set status = 'excluded' where study = 'garden';
        insert into research.enrolment (enrolment_id, study, study_version, participant_id, arm, allocation_stratum,
          allocation_position, allocation_method, consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone,
          language, status, planned_through)
        select ('00000000-0000-4000-8000-1000000000' || lpad(n::text, 2, '0'))::uuid, 'garden', '2.0.0',
          'Q' || lpad(n::text, 3, '0'), case when n <= 21 then 'plants' else 'stones' end, 'all', n, 'permuted_blocks', '1.0.0',
          '2026-03-28T11:00:00Z', '2026-03-28T11:00:00Z', '2026-03-28', 'Europe/Berlin', 'Europe/Berlin', 'de',
          case when n = 27 then 'stopped' else 'active' end, '2026-03-30'
        from generate_series(1, 27) as n;
        insert into research.answer_sheet (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version,
          consent_version, language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min,
          skew_ms, standing, completes, flags, slots, numbers, cleared, body_sha256)
        select ('00000000-0000-4000-8000-1000000000' || lpad(n::text, 2, '0'))::uuid,
          ('00000000-0000-4000-8000-2000000000' || lpad(n::text, 2, '0'))::uuid, 1, true, 'mood', '1.1.0', '2.0.0', '1.0.0', 'de',
          '2026-03-28T16:29:00Z', '2026-03-28T16:30:00Z', '2026-03-28T16:30:00Z', 'Europe/Berlin', 60, 60, 0, 'unscheduled',
          false, '{}', array[case when n <= 3 then 0 when n <= 15 then 1 else 2 end, -998, -998, -998, n % 2, 0, -996, -996,
            -996, -996, -996, -996, -996]::smallint[], array[n, null, null, null]::double precision[], '{}', '\\x01'
        from generate_series(1, 27) as n;
        """
}
