import Foundation
import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore
import Testing

@testable import SaunterServer

/// Drafts over the routes. Each test creates its own study, because a study has at most one draft.
@Suite struct DraftRouteTests {
    private static let zip: HTTPFields = [.contentType: "application/zip"]

    /// Runs the body with an editor of another study who has created a study, and the path of its draft.
    private static func withStudy(
        language: String = "en",
        _ body: @Sendable (_ editor: APICaller, _ study: String, _ draft: String) async throws -> Void
    ) async throws {
        try await ServerFixture.withCaller { caller in
            var editor = caller
            editor.token = try await caller.server.makeLogin(Grant(role: .editor, study: "pocket-diary"))
                .accessToken
            let study = "s" + UUID().uuidString.lowercased().prefix(18)
            let answer = try await editor.post(
                "/v1/staff/studies",
                [
                    "study": .string(study), "title": "Sleep: a diary", "language": .string(language),
                    "time_zone": "Europe/Zurich", "days": 10,
                ])
            try #require(answer.status == 201, "\(answer.text)")
            #expect(answer.json["study"]?.string == study)
            try await body(editor, study, "/v1/studies/\(study)/draft")
        }
    }

    private static func put(
        _ editor: APICaller, _ path: String, _ body: JSON, match: String?
    ) async throws -> Answer {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let match { headers[.ifMatch] = match }
        return try await editor.send(.put, path, bytes: body.bytes, headers: headers)
    }

    @Test(arguments: [
        ("en", "every evening for 10 days"), ("de", "10 Tage lang jeden Abend"), ("fr", "10 days"),
    ])
    func `a new study is a draft without faults in its language`(language: String, consent: String)
        async throws
    {
        try await Self.withStudy(language: language) { editor, study, draft in
            let state = try await editor.get(draft)

            #expect(state.status == 200)
            #expect(state.json["faults"] == [] && state.json["publishable"] == true)
            #expect(state.json["revision"] == 1 && state.json["based_on"]?.isNull == true)
            #expect(
                state.json["title"]?.string == "Sleep: a diary" && state.json["version"]?.string == "1.0.0")
            let files = state.json["files"]?.array ?? []
            #expect(files.count == 9 && files.allSatisfy { $0["changed"] == "added" })
            let path = "studies/\(study)/content/consent.\(language).md"
            let text = try await editor.get("\(draft)/file?path=\(path)")
            #expect(text.json["text"]?.string?.contains(consent) == true)
            let listed = try await editor.get("/v1/staff/studies?q=\(study)")
            #expect(listed.json["unpublished"]?.array?[0]["title"]?.string == "Sleep: a diary")
            #expect(listed.json["items"] == [])
        }
    }

    @Test func `all faults of a new study are reported, and a code is used once`() async throws {
        try await Self.withStudy { editor, study, _ in
            let body: JSON = [
                "study": "Not a code", "title": " ", "language": "english!", "time_zone": "Europe/Zurich",
                "days": 10,
            ]
            try await editor.post("/v1/staff/studies", body).expectProblem(
                422, "body-invalid", ["/study", "/title", "/language"])
            let digit: JSON = [
                "study": "1-study", "title": "x", "language": "DE", "time_zone": "UTC", "days": 1,
            ]
            try await editor.post("/v1/staff/studies", digit).expectProblem(
                422, "body-invalid", ["/study", "/language"])
            for code in [study, "mindful-walking"] {
                let taken: JSON = [
                    "study": .string(code), "title": "x", "language": "en", "time_zone": "UTC", "days": 1,
                ]
                try await editor.post("/v1/staff/studies", taken).expectProblem(409, "study-taken")
            }
            var rosa = editor
            rosa.token = try await editor.server.makeLogin(Grant(role: .researcher, study: "pocket-diary"))
                .accessToken
            let other: JSON = [
                "study": "rosas-study", "title": "x", "language": "en", "time_zone": "UTC", "days": 1,
            ]
            try await rosa.post("/v1/staff/studies", other).expectProblem(403, "not-permitted")
        }
    }

    @Test func `every change needs the current revision`() async throws {
        try await Self.withStudy { editor, study, draft in
            let path = "\(draft)/file?path=studies/\(study)/schedule.yaml"
            try await Self.put(editor, path, ["text": "x"], match: nil).expectProblem(
                428, "precondition-required")

            let saved = try await Self.put(editor, path, ["text": "schedules: [\n"], match: "\"1\"")

            #expect(saved.status == 200 && saved.json["revision"] == 2)
            #expect(saved.json["publishable"] == false)
            let fault = saved.json["faults"]?.array?.first {
                $0["file"]?.string?.hasSuffix("schedule.yaml") == true
            }
            #expect((fault?["line"]?.int ?? 0) >= 1)
            try await Self.put(editor, path, ["text": "y"], match: "\"1\"").expectProblem(
                412, "precondition-failed")
            let values: JSON = ["changes": [["file": "a.yaml", "pointer": "/a", "value": 1]]]
            try await Self.put(editor, "\(draft)/values", values, match: "\"1\"").expectProblem(
                412, "precondition-failed")
            try await editor.send(.delete, path).expectProblem(428, "precondition-required")
            try await editor.send(.delete, draft).expectProblem(428, "precondition-required")
            let tag = try #require(try await editor.get(draft).headers[.eTag])
            #expect(tag.hasPrefix("\"2"))
            let deleted = try await editor.send(.delete, draft, bytes: nil, headers: [.ifMatch: tag])
            #expect(deleted.status == 204)
            try await editor.get(draft).expectProblem(404, "not-found")
        }
    }

    @Test(arguments: ["code: other\n", "languages: []\n", "languages: [\n", "- a\n", ""])
    func `a description without languages is saved with its faults`(text: String) async throws {
        try await Self.withStudy { editor, study, draft in
            let path = "\(draft)/file?path=studies/\(study)/study.yaml"

            let saved = try await Self.put(editor, path, ["text": .string(text)], match: "\"1\"")

            #expect(saved.status == 200 && saved.json["publishable"] == false, "\(saved.text)")
            #expect(saved.json["title"]?.string == "Sleep: a diary")
            #expect(try await editor.get("\(draft)/outline").status == 200)
        }
    }

    @Test func `a path outside of the pack is rejected`() async throws {
        try await Self.withStudy { editor, study, draft in
            for path in [
                "", "?path=", "?path=study.yaml", "?path=studies/other/study.yaml",
                "?path=studies/\(study)/../x", "?path=/studies/\(study)/x", "?path=studies/\(study)/.git/x",
                "?path=studies/\(study)/a%00b", "?path=studies/\(study)/a%5Cb", "?path=instruments/x/1/a",
                "?path=studies/\(study)//x", "?path=studies/\(study)/",
            ] {
                try await Self.put(editor, "\(draft)/file\(path)", ["text": "x"], match: "\"1\"")
                    .expectProblem(
                        400, "request-invalid")
            }
            #expect(try await editor.get(draft).json["revision"] == 1)
        }
    }

    @Test func `media are bytes, and texts are UTF-8 without U+0000`() async throws {
        try await Self.withStudy { editor, study, draft in
            let media = "\(draft)/file?path=studies/\(study)/media/a.png"
            let bytes: HTTPFields = [.contentType: "application/octet-stream", .ifMatch: "\"1\""]
            let picture: [UInt8] =
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
                + [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0, 255, 0, 1]
            let saved = try await editor.send(.put, media, bytes: picture, headers: bytes)
            #expect(saved.status == 200, "\(saved.text)")
            let file = try await editor.get(media)
            #expect(file.json["text"]?.isNull == true && file.json["bytes"] == 33)
            #expect(file.json["media_type"] == "image/png")

            let text = "\(draft)/file?path=studies/\(study)/README.md"
            let next: HTTPFields = [.contentType: "application/octet-stream", .ifMatch: "\"2\""]
            try await editor.send(.put, text, bytes: [0x61, 0xFF], headers: next).expectProblem(
                422, "draft-invalid")
            try await editor.send(.put, text, bytes: [0x61, 0x00], headers: next).expectProblem(
                422, "draft-invalid")
            let large = [UInt8](repeating: 0x61, count: (1 << 20) + 1)
            try await editor.send(.put, text, bytes: large, headers: next).expectProblem(422, "draft-invalid")
            try await Self.put(editor, media, ["text": "x"], match: "\"2\"").expectProblem(
                422, "body-invalid", ["/text"])
            #expect(try await editor.get(draft).json["revision"] == 2)
        }
    }

    @Test func `values change in place, and all impossible changes are reported together`() async throws {
        try await Self.withStudy { editor, study, draft in
            let file = "studies/\(study)/study.yaml"
            let words = "studies/\(study)/content/text.en.yaml"
            let before = try await editor.get("\(draft)/file?path=\(file)").json["text"]?.string ?? ""
            let wrong: JSON = [
                "changes": [
                    ["file": .string(file), "pointer": "/version", "value": "9.0.0"],
                    ["file": .string(file), "pointer": "/arms", "value": "x"],
                    ["file": "studies/none.yaml", "pointer": "/a", "value": 1],
                ]
            ]
            try await Self.put(editor, "\(draft)/values", wrong, match: "\"1\"").expectProblem(
                422, "draft-invalid", ["/changes/1/pointer", "/changes/2/file"])

            let changes: JSON = [
                "changes": [
                    ["file": .string(file), "pointer": "/version", "value": "1.1.0"],
                    ["file": .string(words), "pointer": "/summary", "value": "One\r\nTwo"],
                    ["file": .string(words), "pointer": "/short_name", "value": "Sleep"],
                ]
            ]
            let saved = try await Self.put(editor, "\(draft)/values", changes, match: "\"1\"")

            #expect(saved.status == 200 && saved.json["revision"] == 2 && saved.json["faults"] == [])
            #expect(saved.json["version"]?.string == "1.1.0")
            let after = try await editor.get("\(draft)/file?path=\(file)").json["text"]?.string
            #expect(after == before.replacing("\nversion: 1.0.0", with: "\nversion: 1.1.0"))
            let outline = try await editor.get("\(draft)/outline")
            #expect(outline.json["version"]?.string == "1.1.0")
            let entries = outline.json["text"]?.array?.first { $0["file"]?.string == words }?["entries"]?
                .array
            #expect(entries?.first { $0["pointer"] == "/summary" }?["text"]?.string == "One\nTwo")
            #expect(
                outline.json["questionnaires"]?.array?[0]["items"]?.array?[0]["link_id"]?.string == "mood")
            let fields = outline.json["schedules"]?.array?[0]["fields"]?.array ?? []
            let open = fields.first { $0["name"] == "slots/0/open" }
            #expect(open?["kind"] == "time" && open?["value"]?.string == "17:00")
            let settings = outline.json["settings"]?.array ?? []
            #expect(
                settings.compactMap { $0["pointer"]?.string } == [
                    "/days", "/target", "/reminder/at", "/reminder/quiet_from", "/reminder/quiet_to",
                    "/reminder/most_per_day", "/reminder/channels",
                ])
            #expect(settings.first { $0["name"] == "target" }?["value"] == .null)
            #expect(settings.first { $0["name"] == "reminder/at" }?["value"]?.string == "18:30")
            #expect(settings.last?["value"] == ["push", "mail"] && settings.last?["kind"] == "channels")
        }
    }

    @Test func `channels of reminders are added, removed and put in another order as one list`() async throws
    {
        try await Self.withStudy { editor, study, draft in
            let file = "studies/\(study)/study.yaml"
            func text() async throws -> String {
                try #require(try await editor.get("\(draft)/file?path=\(file)").json["text"]?.string)
            }
            func put(_ value: JSON, match: String, _ pointer: String = "/reminder/channels") async throws
                -> Answer
            {
                let changes: JSON = [
                    "changes": [["file": .string(file), "pointer": .string(pointer), "value": value]]
                ]
                return try await Self.put(editor, "\(draft)/values", changes, match: match)
            }
            let before = try await text()

            let saved = try await put(["mail", "in_app", "webhook"], match: "\"1\"")

            #expect(saved.status == 200 && saved.json["faults"] == [], "\(saved.text)")
            #expect(
                try await text()
                    == before.replacing("channels: [push, mail]", with: "channels: [mail, in_app, webhook]"))
            let settings = try await editor.get("\(draft)/outline").json["settings"]?.array
            #expect(settings?.last?["value"] == ["mail", "in_app", "webhook"])
            try await put(["mail"], match: "\"1\"").expectProblem(412, "precondition-failed")
            // A list in a list, and a list in the place of a single value.
            try await put([["mail"]], match: "\"2\"").expectProblem(422, "body-invalid")
            try await put(["mail"], match: "\"2\"", "/code").expectProblem(
                422, "draft-invalid", ["/changes/0/pointer"])
            // The check reports what the list must not contain.
            let wrong = try await put(["mail", "mail", "pigeon"], match: "\"2\"")
            #expect(wrong.json["faults"]?.array?.first?["file"]?.string == file, "\(wrong.text)")
        }
    }

    @Test func `a downloaded pack can be uploaded again, and contains every file`() async throws {
        try await Self.withStudy { editor, study, draft in
            let pack = try await editor.get("\(draft)/pack")
            #expect(pack.status == 200 && pack.headers[.contentType] == "application/zip")

            var headers = Self.zip
            headers[.ifMatch] = "\"1\""
            let saved = try await editor.send(.put, "\(draft)/pack", bytes: pack.bytes, headers: headers)

            #expect(saved.status == 200 && saved.json["faults"] == [], "\(saved.text)")
            #expect(saved.json["files"]?.array?.count == 9)
            headers[.ifMatch] = "\"2\""
            let other = try await editor.send(
                .put, "\(draft)/pack", bytes: Array("no archive".utf8), headers: headers)
            other.expectProblem(422, "draft-invalid")
        }
    }

    @Test func `a draft begins with the live version, and differences are marked`() async throws {
        try await ServerFixture.withCaller { caller in
            var editor = caller
            editor.token = try await caller.server.makeLogin(Grant(role: .editor, study: "small-steps"))
                .accessToken
            let draft = "/v1/studies/small-steps/draft"
            try await editor.post(draft, ["version": "7.7.7"]).expectProblem(404, "not-found")
            let started = try await editor.post(draft, [:])
            #expect(started.status == 201 && started.json["based_on"]?.string == "1.0.0", "\(started.text)")
            #expect(started.json["files"]?.array?.allSatisfy { $0["changed"] == "same" } == true)
            try await editor.post(draft, [:]).expectProblem(409, "draft-exists")

            let path = "\(draft)/file?path=studies/small-steps/study.yaml"
            let headers: HTTPFields = [.ifMatch: "\"1\""]
            let removed = try await editor.send(.delete, path, bytes: nil, headers: headers)

            #expect(removed.json["removed"] == ["studies/small-steps/study.yaml"])
            #expect(removed.json["publishable"] == false)
            let version = try await editor.get("/v1/studies/small-steps/versions/1.0.0/pack")
            #expect(version.status == 200)
            var rosa = editor
            rosa.token = try await caller.server.makeLogin(Grant(role: .researcher, study: "small-steps"))
                .accessToken
            #expect(try await rosa.get(draft).status == 200)
            try await rosa.post(draft, [:]).expectProblem(403, "not-permitted")
            try await rosa.get("/v1/studies/pocket-diary/draft").expectProblem(404, "not-found")
            let end = try await editor.send(.delete, draft, bytes: nil, headers: [.ifMatch: "\"2\""])
            #expect(end.status == 204)
        }
    }

    @Test
    func `a new study is closed without sight of arms while its file does not state whether it is blinded`()
        async throws
    {
        try await Self.withStudy { editor, study, draft in
            let path = "studies/\(study)/study.yaml"
            let text = try #require(try await editor.get("\(draft)/file?path=\(path)").json["text"]?.string)
            let rosa = try await editor.member(.researcher, of: study)
            let seeing = try await editor.member(.researcher, of: study, seesArms: true)
            let readable = "\(draft)/file?path=studies/\(study)/schedule.yaml"
            #expect(try await rosa.get(readable).status == 200)
            let rule = "allocation: {block_sizes: [2], concealed: false}"
            try #require(text.contains(rule))
            func allocation(_ value: String) -> String { text.replacing(rule, with: "allocation: \(value)") }
            let unclear = [
                text + "a: [\n", "- a list\n", allocation("blocks"), allocation("{blinded: perhaps}"),
                allocation("{blinded: true}"),
            ]
            var revision = 1
            for (index, unclear) in unclear.enumerated() {
                let saved = try await Self.put(
                    editor, "\(draft)/file?path=\(path)", ["text": .string(unclear)],
                    match: "\"\(revision)\"")
                revision = try #require(saved.json["revision"]?.int)

                for address in [draft, readable, "\(draft)/pack", "\(draft)/outline"] {
                    let answer = try await rosa.get(address)
                    #expect(answer.status == 403, "\(index) \(address) \(answer.status)")
                }
                #expect(try await seeing.get(readable).status == 200)
            }
            for clear in [text, allocation("{block_sizes: [2], blinded: false}")] {
                let saved = try await Self.put(
                    editor, "\(draft)/file?path=\(path)", ["text": .string(clear)], match: "\"\(revision)\"")
                revision = try #require(saved.json["revision"]?.int)
                #expect(try await rosa.get(readable).status == 200)
            }
            let removed = try await editor.send(
                .delete, "\(draft)/file?path=\(path)", bytes: nil, headers: [.ifMatch: "\"\(revision)\""])
            #expect(removed.status == 200)
            (try await rosa.get(readable)).expectProblem(403, "arms-blinded")
        }
    }

    @Test func `200 changes of a large file are one edit`() throws {
        let file = "studies/walks/content/large.yaml"
        let text = (0..<8000).map { "key\($0): \"a value of some length, number \($0)\"\n" }.joined()
        let draft = StudyDraft(
            study: "walks", basedOn: nil, revision: 1, files: [file: text], changedAt: ServerFixture.now,
            changedBy: nil)
        func changes(_ pointer: (Int) -> String) -> JSON {
            [
                "changes": .array(
                    (0..<200).map {
                        [
                            "file": .string(file), "pointer": .string(pointer($0)),
                            "value": .string("new \($0)"),
                        ]
                    })
            ]
        }
        // Enough to parse the file twice. One edit for each value would parse it 200 times.
        let limit = text.utf8.count * 2

        let done = try DraftValues.apply(changes { "/key\($0)" }, to: draft, limit: limit)

        let after = try #require(done.files[file])
        #expect(after.hasPrefix("key0: \"new 0\"\nkey1: \"new 1\"\n") && after.contains("number 200\""))
        #expect(throws: Problem.self) {
            try DraftValues.apply(changes { "/new\($0)" }, to: draft, limit: limit)
        }
    }

    @Test func `new keys are parsed one by one, so their number is limited by the size of the file`() throws {
        let file = "studies/walks/content/text.en.yaml"
        let draft = StudyDraft(
            study: "walks", basedOn: nil, revision: 1,
            files: [file: "a: \(String(repeating: "x", count: 1000))\n"],
            changedAt: ServerFixture.now, changedBy: nil)
        func body(_ pointers: [String]) -> JSON {
            [
                "changes": .array(
                    pointers.map { ["file": .string(file), "pointer": .string($0), "value": "new"] })
            ]
        }
        let many = (0..<20).map { "/key\($0)" }

        let all = try DraftValues.apply(body(many), to: draft)
        let problem = #expect(throws: Problem.self) {
            try DraftValues.apply(body(many), to: draft, limit: 10_000)
        }

        #expect(all.files[file]?.hasSuffix("key19: new\n") == true)
        #expect(problem?.type == .draftInvalid)
        #expect(problem?.faults.map(\.pointer).contains("/changes/19/file") == true)
        #expect(problem?.faults.first?.detail.contains("send fewer changes") == true)
        // One value that exists is set with the same limit.
        #expect(try DraftValues.apply(body(["/a"]), to: draft, limit: 10_000).files[file] == "a: new\n")
    }

    @Test func `files of a blinded study are closed to members who may not see arms`() async throws {
        try await ServerFixture.withCaller { caller in
            for (seesArms, status) in [(false, 403), (true, 200)] {
                var rosa = caller
                rosa.token = try await caller.server.makeLogin(
                    Grant(role: .researcher, study: "hidden-arms", seesArms: seesArms)
                ).accessToken
                let pack = try await rosa.get("/v1/studies/hidden-arms/versions/1.0.0/pack")
                #expect(pack.status == status)
                if !seesArms {
                    pack.expectProblem(403, "arms-blinded")
                    for path in ["draft", "draft/outline", "draft/pack"] {
                        try await rosa.get("/v1/studies/hidden-arms/\(path)").expectProblem(
                            403, "arms-blinded")
                    }
                }
            }
        }
    }
}
