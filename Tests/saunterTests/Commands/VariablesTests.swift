import Foundation
import SaunterCore
import Testing

@Suite struct `saunter variables` {
    /// A copy of the study with three variables.
    private func study(in folder: TestFolder) throws -> String {
        let questionnaires = URL(filePath: SourceTree.path).appending(path: "Questionnaires")
        let copy = URL(filePath: folder.path).appending(path: "Questionnaires")
        try FileManager.default.copyItem(at: questionnaires, to: copy)
        let study = copy.appending(path: "studies/mindful-walking").path
        let variables = """
            variables:
              - {id: walks, count: {walk: any}}
              - {id: mood, mean: {entry: daily_evening, item: mood}, window: {last: 7d}}
              - {id: by_hour, count: {entry: daily_evening}, by: hour}
            """
        try Data(variables.utf8).write(to: URL(filePath: "\(study)/variables.yaml"))
        return study
    }

    private static let answers =
        #"{"mood": 4, "energy": 3, "stress": 2, "presence": 3, "pausing": 2}"#

    private static func sheet(_ number: Int, _ completedAt: String, _ more: String = "") -> String {
        """
        {"sheet_id": "00000000-0000-4000-8000-00000000000\(number)", "questionnaire": "daily_evening", \
        "completed_at": "\(completedAt)", "answers": \(answers)\(more)}
        """
    }

    private static func participant(_ name: String, _ more: String) -> String {
        """
        {"participant": "\(name)", "enrolled_at": "2026-11-01T08:00:00Z", "time_zone": "Europe/Berlin", \
        "at": "2026-11-21T23:30:00Z"\(more)}
        """
    }

    @Test func `each line of the history gives one line of values`() async throws {
        let folder = try TestFolder()
        let study = try study(in: folder)
        let sheets = ", \"sheets\": [\(Self.sheet(1, "2026-11-21T19:00:00Z"))]"
        let history = try folder.file(
            "history.ndjson", Self.participant("a", sheets) + "\n\n" + Self.participant("b", "") + "\n")

        let run = try await CommandRun.saunter(["variables", study, "--history", history, "--json"])

        #expect(run.status == 0)
        #expect(
            run.lines == [
                #"{"participant":"a","as_of":"2026-11-21T23:30:00.000Z","local_date":"2026-11-22","variables":"#
                    + #"{"walks":{"value":0,"n":0,"reason":null,"window":null,"entries":null,"best":null,"last_on":null},"#
                    + #""mood":{"value":4,"n":1,"reason":null,"window":{"from":"2026-11-16","to":"2026-11-22"},"entries":null,"best":null,"last_on":null},"#
                    + #""by_hour":{"value":null,"n":1,"reason":null,"window":null,"entries":[{"key":"20","value":1,"n":1,"reason":null,"best":null,"last_on":null}],"best":null,"last_on":null}}}"#,
                #"{"participant":"b","as_of":"2026-11-21T23:30:00.000Z","local_date":"2026-11-22","variables":"#
                    + #"{"walks":{"value":0,"n":0,"reason":null,"window":null,"entries":null,"best":null,"last_on":null},"#
                    + #""mood":{"value":null,"n":0,"reason":"too_few","window":{"from":"2026-11-16","to":"2026-11-22"},"entries":null,"best":null,"last_on":null},"#
                    + #""by_hour":{"value":null,"n":0,"reason":null,"window":null,"entries":[],"best":null,"last_on":null}}}"#,
            ])
        withExtendedLifetime(folder) {}
    }

    @Test func `without JSON there is a table`() async throws {
        let folder = try TestFolder()
        let study = try study(in: folder)
        let sheets = ", \"sheets\": [\(Self.sheet(1, "2026-11-21T19:00:00Z"))]"
        let history = try folder.file("history.ndjson", Self.participant("a", sheets))

        let run = try await CommandRun.saunter(["variables", study, "--history", history])

        #expect(
            run.output == """
                a at 2026-11-21T23:30:00.000Z, local date 2026-11-22
                variable  value  n  window                    remark
                walks     0      0
                mood      4      1  2026-11-16 to 2026-11-22
                by_hour          1
                  20      1      1

                """)
        withExtendedLifetime(folder) {}
    }

    @Test func `every fault of a history is reported with its line, and the status is 1`() async throws {
        let folder = try TestFolder()
        let study = try study(in: folder)
        let twice =
            ", \"sheets\": [\(Self.sheet(1, "2026-11-21T19:00:00Z")), \(Self.sheet(1, "2026-11-21T19:00:00Z"))]"
        let wrong =
            ", \"sheets\": [\(Self.sheet(1, "2026-11-21T19:00:00Z").replacing("\"mood\": 4", with: "\"mood\": 99"))]"
        let history = try folder.file(
            "history.ndjson",
            [
                Self.participant("a", ""), "{", Self.participant("b", ", \"sheet\": []"),
                Self.participant("c", twice),
                Self.participant("d", wrong),
            ].joined(separator: "\n"))

        let run = try await CommandRun.saunter(["variables", study, "--history", history, "--json"])

        #expect(run.status == 1)
        #expect(run.lines.count == 1)
        let errors = run.errors.split(separator: "\n").map { $0.replacing(folder.path, with: "") }
        #expect(errors.count == 4)
        #expect(errors.first?.hasPrefix("/history.ndjson:2: : This is not JSON: ") == true)
        #expect(errors.dropFirst().first?.hasPrefix("/history.ndjson:3: /sheet: ") == true)
        #expect(
            errors.dropFirst(2).first
                == "/history.ndjson:4: /sheets/1/revision: The sheet already has this revision.")
        #expect(errors.last?.hasPrefix("/history.ndjson:5: /sheets/0/answers/mood: ") == true)
    }

    @Test func `a folder without a study is rejected`() async throws {
        let folder = try TestFolder()

        let run = try await CommandRun.saunter(["variables", folder.path, "--history", "-"])

        #expect(run.status == 1)
        #expect(run.errors.contains("is not a study's folder"))
    }
}
