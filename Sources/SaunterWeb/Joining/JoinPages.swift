import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// The page on which a visitor consents and joins a study.
struct JoinPages: Sendable {
    let context: PageContext

    var consent: Route {
        context.get("/studies/{study}/consent", query: ["code"]) { request in
            try await page(request, FormFaults(request.words), code: request.call.query("code") ?? "")
        }
    }

    private func page(_ request: PageRequest, _ faults: FormFaults, code: String) async throws -> Reply {
        _ = try request.requireIdentity()
        let path = "/v1/studies/\(PageAddress.encode(try request.path("study")))"
        let study = try await request.get(path)
        if let enrolment = try await enrolment(in: study, request) {
            return PageRenderer.redirect(PageAddress.home(enrolment))
        }
        let account = try await request.get("/v1/account")
        let zone =
            request.field("time_zone").isEmpty
            ? account["time_zone"]?.string ?? "" : request.field("time_zone")
        let language =
            request.field("language").isEmpty ? study["language"]?.string : request.field("language")
        var model: [String: Any] = [
            "consent": Markdown.html(study["consent"]?["text"]?.string ?? ""),
            "consent_version": study["consent"]?["version"]?.string ?? "",
            "needs_code": study["needs_code"]?.bool ?? false, "code": code,
            "zones": TimeZone.knownTimeZoneIdentifiers.sorted().map {
                ["id": $0, "selected": $0 == zone] as [String: Any]
            },
            "factors": (study["factors"]?.array ?? []).map { factor($0, request) },
            "languages": (study["languages"]?.array ?? []).compactMap(\.string).map {
                ["code": $0, "name": Self.name(of: $0), "selected": $0 == language] as [String: Any]
            },
        ]
        let kinds = study["data_kinds"]?.array ?? []
        model["has_kinds"] = !kinds.isEmpty
        model["kinds"] = kinds.map { kind -> [String: Any] in
            let code = kind["data_kind"]?.string ?? ""
            return [
                "kind": code, "title": kind["title"]?.string ?? code, "text": kind["text"]?.string ?? "",
                "checked": request.field("kind.\(code)") == "on",
            ]
        }
        for (name, value) in faults.model { model[name] = value }
        return context.renderer.page(
            "consent", title: faults.title(request.words.text("consent", "title")), model,
            frame: PageFrame(
                studyTitle: study["title"]?.string, isLoggedIn: true,
                back: "/studies/\(try request.path("study"))", modules: ["app"]), of: request,
            status: faults.status)
    }

    private func factor(_ factor: JSON, _ request: PageRequest) -> [String: Any] {
        let code = factor["factor"]?.string ?? ""
        return [
            "factor": code, "title": factor["title"]?.string ?? code,
            "levels": (factor["levels"]?.array ?? []).map { level -> [String: Any] in
                let value = level["level"]?.string ?? ""
                return [
                    "level": value, "title": level["title"]?.string ?? value, "factor": code,
                    "checked": request.field("factor.\(code)") == value,
                ]
            },
        ]
    }

    /// The name of a language in itself.
    private static func name(of language: String) -> String {
        Locale(identifier: language).localizedString(forLanguageCode: language) ?? language
    }

    /// The id of the visitor's enrolment in the study; nil if there is none.
    private func enrolment(in study: JSON, _ request: PageRequest) async throws -> String? {
        let items = try await request.get("/v1/enrolments")["items"]?.array ?? []
        return items.first { $0["study"]?.string == study["study"]?.string }?["enrolment_id"]?.string
    }

    var sendConsent: Route {
        context.post("/studies/{study}/consent", query: ["code"]) { request in
            _ = try request.requireIdentity()
            let code = PageAddress.encode(try request.path("study"))
            let study = try await request.get("/v1/studies/\(code)")
            var faults = FormFaults(request.words)
            do {
                let enrolment = try await request.send(
                    .post, "/v1/studies/\(code)/enrolments", body(request, study)
                ).json
                return PageRenderer.redirect(
                    PageAddress.home(enrolment["enrolment_id"]?.string ?? ""))
            } catch let problem as Problem where problem.type.status == 422 || problem.type.status == 409 {
                for fault in problem.faults { add(fault, to: &faults, request) }
                if problem.faults.isEmpty { faults.add(problem.detail ?? problem.type.title, field: nil) }
                return try await page(request, faults, code: request.field("code"))
            }
        }
    }

    private func body(_ request: PageRequest, _ study: JSON) -> JSON {
        var body: JSONObject = [
            "consent": [
                "version": .string(request.field("consent_version")),
                "accepted": .bool(request.field("accepted") == "on"),
            ],
            "time_zone": .string(request.field("time_zone")), "language": .string(request.field("language")),
        ]
        var factors = JSONObject()
        for factor in study["factors"]?.array ?? [] {
            let name = factor["factor"]?.string ?? ""
            let level = request.field("factor.\(name)")
            if !level.isEmpty { factors[name] = .string(level) }
        }
        if !factors.isEmpty { body["factors"] = .object(factors) }
        let code = request.field("code")
        if !code.isEmpty { body["code"] = .string(code) }
        var kinds = JSONObject()
        for kind in study["data_kinds"]?.array ?? [] {
            let name = kind["data_kind"]?.string ?? ""
            kinds[name] = .bool(request.field("kind.\(name)") == "on")
        }
        if !kinds.isEmpty { body["data_kinds"] = .object(kinds) }
        return .object(body)
    }

    private func add(_ fault: Fault, to faults: inout FormFaults, _ request: PageRequest) {
        switch fault.pointer {
        case "/consent/accepted":
            faults.add(request.words.text("consent", "not_accepted"), field: "accepted")
        case "/time_zone": faults.add(request.words.text("consent", "zone_invalid"), field: "time_zone")
        case "/code": faults.add(fault.detail, field: "code")
        default: faults.add(fault.detail, field: nil)
        }
    }
}
