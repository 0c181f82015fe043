import Foundation
import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore
import Testing

@testable import SaunterServer

/// Journeys, practices, media and versions of a draft over the routes. Each test has its own study.
@Suite struct DraftListRouteTests {
    /// A new study with the editor who created it.
    private struct Draft {
        let editor: APICaller
        let study: String

        var path: String { "/v1/studies/\(study)/draft" }
        var programmes: String { "\(path)/programmes" }

        func practice(_ code: String) -> String { "\(path)/practices/\(code)" }

        func revision() async throws -> Int {
            try #require(try await editor.get(path).json["revision"]?.int)
        }

        /// Sends a change with the current revision.
        func change(
            _ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil, revision: Int? = nil
        ) async throws -> Answer {
            var current = revision
            if current == nil { current = try await self.revision() }
            var headers: HTTPFields = [.ifMatch: "\"\(current ?? 0)\""]
            if body != nil { headers[.contentType] = "application/json" }
            return try await editor.send(method, path, bytes: body?.bytes, headers: headers)
        }

        func upload(_ file: String, _ bytes: [UInt8]) async throws -> Answer {
            let revision = try await revision()
            return try await editor.send(
                .put, "\(path)/file?path=\(file)", bytes: bytes,
                headers: [.contentType: "application/octet-stream", .ifMatch: "\"\(revision)\""])
        }

        func files() async throws -> [String: String] {
            try await editor.server.store.findDraft(of: study)?.files ?? [:]
        }

        func publish() async throws -> Answer {
            let revision = try await revision()
            let body: JSON = ["confirm": .string(study), "move_enrolments": false]
            return try await editor.send(
                .post, "\(path)/publication", bytes: body.bytes,
                headers: [.contentType: "application/json", .ifMatch: "\"\(revision)\""])
        }
    }

    private static func withDraft(_ body: @Sendable (Draft) async throws -> Void) async throws {
        try await ServerFixture.withCaller { caller in
            var editor = caller
            editor.token = try await caller.server.makeLogin(Grant(role: .editor, study: "pocket-diary"))
                .accessToken
            let study = "j" + UUID().uuidString.lowercased().prefix(18)
            let answer = try await editor.post(
                "/v1/staff/studies",
                [
                    "study": .string(study), "title": "Ego", "language": "en", "time_zone": "Europe/Zurich",
                    "days": 10,
                ])
            try #require(answer.status == 201, "\(answer.text)")
            try await body(Draft(editor: editor, study: study))
        }
    }

    private static let morning: JSON = [
        "title": ["en": "A calm morning"], "topic": ["en": "Control"], "minutes": 5,
        "exercises": [
            ["link_id": "story", "kind": "story", "text": ["en": "Look out of the window."]],
            [
                "link_id": "thought", "kind": "input", "text": ["en": "What is yours today?"],
                "placeholder": ["en": "Today I can …"],
            ],
        ],
    ]

    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 2, 0, 0, 0, 2, 8, 6, 0, 0, 0, 0, 0, 0, 0]

    /// A practice code that no other test uses, because versions of questionnaires are shared by all studies.
    private static func code() -> String { "m" + UUID().uuidString.lowercased().prefix(8).description }

    @Test func `a journey with a new practice and a picture is written, and published`() async throws {
        try await Self.withDraft { draft in
            let code = Self.code()
            let saved = try await draft.change(.put, draft.practice(code), Self.morning)
            try #require(saved.status == 200, "\(saved.text)")
            #expect(saved.json["practice"]?["version"] == "1.0.0" && saved.json["journeys"] == [])
            let picture = "studies/\(draft.study)/library/media/control.png"
            #expect(try await draft.upload(picture, Self.png).status == 200)
            let list: JSON = [
                "programmes": [
                    [
                        "code": "control", "title": ["en": "Control"], "subtitle": ["en": "What is yours"],
                        "picture": "media/control.png", "authors": ["Epictetus", " "],
                        "modules": [.string(code)],
                    ]
                ]
            ]
            let answer = try await draft.change(.put, draft.programmes, list)

            try #require(answer.status == 200, "\(answer.text)")
            #expect(answer.json["states"] == ["control": "added"] && answer.json["removed"] == [])
            #expect(answer.json["programmes"]?.array?[0]["authors"] == ["Epictetus"])
            #expect(answer.json["practices"] == [["code": .string(code), "title": ["en": "A calm morning"]]])
            #expect(try await draft.editor.get(draft.practice(code)).json["journeys"] == ["control"])
            let files = try await draft.files()
            #expect(
                files["studies/\(draft.study)/study.yaml"]?.contains(
                    "{questionnaire: \(code), practice: true}") == true)
            let state = try await draft.editor.get(draft.path).json
            #expect(state["faults"] == [], "\(state)")
            // The list of a response is a valid body.
            let again = try await draft.change(
                .put, draft.programmes, ["programmes": answer.json["programmes"] ?? .null])
            #expect(again.json["revision"] == answer.json["revision"], "nothing changed")

            #expect(try await draft.publish().status == 200)
            _ = try await draft.editor.post(draft.path, [:])
            let published = try await draft.editor.get(draft.programmes).json
            #expect(published["states"] == ["control": "same"])
        }
    }

    @Test func `all faults of journeys are reported with their pointers, and nothing is saved`() async throws
    {
        try await Self.withDraft { draft in
            let before = try await draft.files()
            let body: JSON = [
                "programmes": [
                    [
                        "code": "Control!", "title": ["en": "A", "fr": "B"],
                        "modules": ["unknown", "unknown"],
                    ],
                    ["code": "calm", "title": ["en": "  "], "modules": [], "picture": "media/none.png"],
                    ["code": "calm", "title": ["en": "C"], "modules": "none", "authors": [1]],
                    ["title": ["en": "D"], "modules": [], "more": 1],
                ]
            ]
            try await draft.change(.put, draft.programmes, body).expectProblem(
                422, "body-invalid",
                [
                    "/programmes/0/code", "/programmes/0/title/fr", "/programmes/0/modules/0",
                    "/programmes/0/modules/1", "/programmes/1/title", "/programmes/1/picture",
                    "/programmes/2/code", "/programmes/2/modules", "/programmes/2/authors/0",
                    "/programmes/3/code", "/programmes/3/more",
                ])
            #expect(try await draft.files() == before)
        }
    }

    @Test func `all faults of a practice are reported with their pointers`() async throws {
        try await Self.withDraft { draft in
            let body: JSON = [
                "title": [:], "minutes": -1, "entitlement": "none",
                "exercises": [
                    ["link_id": "A!", "kind": "story", "text": ["fr": "x"], "placeholder": ["en": "x"]],
                    ["link_id": "b", "kind": "other"], ["link_id": "c", "kind": "game"],
                    [
                        "link_id": "c", "kind": "input",
                        "media": ["type": "audio", "source": "media/none.mp3"],
                        "parts": [["link_id": "x"]],
                    ],
                ],
            ]
            try await draft.change(.put, draft.practice("first"), body).expectProblem(
                422, "body-invalid",
                [
                    "/title", "/minutes", "/entitlement", "/exercises/0/link_id", "/exercises/0/text/fr",
                    "/exercises/0/placeholder", "/exercises/1/kind", "/exercises/2/kind",
                    "/exercises/3/link_id", "/exercises/3/media", "/exercises/3/parts/0/link_id",
                    "/exercises/3/parts/0/text",
                ])
            try await draft.change(.put, draft.practice("No-Code"), Self.morning).expectProblem(
                422, "body-invalid", [""])
            let diary = try await draft.editor.get("\(draft.path)/outline").json["questionnaires"]?.array?[0][
                "code"]?
                .string
            // A questionnaire with a schedule does not become a practice by mistake.
            try await draft.change(.put, draft.practice(#require(diary)), Self.morning).expectProblem(
                422, "body-invalid", [""])
            try await draft.editor.get(draft.practice(#require(diary))).expectProblem(404, "not-found")
        }
    }

    @Test func `a practice in a journey is not removed, and afterwards it is`() async throws {
        try await Self.withDraft { draft in
            let code = Self.code()
            let before = try await draft.files()
            #expect(try await draft.change(.put, draft.practice(code), Self.morning).status == 200)
            let list: JSON = [
                "programmes": [["code": "calm", "title": ["en": "C"], "modules": [.string(code)]]]
            ]
            #expect(try await draft.change(.put, draft.programmes, list).status == 200)
            try await draft.change(.delete, draft.practice(code)).expectProblem(422, "draft-invalid")
            #expect(try await draft.change(.put, draft.programmes, ["programmes": []]).status == 200)
            #expect(try await draft.change(.delete, draft.practice(code)).status == 204)
            let after = try await draft.files()

            #expect(after.keys.filter { $0.hasPrefix("instruments/\(code)/") }.isEmpty)
            #expect(Set(before.keys).subtracting(after.keys).isEmpty)
            try await draft.change(.delete, draft.practice(code)).expectProblem(404, "not-found")
        }
    }

    @Test func `changes need the current revision and the role editor`() async throws {
        try await Self.withDraft { draft in
            let writes: [(HTTPRequest.Method, String, JSON?)] = [
                (.put, draft.programmes, ["programmes": []]), (.put, draft.practice("calm"), Self.morning),
                (.delete, draft.practice("calm"), nil), (.post, "\(draft.path)/versions", nil),
            ]
            var reader = draft.editor
            reader.token = try await draft.editor.server.makeLogin(
                Grant(role: .researcher, study: draft.study)
            )
            .accessToken
            var stranger = draft.editor
            stranger.token = try await draft.editor.server.makeLogin(
                Grant(role: .editor, study: "pocket-diary")
            )
            .accessToken
            for (method, path, body) in writes {
                try await draft.change(method, path, body, revision: 7).expectProblem(
                    412, "precondition-failed")
                try await draft.editor.send(method, path, body).expectProblem(428, "precondition-required")
                let foreign = Draft(editor: stranger, study: draft.study)
                try await foreign.change(method, path, body, revision: 1).expectProblem(404, "not-found")
                let read = Draft(editor: reader, study: draft.study)
                try await read.change(method, path, body, revision: 1).expectProblem(403, "not-permitted")
            }
            #expect(try await reader.get(draft.programmes).status == 200)
            #expect(try await draft.revision() == 1)
        }
    }

    @Test func `media are what their names claim`() async throws {
        try await Self.withDraft { draft in
            let folder = "studies/\(draft.study)/library/media/"
            func large(_ pixels: UInt8) -> [UInt8] {
                var bytes = Self.png
                bytes[17] = pixels
                bytes[21] = pixels
                return bytes
            }
            for (name, text) in [
                ("a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), ("a.png", "<!doctype html><p>x"),
                ("a.png", "GIF89a=1;/*<script>*/"), ("a.jpg", String(decoding: Self.png, as: UTF8.self)),
                ("a.png", "x"),
            ] {
                try await draft.upload(folder + name, Array(text.utf8)).expectProblem(
                    415, "media-type-unsupported")
            }
            try await draft.upload(folder + "a.jpg", Self.png).expectProblem(415, "media-type-unsupported")
            try await draft.upload(folder + "a.png", Self.png + Array("<script>".utf8))
                .expectProblem(415, "media-type-unsupported")
            try await draft.upload(folder + "a.png", large(1)).expectProblem(422, "draft-invalid")
            // A file of the study itself, such as its icon, is smaller than those of its library.
            let icon = folder.replacing("library/media/", with: "media/") + "a.png"
            try await draft.upload(icon, Self.png + [UInt8](repeating: 0, count: 1 << 20))
                .expectProblem(413, "body-too-large")
            #expect(try await draft.revision() == 1)
            #expect(try await draft.upload(folder + "a.png", Self.png).status == 200)
        }
    }

    @Test func `versions are raised where something changed, and the draft can be published again`()
        async throws
    {
        try await Self.withDraft { draft in
            let code = Self.code()
            #expect(try await draft.change(.put, draft.practice(code), Self.morning).status == 200)
            #expect(
                try await draft.editor.get("\(draft.path)/versions").json == [
                    "questionnaires": [], "study": nil,
                ])
            #expect(try await draft.publish().status == 200)
            // A typo in a published practice.
            #expect(try await draft.editor.post(draft.path, [:]).status == 201)
            var practice = try await draft.editor.get(draft.practice(code)).json["practice"]?.object ?? [:]
            practice["title"] = ["en": "A quiet morning"]
            #expect(try await draft.change(.put, draft.practice(code), .object(practice)).status == 200)
            #expect(try await draft.publish().status == 409)
            let needed = try await draft.editor.get("\(draft.path)/versions").json
            let raised = try await draft.change(.post, "\(draft.path)/versions")

            #expect(raised.status == 200, "\(raised.text)")
            #expect(needed["questionnaires"] == [["code": .string(code), "from": "1.0.0", "to": "1.0.1"]])
            #expect(needed["study"] == ["from": "1.0.0", "to": "1.0.1"])
            #expect(raised.json["questionnaires"] == needed["questionnaires"])
            #expect(raised.json["draft"]?["version"] == "1.0.1" && raised.json["draft"]?["faults"] == [])
            #expect(try await draft.editor.get(draft.practice(code)).json["practice"]?["version"] == "1.0.1")
            // Again there is nothing to raise, and the draft keeps its revision.
            let again = try await draft.change(.post, "\(draft.path)/versions")
            #expect(again.json["questionnaires"] == [] && again.json["study"]?.isNull == true)
            #expect(again.json["draft"]?["revision"] == raised.json["draft"]?["revision"])
            #expect(try await draft.publish().status == 200)

            // A change of the library only needs no new version.
            #expect(try await draft.editor.post(draft.path, [:]).status == 201)
            let list: JSON = [
                "programmes": [["code": "calm", "title": ["en": "C"], "modules": [.string(code)]]]
            ]
            #expect(try await draft.change(.put, draft.programmes, list).status == 200)
            #expect(
                try await draft.editor.get("\(draft.path)/versions").json == [
                    "questionnaires": [], "study": nil,
                ])
            #expect(try await draft.publish().status == 200)
        }
    }

    @Test func `a version that another draft published is skipped`() async throws {
        let code = Self.code()
        try await Self.withDraft { draft in
            _ = try await draft.change(.put, draft.practice(code), Self.morning)
            #expect(try await draft.publish().status == 200)
        }
        try await Self.withDraft { draft in
            var other = Self.morning.object ?? [:]
            other["minutes"] = 7
            _ = try await draft.change(.put, draft.practice(code), .object(other))
            let raised = try await draft.change(.post, "\(draft.path)/versions")
            // The study was never published, so only the questionnaire is raised.
            #expect(
                raised.json["questionnaires"] == [["code": .string(code), "from": "1.0.0", "to": "1.0.1"]])
            #expect(raised.json["study"]?.isNull == true)
            #expect(try await draft.publish().status == 200)
        }
    }
}
