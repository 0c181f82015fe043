import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import SaunterCore
import SaunterStore

@testable import SaunterServer

/// A gateway with one route of each kind, to test what all routes share.
struct SampleGateway {
    static let account = AccountID(UUID(uuidString: "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40")!)
    static let family = UUID(uuidString: "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f41")!
    static let now = Instant("2026-11-21T08:00:00Z")!
    static let walk =
        "/v1/enrolments/0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f42/walks/0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f43"

    /// Thrown by `/v1/faults/{kind}`.
    struct SecretFault: Error {
        let answer = "canary-answer"
    }

    static let routes: [Route] = [
        Route(
            .get, "/v1/studies", who: .anyone, tag: "Studies", summary: "Lists studies",
            query: [
                .limit, .cursor, QueryParameter("from", .dateTime, "Not before."),
                QueryParameter("codes", .array(of: .code), "Some."),
            ],
            outcomes: [.json(.ok, "A page.", .page(of: .map(of: .any)))]
        ) { call in
            .page(
                [
                    [
                        "limit": .int(call.pageLimit),
                        "from": .optional(call.queryInstant("from")) { .string($0.description) },
                        "codes": .array((call.queryList("codes") ?? []).map(JSON.string)),
                        "address": .optional(call.remoteAddress) { .string($0.description) },
                    ]
                ], next: Cursor(["a/b", "2"]), path: "/v1/studies", query: [("limit", "10")],
                publicURL: "https://s.example")
        },
        Route(
            .get, "/v1/studies/{study}", who: .anyone, tag: "Studies", summary: "One study",
            parameters: [.code("study", "Its code.", example: "walking")],
            outcomes: [
                .json(.ok, "It.", .map(of: .any), headers: [(name: "ETag", description: "Its digest.")])
            ]
        ) { call in
            let body: JSON = [
                "study": .string(try call.text("study")),
                "text": .string(String(repeating: "long ", count: 500)),
            ]
            return .json(.ok, body, entityTag: EntityTag(of: body))
        },
        Route(
            .post, "/v1/echo", who: .anyone, tag: "Echo", summary: "Returns the body",
            body: .json(
                .object([.required("text", .string(maxLength: 100_000)), .optional("n", .integer())]),
                limit: 64 * 1024, example: ["text": "Hello", "n": 1]),
            outcomes: [.json(.created, "The same.", .map(of: .any))]
        ) { call in .json(.created, call.body) },
        Route(
            .put, "/v1/enrolments/{id}/walks/{walk_id}", who: .participant, tag: "Walks",
            summary: "Takes a walk",
            parameters: [.uuid("id", "The enrolment."), .uuid("walk_id", "The walk.")],
            body: .json(
                .object([.required("series", .map(of: .array(of: .nullable(.number()), max: 100_000)))]),
                limit: BodyRule.walkLimit),
            outcomes: [.json(.created, "Stored.", .map(of: .any))], problems: [.walkInvalid, .idReused]
        ) { call in
            let id: WalkID = try call.id("walk_id")
            return .json(
                .created,
                ["walk_id": .string(id.description), "account": .string(call.caller.account.description)])
        },
        Route(
            .get, "/v1/enrolments/{id}/walks/current", who: .participant, tag: "Walks",
            summary: "The current walk",
            parameters: [.uuid("id", "The enrolment.")], outcomes: [.empty(.noContent, "None.")]
        ) { _ in .noContent },
        Route(
            .get, "/v1/enrolments/{id}/walks/{walk_id}", who: .participant, tag: "Walks", summary: "A walk",
            parameters: [.uuid("id", "The enrolment."), .uuid("walk_id", "The walk.")],
            outcomes: [.json(.ok, "It.", .map(of: .any))]
        ) { call in .json(.ok, ["walk_id": .string(try call.text("walk_id"))]) },
        Route(
            .patch, "/v1/account", who: .account, tag: "Accounts", summary: "Edits the profile",
            body: .json(.object([.optional("language", .language)]), isRequired: false),
            outcomes: [.json(.ok, "The profile.", .any)],
            problems: [.preconditionRequired, .preconditionFailed]
        ) { call in
            try call.requireMatch(EntityTag("v1"))
            return .json(.ok, call.body)
        },
        Route(
            .get, "/v1/studies/{study}/participants", who: .researcher, tag: "Monitoring",
            summary: "Participants",
            parameters: [.code("study", "Its code.", example: "walking")],
            outcomes: [.json(.ok, "They.", .any)]
        ) { call in
            .json(
                .ok,
                [
                    "full": .bool(
                        call.caller.grant(.researcher, study: try call.text("study"))?.fullExport ?? false)
                ])
        },
        Route(
            .get, "/v1/admin", who: .admin, tag: "Monitoring", summary: "For admins",
            outcomes: [.empty(.noContent, "Yes.")]
        ) { _ in .noContent },
        Route(
            .get, "/v1/large", who: .anyone, tag: "Files", summary: "A stream of 64 MiB",
            outcomes: [.file(.ok, "Bytes.", contentType: "application/zip")]
        ) { _ in
            .stream(contentType: "application/zip") { writer in
                let piece = String(repeating: "x", count: 1 << 16)
                for _ in 0..<1024 { try await writer.write(piece) }
            }
        },
        Route(
            .get, "/v1/file", who: .anyone, tag: "Files", summary: "A stream",
            outcomes: [.file(.ok, "Bytes.", contentType: "application/zip")]
        ) { _ in
            .stream(contentType: "application/zip") { writer in
                for piece in ["one,", "", "two"] { try await writer.write(piece) }
            }
        },
        Route(
            .get, "/v1/faults/{kind}", who: .anyone, tag: "Faults", summary: "Fails",
            parameters: [.code("kind", "How.", example: "unknown")], outcomes: [.empty(.noContent, "Never.")]
        ) { call in throw try Self.fault(call.text("kind")) },
    ]

    private static func fault(_ kind: String) -> any Error {
        switch kind {
        case "hummingbird": HTTPError(.contentTooLarge)
        case "cancelled": CancellationError()
        case "hashing": PasswordHasherBusy()
        default: SecretFault()
        }
    }

    /// The valid tokens are the names of roles: `account`, `researcher`, `coordinator`, `admin`.
    static func authenticate(_ token: String, _ kind: AccessKind, _ now: Instant) throws(Problem) -> Identity
    {
        var grants: [Grant] = []
        switch token {
        case "account": break
        case "researcher": grants = [Grant(role: .researcher, study: "walking")]
        case "coordinator": grants = [Grant(role: .coordinator, study: "walking", fullExport: true)]
        case "admin": grants = [Grant(role: .admin, study: "*")]
        default: throw Problem(.tokenInvalid, "The access token is not valid.")
        }
        return Identity(account: account, family: family, grants: kind.needsGrants ? grants : [])
    }

    static func application(
        _ settings: GatewaySettings = GatewaySettings(publicURL: "https://s.example"),
        routes: [Route] = routes, idleTimeout: Duration = .seconds(20),
        logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws -> some ApplicationProtocol {
        let gateway = try Gateway(routes: routes, settings: settings, now: { now }) { token, kind, now in
            try authenticate(token, kind, now)
        }
        return Application(
            responder: gateway,
            server: HTTPServerLimits.http1(
                publicURL: settings.publicURL, idleTimeout: idleTimeout, logger: logger),
            logger: logger)
    }
}

extension TestClientProtocol {
    /// Sends a request with an optional JSON text as its body.
    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ body: String? = nil, token: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = headers
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await send(method, uri, bytes: body.map { Array($0.utf8) }, headers: headers)
    }

    /// Sends a request with these bytes as its body.
    func send(_ method: HTTPRequest.Method, _ uri: String, bytes: [UInt8]?, headers: HTTPFields) async throws
        -> Answer
    {
        try await execute(
            uri: uri, method: method, headers: headers, body: bytes.map { ByteBuffer(bytes: $0) }
        ) { response in
            Answer(
                status: response.status.code, headers: response.headers,
                bytes: Array(response.body.readableBytesView))
        }
    }
}

/// A response.
struct Answer {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var json: JSON { (try? JSONReader.read(bytes)) ?? .null }

    /// The slug of a problem document; nil for any other response.
    var slug: String? {
        guard headers[.contentType] == "application/problem+json" else { return nil }
        return json["type"]?.string?.split(separator: "/").last.map(String.init)
    }

    /// The codes of all faults by pointer.
    var faults: [String: String] {
        let pairs = (json["errors"]?.array ?? []).map {
            ($0["pointer"]?.string ?? "?", $0["code"]?.string ?? "?")
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
