import Foundation
import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterEvaluation

@Suite struct VariableTableTests {
    @Test func `a variable has a row with its value, and a row for each of its keys`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let rows = try Self.rows(folder)
                // The participant P001 follows a version without variables.
                #expect(Set(rows.map { $0["participant_id"] }) == ["P002"])
                #expect(
                    Self.lines(rows) == [
                        "begun   2026-03-29T13:00:00.000Z 2  2026-03-29",
                        "bells   08:00:00 1  ",
                        "care_days  1  1  2026-03-29",
                        "cared    2  ",
                        "cared be01 2  2  ",
                        "cares    3  ",
                        "cares be01 2  2  ",
                        "cares be05 1  1  ",
                        "did    2  ",
                        "did look 1  1  ",
                        "did water 2  2  ",
                        "is_rose  0  2  ",
                        "litres    2  ",
                        "litres 2026-03-29 2.5  2  ",
                        "litres_change    2 too_few ",
                        "litres_week  5  2  ",
                        "names    2  ",
                        "names be01  Käthe, \"the red\" 1  ",
                        "names be05   0 too_few ",
                        "plant   fern 2  ",
                        "planted   2026-03-01 1  ",
                    ])
                let week = try #require(rows.first { $0["variable"] == "litres_week" })
                #expect(week["window_from"] == "2026-03-24" && week["window_to"] == "2026-03-30")
                let streak = try #require(rows.first { $0["variable"] == "care_days" })
                #expect(streak["best"] == "1")
            }
        }
    }

    @Test(arguments: [DatasetProfile.coded, .full, .deidentified])
    func `no profile has variables with coordinates as keys, and the definitions state it`(
        profile: DatasetProfile
    ) async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: profile) { folder, _ in
                let located = Set(["by_spot", "spots", "many_spots"])
                let ids = Set(try Self.rows(folder).compactMap { $0["variable"] })
                #expect(ids.isDisjoint(with: located))
                let definitions = try TableRows(folder + "/meta/variables.csv").map(\.self)
                let dropped = definitions.filter { $0["treatment"] == "dropped" }
                    .compactMap { $0["variable"] }
                #expect(Set(dropped) == (profile == .deidentified ? located.union(["names"]) : located))
                #expect(Set(definitions.compactMap { $0["variable"] }) == ids.union(dropped))
            }
        }
    }

    @Test func `a release has no own words, shifted dates, and the ids of its sheets`() async throws {
        try await Garden.with { garden in
            let coded = try await garden.dataset { folder, _ in try Self.rows(folder) }
            try await garden.dataset(profile: .deidentified) { folder, _ in
                let rows = try Self.rows(folder)
                #expect(rows.count == coded.count - 3)
                let sheets = Set(try TableRows(folder + "/data/sheets.csv").compactMap { $0["sheet_id"] })
                let keys = rows.filter { $0["variable"] == "cares" && $0["key"] != "" }
                #expect(keys.count == 2 && keys.allSatisfy { sheets.contains($0["key"] ?? "") })
                func date(_ rows: [[String: String]], _ variable: String, _ column: String) throws -> Int {
                    let row = rows.last { $0["variable"] == variable }
                    return try #require(LocalDate(String((row?[column] ?? "").prefix(10)))).days
                }
                var shifts: Set<Int> = []
                for (variable, column) in [
                    ("begun", "code"), ("planted", "code"), ("litres", "key"), ("begun", "last_on"),
                    ("care_days", "last_on"), ("litres_week", "window_from"), ("litres_week", "window_to"),
                ] {
                    shifts.insert(try date(coded, variable, column) - date(rows, variable, column))
                }
                #expect(shifts.count == 1 && shifts.allSatisfy { $0 > 0 && $0 % 7 == 0 })
            }
        }
    }

    @Test func `the public profile has no variables, and no file of a release has own words`() async throws {
        try await Garden.with { garden in
            for profile in [DatasetProfile.public, .deidentified] {
                try await garden.dataset(profile: profile) { folder, manifest in
                    let paths = manifest.files.map(\.path).filter { $0.hasPrefix("data/") }
                    for path in paths {
                        let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
                        #expect(bytes.range(of: Data("Käthe".utf8)) == nil, "\(path)")
                    }
                    #expect(paths.contains("data/variables.csv") == (profile == .deidentified))
                }
            }
        }
    }

    @Test func `the values are those of the instant of the dataset`() async throws {
        try await Garden.with { garden in
            // Later facts are ignored: the entry of the 29th at 21:00 is not yet there.
            let request = DatasetFilters()
            let now = try #require(Instant("2026-03-29T20:45:00.000Z"))
            try await garden.dataset(filters: request, now: now) { folder, manifest in
                let rows = try Self.rows(folder)
                #expect(manifest.asOf <= now)
                #expect(rows.first { $0["variable"] == "litres_week" }?["reason"] == "too_few")
                #expect(rows.first { $0["variable"] == "cares" }?["n"] == "2")
            }
        }
    }

    @Test func `a dataset of an earlier instant has the variables and episodes of that instant`() async throws
    {
        try await Garden.with { garden in
            let asOf = try #require(Instant("2026-03-29T10:30:00.000Z"))
            try await garden.dataset(asOf: asOf) { folder, _ in
                let cares = try Self.rows(folder).filter { $0["variable"] == "cares" }
                #expect(Self.lines(cares) == ["cares    1  ", "cares be01 1  1  "])
                let episodes = try TableRows(folder + "/data/episodes.csv").map {
                    "\($0["why"] ?? "") \($0["linked"] ?? "")"
                }
                #expect(episodes == ["open 1"])
                let settings = try TableRows(folder + "/data/settings.csv").map { $0["valid_to_at"] ?? "" }
                #expect(settings.count == 6 && Set(settings) == [""])
            }
        }
    }

    @Test func `a dataset of some dates has no variables`() async throws {
        try await Garden.with { garden in
            let filters = DatasetFilters(from: LocalDate("2026-03-29"))
            try await garden.dataset(filters: filters) { _, manifest in
                #expect(!manifest.files.contains { $0.path == "data/variables.csv" })
                #expect(manifest.files.contains { $0.path == "data/episodes.csv" })
            }
        }
    }

    @Test func `a dataset of some questionnaires has the variables that need no others`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(filters: DatasetFilters(questionnaires: ["tools"])) { folder, _ in
                let ids = Set(try Self.rows(folder).map { $0["variable"] })
                #expect(ids == ["bells"])
                let definitions = try TableRows(folder + "/meta/variables.csv").map(\.self)
                #expect(definitions.count == 16)
                #expect(definitions.filter { $0["treatment"] == "kept" }.map { $0["variable"] } == ["bells"])
            }
        }
    }

    @Test(arguments: [DatasetProfile.coded, .deidentified])
    func `many participants are computed in batches, and the file is sorted as a whole`(
        profile: DatasetProfile
    ) async throws {
        try await Garden.with { garden in
            let count = 2 * ComputedTableCopy.batchSize + 5
            try await garden.change(Self.crowd(count))
            try await garden.dataset(profile: profile) { folder, _ in
                for table in ["variables", "episodes"] {
                    let text = try String(contentsOfFile: "\(folder)/data/\(table).csv", encoding: .utf8)
                    #expect(text.components(separatedBy: "enrolment_id").count == 2, "one header")
                    let enrolments = try TableRows(text: text).compactMap { $0["enrolment_id"] }
                    #expect(Set(enrolments).count == count + 1, "\(table)")
                    #expect(
                        enrolments.map { Array($0.utf8) }.elementsEqual(
                            enrolments.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }))
                }
            }
        }
    }

    @Test func `the definitions of variables are complete`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let rows = try TableRows(folder + "/meta/variables.csv").map(\.self)
                func row(_ id: String) throws -> [String: String] {
                    try #require(rows.first { $0["variable"] == id })
                }
                let did = try row("did")
                #expect(did["study_version"] == "2.0.0" && did["kind"] == "top" && did["after"] == "care")
                #expect(did["definition"] == #"{"top":{"entry":"care","item":"did","most":2}}"#)
                #expect(did["keyed_by"] == "option" && did["key_set"] == "care.did")
                #expect(
                    did["title"] == "What you do" && did["text"] == #"From {{n}} entries, often "watering""#)
                #expect(did["visible_to"] == "participants staff")
                let litres = try row("litres")
                #expect(
                    litres["definition"]
                        == #"{"mean":{"entry":"care","item":"litres"},"window":{"last":"7d"},"by":"day"}"#)
                #expect(litres["keyed_by"] == "date" && litres["visible_to"] == "staff")
                let plant = try row("plant")
                #expect(plant["code_set"] == "bed.plant")
                let names = try row("names")
                #expect(names["free_text"] == "1" && names["keyed_by"] == "sheet")
                let cared = try row("cared")
                #expect(cared["definition"] == #"{"keys":"cares","where":"value > 1"}"#)
                let change = try row("litres_change")
                #expect(change["definition"] == #"{"change":"litres_week"}"#)
            }
        }
    }

    @Test func `a definition that is written and read again is the same`() throws {
        let sources = """
            variables:
              - {id: a, latest: {entry: bed, items: [plant, name]}}
              - {id: b, at: {entry: bed, which: oldest}}
              - {id: c, sum: {usage: app_closed, field: seconds}, window: this_month}
              - {id: d, count: {usage: feature_opened, feature: beds}, window: {last: 7d, ending: 7d}}
              - {id: e, count: {message: any, state: opened}}
              - {id: f, count: {occasion: daily, state: missed}, window: {while: bed}}
              - {id: g, max: {observation: 8867-4}, by: weekday, least: 3}
              - {id: h, at: {enrolment: enrolled_at}}
              - {id: i, share: {entry: bed}, where: "plant = 'rose'"}
              - {id: j, series: {entry: care, item: litres, each: week}, window: last_month}
              - {id: k, list: {entry: bed, item: name, active_in: this_week}}
              - {id: l, mean: {entry: mood, scale: feeling}}
              - {id: m, count: {entry: bed, active: true}}
              - {id: n, streak: {entry: [bed, care]}, by: questionnaire}
              - {id: o, change: c}
              - {id: p, expression: "c / 60"}

            """
        func variables(_ text: String) throws -> [TailoringVariable] {
            var files = try Garden.pack("garden-2").files
            let path = "studies/garden/variables.yaml"
            try #require(files[path] != nil)
            files[path] = text
            // None of these variables is shown, so none has texts.
            let texts = "studies/garden/content/text.en.yaml"
            let parts = try #require(files[texts]?.components(separatedBy: "variables:"))
            files[texts] = parts[0] + "reminder:" + parts[1].components(separatedBy: "reminder:")[1]
            return try StudyPack.read(PackFiles(files: files), study: "garden").study.variables
        }

        let read = try variables(sources)
        let written = read.map { variable in
            var object = variable.definition.object ?? [:]
            object["id"] = .string(variable.id)
            return "  - \(JSON.object(object).text)\n"
        }
        #expect(read.count == 16)
        let again = try variables("variables:\n" + written.joined())
        #expect(again == read)
    }

    private static func rows(_ folder: String) throws -> [[String: String]] {
        try TableRows(folder + "/data/variables.csv").map(\.self)
    }

    /// Variable, key, value, code, n, reason and last date of each row. Of ids the last four digits.
    private static func lines(_ rows: [[String: String]]) -> [String] {
        rows.map { row in
            let key = row["key"] ?? ""
            let isSheet = key.hasPrefix("S0")
            let value = row["value"] ?? ""
            let code = row["code"] ?? ""
            return [
                row["variable"] ?? "", isSheet ? String(key.suffix(4)) : key, value, code, row["n"] ?? "",
                row["reason"] ?? "", row["last_on"] ?? "",
            ].joined(separator: " ")
        }
    }

    /// SQL that inserts participants with one bed each.
    private static func crowd(_ count: Int) -> String {
        """
        insert into research.enrolment (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position,
          allocation_method, consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, status, planned_through)
        select md5('e' || i)::uuid, 'garden', '2.0.0', 'Q' || i, 'plants', 'all', 9 + i, 'permuted_blocks', '1.0.0', '2026-03-28T11:00:00Z',
          '2026-03-28T11:00:00Z', '2026-03-28', 'Europe/Berlin', 'Europe/Berlin', 'en', 'active', '2026-03-30'
        from generate_series(1, \(count)) i;
        insert into research.enrolment_zone
        select md5('e' || i)::uuid, '2026-03-28T11:00:00Z', 'Europe/Berlin', 'enrolment' from generate_series(1, \(count)) i;
        insert into research.answer_sheet (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version, consent_version,
          language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, standing, completes, flags, slots,
          numbers, cleared, body_sha256, skew_ms)
        select md5('e' || i)::uuid, md5('s' || i)::uuid, 1, true, 'bed', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-28T12:00:00Z',
          '2026-03-28T12:00:00Z', '2026-03-28T12:00:00Z', 'Europe/Berlin', 60, 60, 'unscheduled', false, '{}', '{0,-996,-996,-996}',
          '{null,null,null,null}', '{}', '\\x01', 0
        from generate_series(1, \(count)) i
        """
    }
}
