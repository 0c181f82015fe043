import Foundation
import HTTPTypes
import Postgres
import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterServer
@testable import SaunterStore

/// The preview and the publication of a draft, and the differences of versions. Each test has its own study.
@Suite struct PublicationRouteTests {
    /// A new study with an editor, who created it.
    private struct NewStudy {
        let editor: APICaller
        let code: String

        var draft: String { "/v1/studies/\(code)/draft" }
        var folder: String { "studies/\(code)/" }

        func preview() async throws -> JSON {
            let answer = try await editor.get("\(draft)/preview")
            try #require(answer.status == 200, "\(answer.text)")
            return answer.json
        }

        func publish(
            revision: Int, moves: Bool = false, confirm: String? = nil, expected: JSON? = nil
        ) async throws -> Answer {
            var body: JSONObject = [
                "confirm": .string(confirm ?? code), "move_enrolments": .bool(moves),
            ]
            if let expected { body["expected"] = expected }
            return try await editor.send(
                .post, "\(draft)/publication", bytes: JSON.object(body).bytes,
                headers: [.contentType: "application/json", .ifMatch: "\"\(revision)\""])
        }

        /// Saves a draft that begins with the live version, with these passages replaced.
        func edit(_ changes: [(file: String, from: String, to: String)], adding: [String: String] = [:])
            async throws -> Int
        {
            let store = editor.server.store
            let draft = try await store.findDraft(of: code)
            var files = draft?.files ?? [:]
            if files.isEmpty {
                let live = try #require(try await store.findStudy(code)).liveVersion
                files = try #require(try await store.findStudyFiles(code, version: live)).files
            }
            for change in changes {
                let text = try #require(files[folder + change.file])
                try #require(text.contains(change.from), "\(change.file)")
                files[folder + change.file] = text.replacing(change.from, with: change.to)
            }
            for (path, text) in adding { files[folder + path] = text }
            let own = try await editor.get("/v1/account").json["account_id"]?.string
            let account = try #require(own.flatMap { AccountID($0) })
            return try await store.saveDraft(
                files, of: code, basedOn: draft?.basedOn, expecting: draft?.revision, by: account,
                now: ServerFixture.now
            ).revision
        }

        /// How often the audit has this action for the study.
        func audited(_ action: String) async throws -> Int {
            try await editor.server.auditEntries(containing: code).count { $0.hasPrefix("\(action) ") }
        }
    }

    private static func withStudy(_ body: @Sendable (NewStudy) async throws -> Void) async throws {
        try await ServerFixture.withCaller { caller in
            var editor = caller
            editor.token = try await caller.server.makeLogin(Grant(role: .editor, study: "pocket-diary"))
                .accessToken
            let code = "p" + UUID().uuidString.lowercased().prefix(18)
            let answer = try await editor.post(
                "/v1/staff/studies",
                [
                    "study": .string(code), "title": "Sleep", "language": "en",
                    "time_zone": "Europe/Zurich", "days": 10,
                ])
            try #require(answer.status == 201, "\(answer.text)")
            try await body(NewStudy(editor: editor, code: code))
        }
    }

    @Test func `the first publication stores the version, ends the draft and is audited`() async throws {
        try await Self.withStudy { study in
            let preview = try await study.preview()
            #expect(
                preview["publishable"] == true && preview["kind"] == "version" && preview["problems"] == [])
            #expect(preview["live_version"]?.isNull == true && preview["numbers"]?["enrolments"] == 0)

            let done = try await study.publish(revision: 1, expected: ["enrolments": 5, "moved": 0])

            #expect(done.status == 200, "\(done.text)")
            #expect(done.json["published"] == true && done.json["version"] == "1.0.0")
            #expect(done.json["draft_ended"] == true && done.json["moved"]?.isNull == true)
            #expect(
                done.json["differs"] == [["name": "enrolments", "expected": 5, "happened": 0]])
            #expect(try await study.editor.get(study.draft).status == 404)
            #expect(try await study.audited("version_published") == 1)
            #expect(try await study.audited("draft_deleted") == 0)
            let versions = try await study.editor.get("/v1/studies/\(study.code)/versions")
            #expect(versions.json["items"]?.array?.map { $0["live"] } == [true])
            #expect(try await study.publish(revision: 1).status == 404)
        }
    }

    @Test func `a stale revision, a wrong code and no precondition publish nothing`() async throws {
        try await Self.withStudy { study in
            (try await study.publish(revision: 2)).expectProblem(412, "precondition-failed")
            let wrong = try await study.publish(revision: 1, confirm: "pocket-diary")
            wrong.expectProblem(422, "body-invalid")
            #expect(wrong.json["errors"]?.array?[0]["pointer"] == "/confirm")
            let open = try await study.editor.post(
                "\(study.draft)/publication", ["confirm": .string(study.code), "move_enrolments": false])
            open.expectProblem(428, "precondition-required")
            #expect(try await study.editor.server.store.findStudy(study.code) == nil)
        }
    }

    @Test func `all problems of a draft are listed, and prevent its publication`() async throws {
        try await Self.withStudy { study in
            #expect(try await study.publish(revision: 1).status == 200)
            // The version and the consent text are taken, and both are reported.
            var revision = try await study.edit([
                ("study.yaml", "days: 10", "days: 11"), ("content/consent.en.md", "# ", "# New: "),
            ])
            var preview = try await study.preview()
            #expect(preview["publishable"] == false && preview["effect"]?.isNull == false)
            let problems = preview["problems"]?.array?.compactMap(\.string) ?? []
            #expect(problems.contains { $0.contains("version 1.0.0 of \(study.code) is already published") })
            let refused = try await study.publish(revision: revision)
            refused.expectProblem(409, "not-publishable")
            #expect(refused.json["problems"] == preview["problems"])

            revision = try await study.edit([
                ("study.yaml", "\nversion: 1.0.0", "\nversion: 1.1.0")
            ])
            preview = try await study.preview()
            #expect(
                preview["problems"]?.array?.compactMap(\.string).contains { $0.contains("consent_version") }
                    == true)

            revision = try await study.edit([("study.yaml", "days: 11", "days: many")])
            preview = try await study.preview()
            #expect(preview["effect"]?.isNull == true && preview["publishable"] == false)
            #expect(
                preview["problems"]?.array?.compactMap(\.string)
                    .contains { $0.hasPrefix("\(study.folder)study.yaml:") } == true)
            (try await study.publish(revision: revision)).expectProblem(409, "not-publishable")
            #expect(try await study.audited("version_published") == 1)
        }
    }

    @Test func `a repetition after each step of an interrupted publication has the same result`() async throws
    {
        try await Self.withStudy { study in
            #expect(try await study.publish(revision: 1).status == 200)
            var ada = try await study.editor.newParticipant(in: study.code)
            ada = try await study.editor.newParticipant(in: study.code)
            let revision = try await study.edit([
                ("study.yaml", "\nversion: 1.0.0", "\nversion: 1.1.0"),
                ("study.yaml", "days: 10", "days: 11"),
            ])
            // What a server has done that was killed after the first two steps: the version is live, and one of two
            // participants follows it. The draft is still there.
            let store = ada.server.store
            let draft = try #require(try await store.findDraft(of: study.code))
            let publication = try StudyPublication(PackFiles(files: draft.files), study: study.code)
            _ = try await publication.publish(to: store, now: ServerFixture.now) { _ in }
            let id = try #require(EnrolmentID(ada.enrolment))
            let enrolment = try #require(try await store.findParticipantState(id, now: ServerFixture.now))
                .enrolment
            _ = try await store.research.write { transaction in
                try await store.setVersion(
                    publication.study, of: enrolment, now: ServerFixture.now, in: transaction)
            }
            #expect(try await study.preview()["kind"] == "version")

            let done = try await study.publish(revision: revision, moves: true)

            #expect(done.status == 200, "\(done.text)")
            #expect(done.json["published"] == false && done.json["moved"] == 1)
            #expect(done.json["remaining"] == 0 && done.json["draft_ended"] == true)
            let versions = try await study.editor.get("/v1/studies/\(study.code)/versions")
            #expect(versions.json["items"]?.array?.map { $0["enrolments"] } == [2, 0])
        }
    }

    @Test func `two publishers at once publish one version`() async throws {
        try await Self.withStudy { study in
            async let first = study.publish(revision: 1)
            async let second = study.publish(revision: 1)
            let answers = [try await first, try await second]

            // The second one finds the published draft, or no draft any more.
            #expect(answers.allSatisfy { [200, 404].contains($0.status) }, "\(answers.map(\.text))")
            #expect(answers.count { $0.json["published"] == true } == 1)
            #expect(try await study.audited("version_published") == 1)
            #expect(try await study.editor.server.store.findDraft(of: study.code) == nil)
        }
    }

    @Test func `a changed library only publishes an edition`() async throws {
        try await Self.withStudy { study in
            #expect(try await study.publish(revision: 1).status == 200)
            let library = """
                title: {en: Sayings}
                fields: {body: text}
                select: {daily: {per: person}, list: true}
                items:
                  - {id: slow, body: Walk slowly.}
                """
            let revision = try await study.edit([], adding: ["library/sayings.yaml": library])
            let preview = try await study.preview()
            #expect(preview["kind"] == "edition" && preview["edition"] == 1 && preview["publishable"] == true)
            let difference = try await study.editor.get("\(study.draft)/difference")
            #expect(difference.json["groups"]?.array?.map { $0["kind"] } == ["library"])

            let done = try await study.publish(revision: revision)

            #expect(done.json["edition"] == 1 && done.json["edition_published"] == true, "\(done.text)")
            #expect(done.json["published"] == false && done.json["kind"] == "edition")
            #expect(try await study.audited("edition_published") == 1)
            #expect(try await study.audited("version_published") == 1)
        }
    }

    @Test func `the difference of two versions names the place`() async throws {
        try await Self.withStudy { study in
            #expect(try await study.publish(revision: 1).status == 200)
            let revision = try await study.edit([
                ("study.yaml", "\nversion: 1.0.0", "\nversion: 1.1.0"),
                ("study.yaml", "days: 10", "days: 11"),
            ])
            #expect(try await study.publish(revision: revision).status == 200)
            let path = "/v1/studies/\(study.code)/versions"
            let difference = try await study.editor.get("\(path)/1.1.0/difference")

            #expect(difference.json["from"] == "1.0.0" && difference.json["to"] == "1.1.0")
            #expect(
                difference.json["groups"]?.array?.first?["changes"]?.array?.map { $0["place"] }
                    == ["version", "days"])
            let first = try await study.editor.get("\(path)/1.0.0/difference")
            #expect(first.json["from"]?.isNull == true && first.json["groups"]?.array?.isEmpty == false)
            let back = try await study.editor.get("\(path)/1.0.0/difference?from=1.1.0")
            #expect(
                back.json["groups"]?.array?.first?["changes"]?.array?.map { $0["after"] } == ["1.0.0", "10"])
            for missing in ["\(path)/2.0.0/difference", "\(path)/1.1.0/difference?from=2.0.0"] {
                (try await study.editor.get(missing)).expectProblem(404, "not-found")
            }
        }
    }

    @Test func `only editors preview and publish, and a member without arms does not read a blinded study`()
        async throws
    {
        try await ServerFixture.withResearcher(of: "hidden-arms") { researcher in
            let path = "/v1/studies/hidden-arms"
            #expect(try await researcher.get("\(path)/versions").status == 200)
            (try await researcher.get("\(path)/versions/1.0.0/difference"))
                .expectProblem(403, "arms-blinded")
            (try await researcher.get("\(path)/draft/difference")).expectProblem(403, "arms-blinded")
            (try await researcher.get("\(path)/draft/preview")).expectProblem(403, "not-permitted")

            var editor = researcher
            editor.token = try await researcher.server.makeLogin(Grant(role: .editor, study: "hidden-arms"))
                .accessToken
            (try await editor.get("\(path)/draft/preview")).expectProblem(403, "arms-blinded")
            let body: JSON = ["confirm": "hidden-arms", "move_enrolments": false]
            (try await editor.post("\(path)/draft/publication", body)).expectProblem(403, "arms-blinded")
            (try await editor.get("/v1/studies/pocket-diary/versions")).expectProblem(404, "not-found")
        }
    }
}
