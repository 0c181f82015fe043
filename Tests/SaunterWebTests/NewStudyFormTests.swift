import SaunterCore
import SaunterServer
import Testing

@testable import SaunterWeb

/// The form that creates a study, and the page of its draft.
@Suite struct NewStudyFormTests {
    private static let filled = [
        "study": " Sleep-And-Mood ", "title": " Sleep ", "language": "en", "time_zone": "Europe/Berlin",
        "days": "14",
    ]
    private let words: Words.Language

    init() throws {
        words = try #require(try Words(WebFiles(folder: nil)).languages.first)
    }

    private func form(_ changes: [String: String] = [:]) -> NewStudyForm {
        let values = Self.filled.merging(changes, uniquingKeysWith: { $1 })
        return NewStudyForm { values[$0] ?? "" }
    }

    @Test func `the body has the values without blanks around them`() {
        #expect(
            form().body == [
                "study": "sleep-and-mood", "title": "Sleep", "language": "en", "time_zone": "Europe/Berlin",
                "days": 14,
            ])
        #expect(form().faults(words).isEmpty)
    }

    @Test func `a study can begin in any language, and the field suggests some by name`() {
        let model = form(["language": "pt-BR"]).model(words, isOpen: true)
        let names = (model["languages"] as? [[String: String]])?.compactMap { $0["name"] }

        #expect(form(["language": "pt-BR"]).body["language"]?.string == "pt-BR")
        #expect(model["language"] as? String == "pt-BR")
        #expect(names?.prefix(2) == ["English", "German"] && names?.contains("French") == true)
    }

    @Test(
        arguments: [
            ("study", ""), ("study", "1st"), ("study", "sleep_mood"),
            ("study", String(repeating: "a", count: 41)),
            ("title", " "), ("language", ""), ("time_zone", ""), ("days", "0"), ("days", "soon"),
        ])
    func `a value that cannot be right is reported at its field`(field: String, value: String) {
        let model = form([field: value]).faults(words).model
        #expect((model["fault"] as? [String: String])?.keys.sorted() == [field])
    }

    @Test func `faults of the route are at their fields`() {
        var faults = FormFaults(words)
        let problem = Problem(
            .bodyInvalid, "There are 2 faults.",
            faults: [
                Fault(pointer: "/time_zone", code: "unknown", detail: "There is no such zone."),
                Fault(pointer: "/other", code: "unknown", detail: "Something else."),
            ])
        form().add(problem, to: &faults, words)

        let errors = faults.model["errors"] as? [[String: Any]]
        #expect(errors?.map { $0["field"] as? String } == ["time_zone", nil])
        #expect(errors?.last?["text"] as? String == "Something else.")
    }

    @Test func `a fault of a draft leads to its line in the editor`() throws {
        let draft = DraftView(
            [
                "study": "rest", "revision": 3, "version": "1.1.0", "title": "Rest", "based_on": "1.0.0",
                "publishable": false,
                "files": [
                    ["path": "studies/rest/study.yaml", "bytes": 1200, "changed": "changed", "faults": 1]
                ],
                "removed": ["studies/rest/rules.yaml"],
                "faults": [
                    ["file": "studies/rest/study.yaml", "line": 12, "message": "“days” is missing"],
                    ["file": "", "line": 1, "message": "there is no study"],
                ],
            ], study: "rest", words)

        let places = draft.faults.map { $0["at"] as? [String: String] }
        #expect(places.first??["text"] == "studies/rest/study.yaml:12")
        #expect(
            places.first??["address"] == "/staff/rest/draft/file?path=studies/rest/study.yaml&line=12#text")
        #expect(places.last == .some(nil))
        let rows = draft.table(asOf: Instant(milliseconds: 0)).rows
        #expect(rows.count == 2)
        guard case .link("studies/rest/study.yaml", address: let address) = rows[0][0] else {
            Issue.record("the file is no link")
            return
        }
        #expect(address == "/staff/rest/draft/file?path=studies/rest/study.yaml")
    }

    @Test func `the excerpt of a file has the line and its neighbours`() throws {
        let excerpt = try #require(DraftFilePage.excerpt(of: "a\r\nb\r\nc\nd\ne", around: 4))
        let lines = try #require(excerpt["lines"] as? [[String: Any]])
        #expect(lines.map { $0["text"] as? String } == ["b", "c", "d", "e"])
        #expect(lines.map { $0["marked"] as? Bool } == [false, false, true, false])
        #expect(DraftFilePage.excerpt(of: "a", around: 2) == nil)
        #expect(DraftFilePage.excerpt(of: "a", around: 0) == nil)
    }
}
