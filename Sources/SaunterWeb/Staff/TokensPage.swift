import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The page of API tokens, with which programs read a study.
struct TokensPage: Sendable {
    private static let secondsPerDay = 86_400
    private static let days = 1...366
    private static let maximumLabelLength = 100

    let context: PageContext

    var tokens: Route {
        context.get("/staff/{study}/tokens", query: StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let query = try StaffQuery(request, path: Self.address(code), filters: [])
            if query.isCSV { return try await table(of: code, query, request).csvReply }
            return try await page(of: code, query, FormFaults(request.words), request)
        }
    }

    /// Creates a token and shows it. It is not shown again. A repetition of the same form creates no second token,
    /// because the id of the token is in it.
    var create: Route {
        context.post("/staff/{study}/tokens") { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let query = StaffQuery(path: Self.address(code), filters: [], values: [:])
            var faults = FormFaults(request.words)
            guard let body = Self.body(request, &faults) else {
                return try await page(of: code, query, faults, request)
            }
            do {
                let made = try await request.send(.post, "\(Self.resource(code))/api-tokens", body).json
                return try await page(of: code, query, faults, request, made: made)
            } catch let problem as Problem where problem.type == .passwordRequired {
                return try await page(of: code, query, faults, request, needsPassword: true)
            } catch let problem as Problem where problem.type == .idReused {
                faults.add(request.words.text("tokens", "fault_made"), field: nil)
                return try await page(of: code, query, faults, request)
            } catch let problem as Problem where problem.type == .notPermitted {
                // A visitor without the role gets the same problem from the list.
                if body["profile"] == "full", !Self.readsAll(of: code, request) {
                    faults.add(request.words.text("exports", "fault_not_permitted"), field: "profile")
                } else {
                    faults.add(request.words.text("tokens", "too_many"), field: nil)
                }
                return try await page(of: code, query, faults, request)
            }
        }
    }

    var revoke: Route {
        context.post("/staff/{study}/tokens/revoke") { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let id = PageAddress.encodePart(request.field("token_id"))
            do {
                try await request.send(.delete, "\(Self.resource(code))/api-tokens/\(id)")
            } catch let problem as Problem where problem.type == .passwordRequired {
                return PageRenderer.redirect(StaffLoginPage.address(next: Self.address(code)))
            }
            return PageRenderer.redirect(Self.address(code))
        }
    }

    private static func address(_ study: String) -> String { StaffStudyPage.tokens.address(study) }
    private static func resource(_ study: String) -> String {
        "/v1/studies/\(PageAddress.encodePart(study))"
    }

    /// Whether the visitor may read the profile `full`.
    private static func readsAll(of study: String, _ request: PageRequest) -> Bool {
        request.identity?.grants.contains {
            $0.study == study && $0.role.readsAnswers && $0.fullExport
        } ?? false
    }

    /// The body that creates the token; nil if a field has a fault.
    private static func body(_ request: PageRequest, _ faults: inout FormFaults) -> JSON? {
        let label = request.field("label")
        if label.allSatisfy(\.isWhitespace) || label.unicodeScalars.count > maximumLabelLength {
            let most = String(maximumLabelLength)
            faults.add(request.words.text("tokens", "fault_label", ["most": most]), field: "label")
        }
        let days = Int(request.field("days").filter { !$0.isWhitespace }) ?? 0
        if !Self.days.contains(days) {
            let most = String(Self.days.upperBound)
            faults.add(request.words.text("tokens", "fault_days", ["most": most]), field: "days")
        }
        guard faults.isEmpty else { return nil }
        var body: JSONObject = [
            "label": .string(label), "expires_in": .int(days * secondsPerDay),
            "profile": request.field("profile") == "full" ? "full" : "coded",
        ]
        body.add(tokenOf: request)
        return .object(body)
    }

    /// - Parameters:
    ///   - made: a token that was just created.
    ///   - needsPassword: whether the password is too old to create a token. What was typed stays in the form.
    private func page(
        of study: String, _ query: StaffQuery, _ faults: FormFaults, _ request: PageRequest,
        made: JSON? = nil, needsPassword: Bool = false
    ) async throws -> Reply {
        let words = request.words
        let list = try await request.get("\(Self.resource(study))/api-tokens", query: query.ofRoute)
        let items = (list["items"]?.array ?? []).map {
            APITokenView($0, of: request.identity?.account, at: request.call.now, words).model
        }
        // The form is empty again after a token was created.
        func value(_ field: String) -> String { made == nil ? request.field(field) : "" }
        let profiles =
            (Self.readsAll(of: study, request) ? ["coded", "full"] : ["coded"]).map { profile in
                [
                    "profile": profile, "name": words.text("exports", "profile_\(profile)"),
                    "text": words.text("exports", "profile_\(profile)_text"),
                    "checked": value("profile") == profile
                        || (profile == "coded" && value("profile") != "full"),
                ] as [String: Any]
            }
        let days = value("days")
        var model = faults.model
        for (name, value) in [
            "path": query.path, "items": items, "token_id": UUID().uuidString.lowercased(),
            "has_items": !items.isEmpty, "csv": query.csvAddress,
            "profiles": profiles, "label": value("label"), "days": days.isEmpty ? "90" : days,
        ] as [String: Any] { model[name] = value }
        if needsPassword { model["password_again"] = StaffLoginPage.address(next: Self.address(study)) }
        if let made { model["made"] = self.made(made, study, words) }
        if let next = list["next"]?.string { model["next"] = query.address(cursor: next) }
        if !query["cursor"].isEmpty { model["first"] = query.address(cursor: nil) }
        return context.renderer.page(
            "staff_tokens", title: words.text("staff", "tokens"), model,
            frame: try await StaffFrame.study(study, .tokens, request), of: request,
            status: needsPassword ? .unprocessableContent : faults.status)
    }

    /// The new token, with a line that uses it.
    private func made(_ token: JSON, _ study: String, _ words: Words.Language) -> [String: Any] {
        let base = "\(context.server.configuration.publicURL)\(Self.resource(study))"
        let key = token["token"]?.string ?? ""
        return [
            "key": key, "title": token["label"]?.string ?? "",
            "command": DatasetLines.curl("\(base)/odata/participants", to: "participants.json", token: key),
            "interfaces": [
                ["name": "OData", "url": "\(base)/odata/"], ["name": "FHIR", "url": "\(base)/fhir"],
                ["name": "REDCap", "url": "\(base)/redcap/api/"],
            ],
        ]
    }

    /// The tokens as a file.
    private func table(
        of study: String, _ query: StaffQuery, _ request: PageRequest
    ) async throws -> StaffTable {
        let words = request.words
        let list = try await request.get("\(Self.resource(study))/api-tokens", query: query.ofRoute)
        return StaffTable(
            name: "\(study)-tokens", caption: words.text("staff", "tokens"),
            columns: ["label", "state", "profile", "by", "created", "used", "expires"].map {
                .init(title: words.text("tokens", $0))
            },
            rows: (list["items"]?.array ?? []).map {
                APITokenView($0, of: request.identity?.account, at: request.call.now, words).row
            }, asOf: request.call.now)
    }
}

extension JSONObject {
    /// Adds the id of the token that the form creates, if the form has one.
    mutating func add(tokenOf request: PageRequest) {
        let id = request.field("token_id")
        if !id.isEmpty { self["token_id"] = .string(id) }
    }
}

/// A token of `GET /v1/studies/{study}/api-tokens` in words.
private struct APITokenView {
    private let token: JSON
    private let account: AccountID?
    private let now: Instant
    private let words: Words.Language

    init(_ token: JSON, of account: AccountID?, at now: Instant, _ words: Words.Language) {
        self.token = token
        self.account = account
        self.now = now
        self.words = words
    }

    private var label: String { token["label"]?.string ?? "" }
    private var expiry: Instant? { token["expires_at"]?.instant }
    private var profile: String {
        words.text("exports", "profile_\(token["profile"]?.string ?? "")")
    }
    private var owner: String {
        words.text(
            "exports", account?.description == token["account_id"]?.string ? "you" : "colleague")
    }
    private var state: String {
        if token["revoked_at"]?.instant != nil { return "revoked" }
        return expiry.map { now < $0 } ?? false ? "valid" : "expired"
    }

    var model: [String: Any] {
        let time = LocalTimeText(language: words.code, zone: "UTC")
        func moment(_ name: String) -> [[String: String]] {
            (token[name]?.instant).map { [StaffTable.moment($0, time)] } ?? []
        }
        return [
            "id": token["token_id"]?.string ?? "", "label": label, "profile": profile, "by": owner,
            "state": words.text("tokens", "state_\(state)"), "created": moment("created_at"),
            "used": moment("used_at"), "expires": moment("expires_at"), "is_valid": state == "valid",
        ]
    }

    var row: [StaffTable.Cell] {
        [
            .text(label), .text(words.text("tokens", "state_\(state)")), .text(profile), .text(owner),
            .moment(token["created_at"]?.instant), .moment(token["used_at"]?.instant), .moment(expiry),
        ]
    }
}
