import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// Imports of questionnaires into drafts. Each test has its own study, which was never published.
@Suite struct DraftImportRouteTests {
    private static let dictionary = """
        Variable / Field Name,Form Name,Field Type,Field Label
        mood,evening,text,Mood?
        scan,evening,file,A scan
        sleep,night,text,Sleep?
        """
    private static let schedule = "schedules: []   # none yet\n"

    private static func studyFile(_ study: String) -> String {
        "code: \(study)\nversion: 1.0.0\ndays: 14   # two weeks\nquestionnaires: []\n"
    }

    /// Runs the body with an editor of a new study that has a draft.
    private static func withEditor(
        _ body: @Sendable @escaping (_ eva: APICaller, _ study: String) async throws -> Void
    ) async throws {
        try await ServerFixture.withCaller { caller in
            let study = "import-\(UUID().uuidString.prefix(8).lowercased())"
            var eva = caller
            eva.token = try await caller.server.makeLogin(Grant(role: .editor, study: study)).accessToken
            let account = try await eva.account()
            let folder = "studies/\(study)/"
            _ = try await caller.server.store.saveDraft(
                [folder + "study.yaml": studyFile(study), folder + "schedule.yaml": schedule], of: study,
                basedOn: nil, expecting: nil, by: account, now: ServerFixture.now)
            try await body(eva, study)
        }
    }

    private static func `import`(
        _ text: String, _ query: String, _ study: String, _ caller: APICaller, tag: String? = "\"1\""
    ) async throws -> Answer {
        var headers: HTTPFields = [.contentType: "application/octet-stream"]
        headers[.ifMatch] = tag
        return try await caller.send(
            .post, "/v1/studies/\(study)/draft/questionnaires?\(query)", bytes: Array(text.utf8),
            headers: headers)
    }

    private static func files(_ caller: APICaller, _ study: String) async throws -> [String: String] {
        try await caller.server.store.findDraft(of: study)?.files ?? [:]
    }

    @Test func `an import adds instruments, references and schedules, and reports what it left out`()
        async throws
    {
        try await Self.withEditor { eva, study in
            let answer = try await Self.import(
                Self.dictionary, "format=redcap&schedule=daily&open=18:00&close=22:00", study, eva)
            let files = try await Self.files(eva, study)

            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.headers[.eTag]?.hasPrefix("\"2") == true)
            #expect(
                answer.json["questionnaires"] == [
                    [
                        "code": "evening", "version": "1.0.0", "questions": 1, "is_new": true,
                        "study": "added", "schedule": "added",
                    ],
                    [
                        "code": "night", "version": "1.0.0", "questions": 1, "is_new": true,
                        "study": "added", "schedule": "added",
                    ],
                ])
            let remark = answer.json["remarks"]?.array?.first
            #expect(remark?["questionnaire"] == "evening" && remark?["place"] == "line 3, Field Type")
            #expect(answer.json["draft"]?["revision"] == 2)
            #expect(
                files["studies/\(study)/study.yaml"]
                    == Self.studyFile(study).replacing(
                        "[]", with: "[{code: evening, version: 1.0.0}, {code: night, version: 1.0.0}]"))
            #expect(files["studies/\(study)/schedule.yaml"]?.hasSuffix("}]   # none yet\n") == true)
            #expect(files["instruments/night/1.0.0/questionnaire.yaml"] != nil)
        }
    }

    @Test func `the same file again changes nothing, and the audit has one entry`() async throws {
        try await Self.withEditor { eva, study in
            let query = "format=redcap&schedule=any_time"
            _ = try await Self.import(Self.dictionary, query, study, eva)
            let again = try await Self.import(Self.dictionary, query, study, eva, tag: "\"2\"")
            let entries = try await eva.server.auditEntries(containing: study)
                .filter { $0.hasPrefix("questionnaire_imported") }

            #expect(again.status == 200 && again.json["draft"]?["revision"] == 2, "\(again.text)")
            #expect(
                again.json["questionnaires"]?.array?.map { $0["study"] } == ["unchanged", "unchanged"])
            #expect(entries.count == 1 && entries[0].contains("evening 1.0.0"), "\(entries)")
        }
    }

    @Test func `other content of a version is refused, or becomes the next version`() async throws {
        try await Self.withEditor { eva, study in
            let changed = Self.dictionary.replacing("Mood?", with: "Your mood?")
            _ = try await Self.import(Self.dictionary, "format=redcap&schedule=any_time", study, eva)
            let refused = try await Self.import(
                changed, "format=redcap&schedule=any_time", study, eva, tag: "\"2\"")
            let next = try await Self.import(
                changed, "format=redcap&schedule=any_time&existing=next_version", study, eva, tag: "\"2\"")

            refused.expectProblem(422, "questionnaire-invalid", [""])
            #expect(refused.text.contains("version 1.0.1"))
            #expect(next.json["questionnaires"]?.array?.map { $0["version"] } == ["1.0.1", "1.0.0"])
            #expect(next.json["questionnaires"]?.array?.map { $0["study"] } == ["changed", "unchanged"])
        }
    }

    @Test func `a file with faults is rejected with all of them, and the draft stays`() async throws {
        try await Self.withEditor { eva, study in
            let before = try await Self.files(eva, study)
            let bundle = """
                {"resourceType": "Bundle", "entry": [
                  {"resource": {"resourceType": "Questionnaire", "name": "good",
                    "item": [{"linkId": "a", "type": "string", "text": "A?"}]}},
                  {"resource": {"resourceType": "Questionnaire", "name": "b"}},
                  {"resource": {"resourceType": "Questionnaire", "name": "c", "item": [{"linkId": "x"}]}}]}
                """
            try await Self.import(bundle, "format=fhir", study, eva).expectProblem(
                422, "questionnaire-invalid", ["/entry/1/resource/item", "/entry/2/resource/item/0"])
            try await Self.import("no,form\n", "format=xlsform", study, eva)
                .expectProblem(422, "questionnaire-invalid", [""])
            try await Self.import("{", "format=fhir", study, eva)
                .expectProblem(422, "questionnaire-invalid", [""])

            #expect(try await Self.files(eva, study) == before)
        }
    }

    @Test func `faults of the query are named together`() async throws {
        try await Self.withEditor { eva, study in
            for (query, pointers) in [
                ("", ["/format"]), ("schedule=daily", ["/format", "/open", "/close"]),
                ("format=redcap&schedule=once&open=18:00", ["/close"]),
                ("format=redcap&schedule=weekly&open=six&close=25:00", ["/open", "/close"]),
                ("format=redcap&schedule=any_time&open=18:00", ["/open"]),
                ("format=word&schedule=hourly&existing=overwrite", ["/format", "/schedule", "/existing"]),
            ] as [(String, Set<String>)] {
                try await Self.import(Self.dictionary, query, study, eva)
                    .expectProblem(400, "request-invalid", pointers)
            }
        }
    }

    @Test func `only editors change the current revision of a draft`() async throws {
        try await Self.withEditor { eva, study in
            func member(_ role: Role, of study: String) async throws -> APICaller {
                var member = eva
                member.token = try await eva.server.makeLogin(Grant(role: role, study: study)).accessToken
                return member
            }
            let query = "format=redcap"
            let researcher = try await member(.researcher, of: study)
            let stranger = try await member(.editor, of: "small-steps")
            let newcomer = try await member(.editor, of: "no-draft-here")
            let blinded = try await member(.editor, of: "hidden-arms")

            try await Self.import(Self.dictionary, query, study, eva, tag: nil)
                .expectProblem(428, "precondition-required")
            try await Self.import(Self.dictionary, query, study, eva, tag: "\"2\"")
                .expectProblem(412, "precondition-failed")
            try await Self.import(Self.dictionary, query, study, researcher)
                .expectProblem(403, "not-permitted")
            try await Self.import(Self.dictionary, query, study, stranger).expectProblem(404, "not-found")
            try await Self.import(Self.dictionary, query, "no-draft-here", newcomer)
                .expectProblem(404, "not-found")
            try await Self.import(Self.dictionary, query, "hidden-arms", blinded)
                .expectProblem(403, "arms-blinded")
        }
    }

    @Test func `a file above the limit is rejected before it is read`() async throws {
        try await Self.withEditor { eva, study in
            let file = String(repeating: " ", count: BodyRule.questionnairesLimit + 1)
            try await Self.import(file, "format=redcap", study, eva).expectProblem(413, "body-too-large")
        }
    }
}
