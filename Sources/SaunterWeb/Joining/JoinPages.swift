import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages on which a visitor enters a code, consents and joins a study.
struct JoinPages: Sendable {
    let context: PageContext

    var consent: Route {
        context.get("/studies/{study}/consent", query: ["code"]) { request in
            try await consentPage(
                request, FormFaults(request.words), code: request.call.query("code") ?? "")
        }
    }

    // MARK: - A code

    /// Asks for a code. A link such as `/join#CODE` fills the field by script.
    var join: Route {
        context.get("/join") { request in try await joinPage(request, FormFaults(request.words)) }
    }

    private func joinPage(_ request: PageRequest, _ faults: FormFaults) async throws -> Reply {
        let studies = try await studiesWithCodes(request)
        var model = faults.model
        model["code"] = request.field("code")
        model["has_studies"] = !studies.isEmpty
        model["only_study"] = studies.count == 1 ? studies[0].code : nil
        model["choices"] =
            studies.count > 1
            ? [
                "studies": studies.map {
                    ["study": $0.code, "title": $0.title, "checked": $0.code == request.field("study")]
                        as [String: Any]
                }
            ] : nil
        return context.renderer.page(
            "join", title: request.words.text("join", "title"), model,
            frame: PageFrame(isLoggedIn: request.identity != nil, back: "/", modules: ["account"]),
            of: request, status: faults.status)
    }

    /// The studies that admit only participants with a code.
    private func studiesWithCodes(_ request: PageRequest) async throws -> [(code: String, title: String)] {
        var found: [(code: String, title: String)] = []
        for summary in try await request.get("/v1/studies")["items"]?.array ?? [] {
            let code = summary["study"]?.string ?? ""
            let study = try await request.get("/v1/studies/\(PageAddress.encodePart(code))")
            if study["needs_code"]?.bool == true { found.append((code, study["title"]?.string ?? code)) }
        }
        return found
    }

    /// Leads to the consent page of the study, which checks the code when the participant joins.
    var sendCode: Route {
        context.post("/join") { request in
            var faults = FormFaults(request.words)
            faults.require(["code"], in: request)
            let study = request.field("study")
            if try await !studiesWithCodes(request).contains(where: { $0.code == study }) {
                faults.add(request.words.text("join", "choose_study"), field: "study")
            }
            guard faults.isEmpty else { return try await joinPage(request, faults) }
            let code = PageAddress.encodePart(request.field("code").filter { !$0.isWhitespace })
            return PageRenderer.redirect("/studies/\(PageAddress.encodePart(study))/consent?code=\(code)")
        }
    }

    // MARK: - Consent

    private func consentPage(_ request: PageRequest, _ faults: FormFaults, code: String) async throws -> Reply
    {
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
            "zones": EnrolmentChoices.zones(selected: zone),
            "factors": (study["factors"]?.array ?? []).map { factor($0, request) },
            "languages": EnrolmentChoices.languages(of: study, selected: language),
        ]
        if study["shows_contact"]?.bool == true { model["shows_contact"] = true }
        // A form that cannot succeed is not shown without a remark.
        let isAdmitted = study["account_kinds"]?.array?.contains(account["kind"] ?? .null) ?? true
        if !isAdmitted { model["not_admitted"] = true }
        if !isAdmitted, account["email"]?.string == nil { model["must_sign_up"] = true }
        let kinds = EnrolmentChoices.dataKinds(of: study) { request.field("kind.\($0)") == "on" }
        model["has_kinds"] = !kinds.isEmpty
        model["kinds"] = kinds
        for (name, value) in faults.model { model[name] = value }
        return context.renderer.page(
            "consent", title: request.words.text("consent", "title"), model,
            frame: PageFrame(
                studyTitle: study["title"]?.string, isLoggedIn: true,
                back: "/studies/\(try request.path("study"))",
                look: StudyLook(study)), of: request,
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
                let home = PageAddress.home(enrolment["enrolment_id"]?.string ?? "")
                let hasWelcome = !(study["welcome"]?.array ?? []).isEmpty
                return PageRenderer.redirect(hasWelcome ? "\(home)/welcome" : home)
            } catch let problem as Problem {
                switch problem.type {
                case .bodyInvalid, .enrolmentCodeInvalid:
                    for fault in problem.faults { add(fault, to: &faults, request) }
                case .consentOutdated: faults.add(request.words.text("consent", "outdated"), field: nil)
                case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                case .notPermitted: faults.add(try await refusal(study, request), field: nil)
                default: throw problem
                }
                return try await consentPage(request, faults, code: request.field("code"))
            }
        }
    }

    /// Why the study does not admit the visitor.
    private func refusal(_ study: JSON, _ request: PageRequest) async throws -> String {
        let kind = try await request.get("/v1/account")["kind"] ?? .null
        let isAdmitted = study["account_kinds"]?.array?.contains(kind) ?? true
        return isAdmitted
            ? request.words.text("study", "closed") : request.words.text("anonymous", "not_admitted")
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
        case "/code":
            let text = request.words["consent", "code_\(fault.code)"]
            faults.add(text ?? request.words.text("consent", "code_mistyped"), field: "code")
        case let pointer where pointer.hasPrefix("/factors"):
            let factor = pointer.split(separator: "/").dropFirst().first.map { "factor.\($0)" }
            faults.add(request.words.text("consent", "choose_factor"), field: factor)
        default: faults.add(request.words.text("consent", "not_possible"), field: nil)
        }
    }
}
