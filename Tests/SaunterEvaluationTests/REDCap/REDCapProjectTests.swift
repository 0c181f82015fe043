import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct REDCapProjectTests {
    @Test func `names are unique, and the dictionary names each field`() async throws {
        try await Garden.with { garden in
            let project = REDCapProject(
                try await DatasetReader(pool: garden.export).definitions(of: "garden"))
            let columns = project.fields.flatMap(\.recordColumns).map(\.name)

            #expect(project.fields.first?.name == "record_id")
            #expect(Set(columns).count == columns.count)
            #expect(
                project.fields.allSatisfy {
                    $0.dictionary.map { $0.count == 18 } ?? $0.name.hasSuffix("_complete")
                })
            #expect(columns.contains("mood_why___money") && columns.contains("mood_version____1") == false)
            // A retired item and a retired option keep their fields.
            #expect(columns.contains("mood_weight") && columns.contains("mood_why___home"))
            #expect(project.events.map(\.uniqueName).contains("daily_arm_2"))
            // Scores are numbers that cannot be edited.
            let feeling = try #require(project.fields.first { $0.name == "mood_feeling" }?.dictionary)
            #expect(feeling[3] == "text" && feeling[7] == "number" && feeling[17] == "@READONLY")
        }
    }

    @Test(arguments: [("Mood", "mood"), ("1st", "f_1st"), ("a-b", "a_b"), ("", "f_"), ("ä", "f___")])
    func `a name has letters, digits and underscores`(wanted: String, name: String) {
        var names = REDCapNames()
        #expect(names.makeName(wanted, of: wanted) == name)
        #expect(names.makeName(wanted, of: "other") != name)
    }

    @Test func `records contain the sheets that count, each in its event with its instance`() async throws {
        let records = try await Self.read(REDCapSelection())
        let rows = try #require(JSONReader.read(records).array)
        let sheets = rows.filter { $0["redcap_repeat_instrument"]?.string == "mood" }

        #expect(rows.count == 13 && sheets.count == 3)
        #expect(
            sheets.map { $0["redcap_event_name"]?.string } == [
                "daily_arm_1", "daily_arm_1", "unscheduled_arm_2",
            ])
        // The duplicate between them has instance 2.
        #expect(sheets.map { $0["redcap_repeat_instance"]?.int } == [1, 3, 1])
        #expect(sheets[0]["mood_feel"]?.string == "2" && sheets[0]["mood_why___work"]?.string == "1")
        #expect(sheets[0]["mood_note"]?.string == "=1+1, \"quoted\"\nand a second line – ü")
        #expect(sheets[1]["mood_why___work"]?.string == "")
        // The same scores as in scores.csv; a score that could not be computed is blank.
        #expect(sheets.map { $0["mood_feeling"]?.string } == ["0.2", "0.3", "0.1"])
        #expect(sheets.map { $0["mood_reasons"]?.string } == ["2", "", "1"])
        #expect(
            rows[0]["enrolment_arm"]?.string == "plants" && rows[0]["redcap_repeat_instance"]?.string == "")
        #expect(!records.contains("P003") && !records.contains("to be gone"))
    }

    @Test func `values, labels and reasons are written as requested`() async throws {
        var selection = REDCapSelection()
        selection.format = .csv(UInt8(ascii: ","))
        selection.shape = .values
        selection.fields = ["mood_why"]
        let values = try await Self.read(selection)
        #expect(values.split(separator: "\n").dropFirst().allSatisfy { $0.contains(",mood_why,") })

        selection.shape = .flat
        selection.fields = ["mood_calm", "mood_why"]
        selection.includesReasons = true
        let text = try await Self.read(selection)
        #expect(text.contains("refused") && text.contains("not_shown"))

        selection.includesReasons = false
        selection.usesLabels = true
        #expect(try await Self.read(selection).contains("Checked"))
    }

    @Test func `participants without a change in the period are not included`() async throws {
        var selection = REDCapSelection()
        selection.fields = ["record_id"]
        selection.changed = (try #require(Instant("2026-03-30T02:00:00Z")), .maximum)
        let late = try await Self.read(selection)
        #expect(late.contains("P002") && !late.contains("P001"))

        selection.changed = (try #require(Instant("2026-04-01T00:00:00Z")), .maximum)
        #expect(try await Self.read(selection) == "[]")
    }

    private static func read(_ selection: REDCapSelection) async throws -> String {
        var bytes: [UInt8] = []
        try await Garden.with { garden in
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            _ = try await StudyRescoring(pool: garden.research).run(study: "garden")
            var read: [UInt8] = []
            try await DatasetReader(pool: garden.export)
                .read("garden", profile: .coded, now: Garden.now) { reading in
                    try await REDCapRecords(reading, REDCapProject(reading.definitions), selection)
                        .write(into: folder) { read += $0 }
                }
            bytes = read
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
