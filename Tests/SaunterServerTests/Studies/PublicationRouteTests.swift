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
            return try await store.saveDraft(
                files, of: code, basedOn: draft?.basedOn, expecting: draft?.revision,
                by: try await editor.account(), now: ServerFixture.now
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
            #expect(done.json["moved"]?.isNull == true && done.json["superseded_by"]?.isNull == true)
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

    @Test func `a draft whose version was published by the command ends, and moves the other participants`()
        async throws
    {
        try await Self.withStudy { study in
            #expect(try await study.publish(revision: 1).status == 200)
            var ada = try await study.editor.newParticipant(in: study.code)
            ada = try await study.editor.newParticipant(in: study.code)
            let revision = try await study.edit([
                ("study.yaml", "\nversion: 1.0.0", "\nversion: 1.1.0"),
                ("study.yaml", "days: 10", "days: 11"),
            ])
            // `saunter publish` has published the same files and was killed: the version is live, and one of two
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
            #expect(done.json["remaining"] == 0 && done.json["superseded_by"]?.isNull == true)
            #expect(try await study.editor.get(study.draft).status == 404)
            // The version was live already. The move has another entry.
            #expect(try await study.audited("version_published") == 1)
            #expect(try await study.audited("enrolments_moved") == 1)
            let versions = try await study.editor.get("/v1/studies/\(study.code)/versions")
            #expect(versions.json["items"]?.array?.map { $0["enrolments"] } == [2, 0])
        }
    }

    @Test func `two publishers at once publish one version`() async throws {
        try await Self.withStudy { study in
            async let first = study.publish(revision: 1)
            async let second = study.publish(revision: 1)
            let answers = [try await first, try await second]

            // One transaction publishes the draft and ends it, so the second one finds no draft any more.
            #expect(answers.count { $0.status == 404 } == 1)
            #expect(answers.allSatisfy { [200, 404].contains($0.status) }, "\(answers.map(\.text))")
            #expect(answers.count { $0.json["published"] == true } == 1)
            #expect(try await study.audited("version_published") == 1)
            #expect(try await study.editor.server.store.findDraft(of: study.code) == nil)
        }
    }

    @Test func `participants who are left follow the live version later, also beside a changed draft`()
        async throws
    {
        try await Self.withStudy { study in
            #expect(try await study.publish(revision: 1).status == 200)
            for _ in 0..<2 { _ = try await study.editor.newParticipant(in: study.code) }
            let revision = try await study.edit([
                ("study.yaml", "\nversion: 1.0.0", "\nversion: 1.1.0"),
                ("study.yaml", "days: 10", "days: 11"),
            ])
            #expect(try await study.publish(revision: revision).status == 200)
            // Another editor works at the next version meanwhile.
            _ = try await study.edit([("study.yaml", "\nversion: 1.1.0", "\nversion: 1.2.0")])
            let versions = "/v1/studies/\(study.code)/versions"
            #expect(try await study.editor.get(versions).json["behind"] == 2)
            func move(_ version: String, confirm: String? = nil) async throws -> Answer {
                try await study.editor.post(
                    "\(versions)/\(version)/moves", ["confirm": .string(confirm ?? study.code)])
            }
            (try await move("1.1.0", confirm: "pocket-diary")).expectProblem(
                422, "body-invalid", ["/confirm"])
            (try await move("1.0.0")).expectProblem(409, "version-not-live")
            (try await move("9.9.9")).expectProblem(404, "not-found")
            let researcher = try await study.editor.member(.researcher, of: study.code)
            (try await researcher.post("\(versions)/1.1.0/moves", ["confirm": .string(study.code)]))
                .expectProblem(403, "not-permitted")
            #expect(try await study.audited("enrolments_moved") == 0)

            let done = try await move("1.1.0")

            #expect(done.status == 200, "\(done.text)")
            #expect(done.json["moved"] == 2 && done.json["remaining"] == 0)
            #expect(done.json["superseded_by"]?.isNull == true)
            #expect(try await study.editor.get(versions).json["behind"] == 0)
            #expect(try await move("1.1.0").json["moved"] == 0)
            #expect(try await study.audited("enrolments_moved") == 1)
            #expect(try await study.preview()["version"] == "1.2.0")
        }
    }

    @Test func `a newer edition of the library is taken over before the draft is published`() async throws {
        try await Self.withStudy { study in
            func sayings(_ words: String) -> String {
                """
                title: {en: Sayings}
                fields: {body: text}
                select: {daily: {per: person}, list: true}
                items:
                  - {id: slow, body: \(words)}

                """
            }
            let store = study.editor.server.store
            let path = "library/sayings.yaml"
            let first = try await study.edit([], adding: [path: sayings("Walk.")])
            #expect(try await study.publish(revision: first).json["edition"] == 1)
            let started = try await study.editor.post(study.draft, [:])
            let revision = try #require(started.json["revision"]?.int)
            #expect(try await study.preview()["library"]?.isNull == true)
            // `saunter publish --library-only`
            let draft = try #require(try await store.findDraft(of: study.code))
            #expect(draft.edition == 1)
            var files = draft.files
            files[study.folder + path] = sayings("Walk slowly.")
            let other = try StudyPublication(PackFiles(files: files), study: study.code)
            _ = try await store.publish(try #require(other.edition), now: ServerFixture.now)

            (try await study.publish(revision: revision)).expectProblem(409, "edition-outdated")
            let preview = try await study.preview()
            #expect(preview["publishable"] == false && preview["problems"] == [])
            #expect(preview["library"]?["base"] == 1 && preview["library"]?["live"] == 2)
            #expect(preview["library"]?["taken_over"] == [.string(study.folder + path)])
            let route = "\(study.draft)/library"
            (try await study.editor.send(.post, route)).expectProblem(428, "precondition-required")
            let taken = try await study.editor.send(
                .post, route, bytes: nil, headers: [.ifMatch: "\"\(revision)\""])
            #expect(taken.status == 200, "\(taken.text)")
            #expect(taken.json["revision"] == .int(revision + 1) && taken.json["library"]?["kept"] == [])

            #expect(
                try await store.findDraft(of: study.code)?.files[study.folder + path]
                    == sayings("Walk slowly."))
            #expect(try await study.preview()["library"]?.isNull == true)
            let mine = try await study.edit([(path, "Walk slowly.", "Walk very slowly.")])
            #expect(try await study.publish(revision: mine).json["edition"] == 3)
        }
    }

    @Test func `every version is listed, page by page`() async throws {
        try await Self.withStudy { study in
            let store = study.editor.server.store
            let files = try #require(try await store.findDraft(of: study.code)).files
            // Each has other digits in its version. The last one is that of the files.
            for number in (0..<120).reversed() {
                let version = number == 0 ? "1.0.0" : "0.\(number).0"
                _ = try await store.publish(
                    Publication(
                        study: study.code, version: version, digest: "d\(number)", files: files,
                        instruments: []), now: ServerFixture.now.adding(seconds: 1000 - number))
            }
            var found: [String] = []
            var query = "limit=50"
            while true {
                let page = try await study.editor.get("/v1/studies/\(study.code)/versions?\(query)").json
                found += (page["items"]?.array ?? []).compactMap { $0["version"]?.string }
                guard let next = page["next"]?.string else { break }
                query = "limit=50&cursor=\(next)"
            }

            #expect(found.count == 120 && Set(found).count == 120)
            #expect(found.first == "1.0.0" && found.last == "0.119.0")
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
