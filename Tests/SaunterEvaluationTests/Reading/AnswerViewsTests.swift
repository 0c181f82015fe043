import Foundation
import Postgres
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct AnswerViewsTests {
    private static func withViews(_ test: (Garden) async throws -> Void) async throws {
        try await Garden.with { garden in
            try await garden.change(
                """
                insert into research.questionnaire_version (questionnaire, version, digest, structure, published_at)
                values ('mood', '1.0.0', '', '{}', now()), ('mood', '1.1.0', '', '{}', now())
                """)
            // The version of the study meadow cannot be read. That of the garden gets its views all the same.
            await #expect(throws: DatasetFault.self) {
                try await AnswerViews.createMissing(in: garden.research)
            }
            try await test(garden)
        }
    }

    @Test func `views are created once, and the role of exports may read them`() async throws {
        try await Self.withViews { garden in
            #expect(try await AnswerViews.createMissing(in: garden.research) == 0)
            let rows = try await garden.export.query(
                Statement(name: "test", sql: "select count(*) as value from answers.mood_1_0_0"))
            #expect(try rows.one().get("value", as: Int.self) > 0)
        }
    }

    @Test func `a view has the values of the wide file and the reasons for blanks`() async throws {
        try await Self.withViews { garden in
            try await garden.dataset(profile: .full) { folder, _ in
                var compared = 0
                for version in ["1.0.0", "1.1.0"] {
                    let view = "answers.mood_\(version.replacing(".", with: "_"))"
                    let wide = try TableRows(folder + "/data/wide_mood.csv").filter {
                        $0["version"] == version
                    }
                    let missing = try TableRows(folder + "/data/wide_mood_missing.csv").filter {
                        $0["version"] == version
                    }
                    let columns = try await garden.research.query(
                        Statement(
                            name: "test",
                            sql: """
                                select attname::text as name from pg_attribute
                                where attrelid = '\(view)'::regclass and attnum > 0
                                """)
                    ).map { try $0.get("name", as: String.self) }
                    for (row, reasons) in zip(wide, missing) {
                        let sheet = try #require(row["sheet_id"]).dropFirst()
                        for column in columns.drop(while: { $0 != "standing" }).dropFirst() {
                            let isReason = column.hasSuffix("__missing")
                            let name = isReason ? String(column.dropLast("__missing".count)) : column
                            guard let expected = (isReason ? reasons : row)[name] else { continue }
                            let found = try await garden.value(
                                """
                                select coalesce((select case pg_typeof(\(column))::text
                                  when 'boolean' then case \(column)::text when 'true' then '1' when 'false' then '0' end
                                  when 'timestamp with time zone' then
                                    research.instant_text(\(column)::text::timestamptz)
                                  else \(column)::text end
                                from \(view) where sheet_id = '\(sheet)' and counts), '')
                                """)
                            #expect(found == expected, "\(view) \(sheet) \(column)")
                            compared += 1
                        }
                    }
                }
                #expect(compared > 50)
            }
        }
    }

    @Test func `columns have the types of their items`() async throws {
        try await Self.withViews { garden in
            let types = try await garden.research.query(
                Statement(
                    name: "test",
                    sql: """
                        select attname || ' ' || format_type(atttypid, atttypmod) as text from pg_attribute
                        where attrelid = 'answers.mood_1_0_0'::regclass and attnum > 0
                        """)
            ).map { try $0.get("text", as: String.self) }
            for expected in [
                "feel integer", "why__work boolean", "calm boolean", "minutes bigint", "day date",
                "at time without time zone", "moment timestamp with time zone", "place text", "note text",
                "feel__missing text", "submitted_at timestamp with time zone", "submitted_on date",
            ] {
                #expect(types.contains(expected), "\(expected)")
            }
        }
    }

    @Test func `the longest questionnaires have a view with their first columns`() async throws {
        try await Garden.with { garden in
            let items = (1...1000).map { number in
                var item = Item(linkId: "i\(number)", type: .choice)
                item.answerOption = (0...2).map { ResponseOption(value: .integer($0)) }
                return item
            }
            let questionnaire = Questionnaire(
                code: "long", version: "1.0.0", item: items, text: [:], languages: ["en"])
            try await garden.change(AnswerViews.script(for: questionnaire))
            let count = try await garden.value(
                "select count(*) from pg_attribute where attrelid = 'answers.long_1_0_0'::regclass and attnum > 0"
            )
            #expect(count == "1600")
        }
    }

    @Test func `a free text is in the view`() async throws {
        try await Self.withViews { garden in
            let note = try await garden.value(
                "select note from answers.mood_1_0_0 where sheet_id::text like '%c1' and rev = 1")
            #expect(note == "first")
        }
    }
}
