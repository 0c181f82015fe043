import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// API tokens for programs that read a study for months: R and Python scripts, spreadsheets, FHIR clients. A token
/// belongs to one study and is read-only.
struct APITokenRoutes: Sendable {
    private static let defaultLifetimeSeconds = 90 * 86_400
    private static let maximumLifetimeSeconds = 366 * 86_400
    /// The maximum number of valid tokens of one account in one study.
    private static let maximumTokens = 20

    let context: ServerContext

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/api-tokens", who: .researcher, tag: "Readers",
            summary: "Create an API token for the study",
            description: """
                Programs use an API token to read the data of one study. The response contains the token; it is not \
                shown again. It is valid only for the routes for readers of this study, and allows only what both \
                its profile and the current permissions of the account allow. It becomes invalid when it expires, \
                when it is revoked, or when the account loses its role. Clients of REDCap send the token in the \
                form, spreadsheet programs as the password, and all others as a Bearer token. An account can have \
                \(Self.maximumTokens) valid tokens per study. A client that chooses `token_id` can repeat the request: \
                it creates at most one token, and a repetition is a conflict, because the token is not shown again.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "APITokenRequest",
                    .object([
                        .optional(
                            "token_id", .id,
                            "A UUID that the client creates, so that a repetition creates no second token."),
                        .required(
                            "label", .string(minLength: 1, maxLength: 100), "The purpose of the token."),
                        .optional(
                            "profile", .string(values: APIToken.Profile.allCases.map(\.rawValue)),
                            "The default is `coded`. `full` needs the permission for full exports."),
                        .optional(
                            "expires_in", .integer(min: 60, max: Self.maximumLifetimeSeconds),
                            "The lifetime in seconds. The default is 90 days."),
                    ])), example: ["label": "Notebook of the trial", "profile": "coded"]),
            outcomes: [.json(.created, "The token.", Self.createdSchema)], problems: [.idReused]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let study = try call.text("study")
            let profile = call.body["profile"]?.string.flatMap { APIToken.Profile(rawValue: $0) } ?? .coded
            let grants = call.caller.grants.filter { $0.study == study && $0.role.readsAnswers }
            guard profile == .coded || grants.contains(where: \.fullExport) else {
                throw Problem(
                    .notPermitted,
                    "The profile full needs the permission for full exports, which this account does not have."
                )
            }
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let secret = APITokenSecret.make()
            let token = APIToken(
                id: call.body["token_id"]?.string.flatMap { APITokenID($0) } ?? APITokenID(UUID()),
                account: call.caller.account, study: study,
                label: call.body["label"]?.string ?? "", profile: profile, createdAt: call.now,
                expiresAt: call.now.adding(
                    seconds: call.body["expires_in"]?.int ?? Self.defaultLifetimeSeconds))
            let isInserted = try await insert(token, secret, call)
            guard isInserted else {
                throw Problem(
                    .notPermitted,
                    "This account already has \(Self.maximumTokens) valid tokens of the study. Revoke one of them."
                )
            }
            var body = Self.json(token).object ?? [:]
            body["token"] = .string(secret.text)
            return .json(.created, .object(body))
        }
    }

    /// - Returns: false if the account already has the maximum number of valid tokens.
    /// - Throws: `id-reused`.
    private func insert(
        _ token: APIToken, _ secret: APITokenSecret, _ call: Call<Identity>
    ) async throws -> Bool {
        let audit = audit(
            "api_token_made", token.id, call, token.study, ["profile": .string(token.profile.rawValue)])
        do {
            return try await context.store.insert(
                token, digest: secret.digest, maximum: Self.maximumTokens, audit: audit)
        } catch is APITokenIDReused {
            throw Problem(.idReused)
        }
    }

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/api-tokens", who: .researcher, tag: "Readers",
            summary: "List the API tokens of the study",
            description: """
                A researcher sees their own tokens, a coordinator sees all tokens. The server stores only digests of \
                the tokens.
                """,
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [.json(.ok, "The tokens in the order of their ids.", .page(of: Self.schema))]
        ) { call in
            let study = try call.text("study")
            let after = try call.cursor(parts: 1).map { cursor throws(Problem) in
                guard let id = APITokenID(cursor.parts[0]) else { throw .invalidCursor }
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
            summary: "Revoke an API token",
            description: "The token becomes invalid at once. Revoking it again has no effect.",
            parameters: [.study, .uuid("token_id", "The id of the token.")],
            outcomes: [.empty(.noContent, "The token is revoked.")]
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

    /// The account whose tokens the caller may see and revoke; nil for a coordinator, who may see and revoke all.
    private func owner(_ call: Call<Identity>, _ study: String) -> AccountID? {
        call.caller.grant(.coordinator, study: study) == nil ? call.caller.account : nil
    }

    private func audit(
        _ action: String, _ id: APITokenID, _ call: Call<Identity>, _ study: String,
        _ details: JSONObject = [:]
    ) -> AuditEntry {
        var detail: JSONObject = ["token_id": .id(id)]
        for member in details { detail[member.name] = member.value }
        return AuditEntry(
            actor: .account(call.caller.account), action: action, study: study, requestID: call.requestID,
            detail: detail)
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
        .required("token_id", .id, "The id of the token. It is not secret."),
        .required("study", .string(), "The code of the study."),
        .required("account_id", .id, "The account that created the token."),
        .required("label", .string(), "The name that its creator gave the token."),
        .required(
            "profile", .string(values: APIToken.Profile.allCases.map(\.rawValue)),
            "Which data the token can read."),
        .required("created_at", .instant, "When the token was created."),
        .required("expires_at", .instant, "When the token stops working."),
        .required("used_at", .nullable(.instant), "The last use, with a precision of one hour."),
        .required("revoked_at", .nullable(.instant), "When the token was revoked; null if it was not."),
    ]

    static let schema = Schema.named("APIToken", .object(members))
    static let createdSchema = Schema.named(
        "NewAPIToken",
        .object(
            members + [
                .required(
                    "token", .string(), "32 hexadecimal digits. The token is shown only in this response.")
            ]))
}
