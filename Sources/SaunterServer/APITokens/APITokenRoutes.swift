import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// Tokens for programs that read a study for months: R and Python scripts, spreadsheets, FHIR clients. Each is of one study and only reads.
struct APITokenRoutes: Sendable {
    private static let usualSeconds = 90 * 86_400
    private static let longestSeconds = 366 * 86_400
    /// That are valid, of one account in one study.
    private static let most = 20

    let context: ServerContext

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/api-tokens", who: .researcher, tag: "Readers",
            summary: "Make a token for a program that reads the study",
            description: """
                The token is shown this once. It opens the routes for readers of this study and nothing else, tells at most what the profile and the \
                account's own right allow at that moment, and ends when it expires, is revoked, or the account loses its role. Clients of REDCap send it \
                in the form, spreadsheets as the password, all others as a Bearer token. At most \(Self.most) may be valid at once.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "APITokenRequest",
                    .object([
                        .required("label", .string(minLength: 1, maxLength: 100), "What it is for."),
                        .optional(
                            "profile", .string(values: APIToken.Profile.allCases.map(\.rawValue)),
                            "`coded` when left out; `full` takes a permission of its own."),
                        .optional(
                            "expires_in", .integer(min: 60, max: Self.longestSeconds),
                            "Seconds; 90 days when left out."),
                    ])), example: ["label": "Notebook of the trial", "profile": "coded"]),
            outcomes: [.json(.created, "The token.", Self.createdSchema)]
        ) { call in
            let study = try call.text("study")
            let profile = call.body["profile"]?.string.flatMap { APIToken.Profile(rawValue: $0) } ?? .coded
            let grants = call.caller.grants.filter { $0.study == study && $0.role != .admin }
            guard profile == .coded || grants.contains(where: \.fullExport) else {
                throw Problem(.notPermitted, "The profile full takes a permission that this account lacks.")
            }
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let secret = APITokenSecret.make()
            let token = APIToken(
                id: APITokenID(UUID()), account: call.caller.account, study: study,
                label: call.body["label"]?.string ?? "", profile: profile, createdAt: call.now,
                expiresAt: call.now.adding(seconds: call.body["expires_in"]?.int ?? Self.usualSeconds))
            let isMade = try await context.store.insert(
                token, digest: secret.digest, most: Self.most,
                audit: audit("api_token_made", token.id, call, study, ["profile": .string(profile.rawValue)]))
            guard isMade else {
                throw Problem(
                    .notPermitted, "This account has \(Self.most) tokens of the study: revoke one of them.")
            }
            var body = Self.json(token).object ?? [:]
            body["token"] = .string(secret.text)
            return .json(.created, .object(body))
        }
    }

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/api-tokens", who: .researcher, tag: "Readers",
            summary: "Tokens of the study",
            description: "One's own; a coordinator sees everybody's. The tokens themselves are not kept.",
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [.json(.ok, "In the order of their ids.", .page(of: Self.schema))]
        ) { call in
            let study = try call.text("study")
            let after = try call.cursor(parts: 1).map { cursor throws(Problem) in
                guard let id = APITokenID(cursor.parts[0]) else {
                    throw Problem(
                        .requestInvalid,
                        Faults([
                            Fault(
                                pointer: "/cursor", code: "wrong_format",
                                detail: "It must be the next of a page.")
                        ]))
                }
                return id
            }
            let found = try await context.store.listAPITokens(
                of: study, account: owner(call, study), after: after, limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next = found.count > page.count ? page.last.map { Cursor([$0.id.description]) } : nil
            return .page(
                page.map(Self.json), next: next, path: "/v1/studies/\(study)/api-tokens",
                query: call.pageQuery, publicURL: context.configuration.publicURL)
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/studies/{study}/api-tokens/{token_id}", who: .researcher, tag: "Readers",
            summary: "Revoke a token",
            description: "From then on it opens nothing. Revoked again, it stays so.",
            parameters: [.study, .uuid("token_id", "The token.")],
            outcomes: [.empty(.noContent, "It is revoked.")]
        ) { call in
            let study = try call.text("study")
            let id: APITokenID = try call.id("token_id")
            let isKnown = try await context.store.revokeAPIToken(
                id, study: study, account: owner(call, study),
                audit: audit("api_token_revoked", id, call, study), now: call.now)
            guard isKnown else { throw Problem(.notFound) }
            return .noContent
        }
    }

    /// Whose tokens the caller may see: their own, or as a coordinator everybody's.
    private func owner(_ call: Call<Identity>, _ study: String) -> AccountID? {
        call.caller.grant(.coordinator, study: study) == nil ? call.caller.account : nil
    }

    private func audit(
        _ action: String, _ id: APITokenID, _ call: Call<Identity>, _ study: String, _ more: JSONObject = [:]
    ) -> AuditEntry {
        var detail: JSONObject = ["token_id": .id(id)]
        for member in more { detail[member.name] = member.value }
        return AuditEntry(
            actor: .account(call.caller.account), action: action, study: study, requestID: call.requestID,
            detail: .object(detail))
    }

    private static func json(_ token: APIToken) -> JSON {
        [
            "token_id": .id(token.id), "study": .string(token.study), "account_id": .id(token.account),
            "label": .string(token.label), "profile": .string(token.profile.rawValue),
            "created_at": .instant(token.createdAt), "expires_at": .instant(token.expiresAt),
            "used_at": .instant(token.usedAt), "revoked_at": .instant(token.revokedAt),
        ]
    }

    private static let members: [Schema.Member] = [
        .required("token_id", .id), .required("study", .string()), .required("account_id", .id),
        .required("label", .string()),
        .required("profile", .string(values: APIToken.Profile.allCases.map(\.rawValue))),
        .required("created_at", .instant), .required("expires_at", .instant),
        .required("used_at", .nullable(.instant), "The last use, to the hour."),
        .required("revoked_at", .nullable(.instant)),
    ]

    static let schema = Schema.named("APIToken", .object(members))
    static let createdSchema = Schema.named(
        "NewAPIToken",
        .object(members + [.required("token", .string(), "32 hexadecimal digits, shown this once.")]))
}
