import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct REDCapDictionaryTests {
    @Test func `every item of the newest version is a field with its options and conditions`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let path = folder + "/meta/redcap_data_dictionary.csv"
                var reader = CSVReader(try String(contentsOfFile: path, encoding: .utf8))
                #expect(try reader.next()?.fields.count == 18)
                var fields: [String: [String: String]] = [:]
                for row in try TableRows(path) { fields[row["Variable / Field Name"] ?? ""] = row }
                let choices = "Choices, Calculations, OR Slider Labels"

                #expect(fields["mood_feel"]?[choices] == "3, good | 2, so-so | 1, bad")
                #expect(fields["mood_feel"]?["Required Field?"] == "y")
                #expect(fields["mood_why"]?["Field Type"] == "checkbox")
                #expect(
                    fields["mood_why"]?["Branching Logic (Show field only if...)"] == "[mood_feel] <= '2'")
                #expect(fields["mood_minutes"]?["Text Validation Type OR Show Slider Number"] == "integer")
                #expect(fields["mood_minutes"]?["Text Validation Min"] == "0")
                #expect(fields["mood_note"]?["Field Type"] == "notes")
                #expect(fields.keys.allSatisfy(ColumnName.isValid))
                #expect(fields["mood_weight"] == nil)
            }
        }
    }
}
