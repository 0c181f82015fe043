import HTTPTypes
import SaunterCore
import SaunterFigures
import SaunterServer
import SaunterStore

/// The pages with which a study team invites participants: the link, enrolment codes, and posters for print.
struct StaffJoinPage: Sendable {
    /// The largest number of codes that the form creates at once, because the page draws each of them.
    static let maximumCount = 50
    private static let secondsPerDay = 86_400

    let context: PageContext

    private var publicURL: String { context.server.configuration.publicURL }

    // MARK: The link and the codes

    var join: Route {
        context.get("/staff/{study}/join", query: StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let study = try await StudyToJoin(request)
            let query = try StaffQuery(request, path: Self.address(study.code), filters: [])
            if query.isCSV { return try await codes(of: study, query, request).csvReply }
            return try await page(study, query, FormFaults(request.words), request)
        }
    }

    /// Creates codes and shows them. They are not shown again.
    var create: Route {
        context.post("/staff/{study}/join") { request in
            let identity = try request.requireIdentity()
            let study = try await StudyToJoin(request)
            guard identity.grant(.coordinator, study: study.code) != nil else { throw Problem(.notPermitted) }
            let query = StaffQuery(path: Self.address(study.code), filters: [], values: [:])
            var faults = FormFaults(request.words)
            guard let body = Self.body(request, &faults) else {
                return try await page(study, query, faults, request)
            }
            let path = "\(study.resource)/enrolment-codes"
            let made = try await request.send(.post, path, body).json["items"]?.array ?? []
            return try await page(study, query, faults, request, made: made)
        }
    }

    var revoke: Route {
        context.post("/staff/{study}/join/revoke") { request in
            _ = try request.requireIdentity()
            let study = PageAddress.encodePart(try request.path("study"))
            let code = PageAddress.encodePart(request.field("code_id"))
            try await request.send(.delete, "/v1/studies/\(study)/enrolment-codes/\(code)")
            return PageRenderer.redirect(Self.address(try request.path("study")))
        }
    }

    private static func address(_ study: String) -> String { "\(PageAddress.staff(study))/join" }

    /// The body that creates the codes; nil if a field has a fault.
    private static func body(_ request: PageRequest, _ faults: inout FormFaults) -> JSON? {
        func number(_ field: String, in range: ClosedRange<Int>) -> Int {
            guard let number = Int(request.field(field).filter { !$0.isWhitespace }), range.contains(number)
            else {
                let text = request.words.text(
                    "codes", "fault_number",
                    [
                        "field": request.words.text("codes", field), "least": String(range.lowerBound),
                        "most": String(range.upperBound),
                    ])
                faults.add(text, field: field)
                return range.lowerBound
            }
            return number
        }
        let label = request.field("label")
        if label.allSatisfy(\.isWhitespace)
            || label.unicodeScalars.count > EnrolmentCodeBatch.maximumLabelLength
        {
            let most = String(EnrolmentCodeBatch.maximumLabelLength)
            faults.add(request.words.text("codes", "fault_label", ["most": most]), field: "label")
        }
        let days = number("days", in: 1...EnrolmentCodeBatch.lifetimes.upperBound / secondsPerDay)
        let body: JSON = [
            "label": .string(label), "count": .int(number("count", in: 1...maximumCount)),
            "uses": .int(number("uses", in: EnrolmentCodeBatch.uses)),
            "expires_in": .int(days * secondsPerDay),
        ]
        // Not a conditional expression: its `nil` would be the JSON value null.
        guard faults.isEmpty else { return nil }
        return body
    }

    /// - Parameter made: codes that were just created.
    private func page(
        _ study: StudyToJoin, _ query: StaffQuery, _ faults: FormFaults, _ request: PageRequest,
        made: [JSON] = []
    ) async throws -> Reply {
        let words = request.words
        var model = faults.model
        model["path"] = query.path
        model["open"] = study.isOpen
        model["needs_code"] = study.needsCode
        model["closed"] = !study.isOpen && !study.needsCode
        let address = study.address(publicURL)
        model["address"] = address
        if let code = QRCode(address) { model["svg"] = code.svg(title: words.text("codes", "qr")) }
        model["posters"] = languages(study, words).map {
            ["name": $0.name, "address": "\(query.path)/poster?language=\(PageAddress.encode($0.code))"]
        }
        if request.identity?.grant(.coordinator, study: study.code) != nil {
            model["codes"] = try await codesModel(study, query, request, made: made)
        }
        let frame = StaffFrame.study(study.listed, .join, request)
        return context.renderer.page(
            "staff_join", title: words.text("codes", "title"), model, frame: frame, of: request,
            status: faults.status)
    }

    private func codesModel(
        _ study: StudyToJoin, _ query: StaffQuery, _ request: PageRequest, made: [JSON]
    ) async throws -> [String: Any] {
        let words = request.words
        let time = LocalTimeText(language: words.code, zone: "UTC")
        let list = try await request.get("\(study.resource)/enrolment-codes", query: query.ofRoute)
        let items = (list["items"]?.array ?? []).map { code -> [String: Any] in
            let state = code["state"]?.string ?? ""
            var model: [String: Any] = [
                "id": code["code_id"]?.string ?? "", "label": code["label"]?.string ?? "",
                "state": words.text("codes", "state_\(state)"), "used": Self.used(code, words),
                "expires": (code["expires_at"]?.instant).map { [StaffTable.moment($0, time)] } ?? [],
            ]
            if state == "active" { model["revocable"] = true }
            return model
        }
        var model: [String: Any] = [
            "items": items, "has_items": !items.isEmpty, "csv": query.csvAddress,
            "label": request.field("label"), "count": Self.value("count", "1", request),
            "uses": Self.value("uses", "1", request), "days": Self.value("days", "90", request),
            "most": String(Self.maximumCount), "made": made.map { madeModel($0, study, words) },
            "has_made": !made.isEmpty,
        ]
        if let next = list["next"]?.string { model["next"] = query.address(cursor: next) }
        if !query["cursor"].isEmpty { model["first"] = query.address(cursor: nil) }
        return model
    }

    private static func value(_ field: String, _ usual: String, _ request: PageRequest) -> String {
        let given = request.field(field)
        return given.isEmpty ? usual : given
    }

    /// A new code with its QR code, and a form for its posters. No address contains the code, because the server logs
    /// addresses.
    private func madeModel(_ code: JSON, _ study: StudyToJoin, _ words: Words.Language) -> [String: Any] {
        let text = code["code"]?.string ?? ""
        let svg = QRCode(study.address(publicURL, code: text))?.svg(
            title: words.text("codes", "qr_of", ["code": text]))
        return [
            "code": text, "svg": svg ?? "",
            "languages": languages(study, words).map { ["code": $0.code, "name": $0.name] },
        ]
    }

    private static func used(_ code: JSON, _ words: Words.Language) -> String {
        words.text(
            "codes", "used_of",
            ["used": String(code["used"]?.int ?? 0), "uses": String(code["uses"]?.int ?? 0)])
    }

    /// The codes as a file, without the codes themselves, which the server does not keep.
    private func codes(
        of study: StudyToJoin, _ query: StaffQuery, _ request: PageRequest
    ) async throws -> StaffTable {
        let words = request.words
        let list = try await request.get("\(study.resource)/enrolment-codes", query: query.ofRoute)
        let titles = ["label", "state", "used", "expires", "created"]
        return StaffTable(
            name: "\(study.code)-codes", caption: words.text("codes", "title"),
            columns: titles.map { .init(title: words.text("codes", $0)) },
            rows: (list["items"]?.array ?? []).map { code in
                [
                    .text(code["label"]?.string ?? ""),
                    .text(words.text("codes", "state_\(code["state"]?.string ?? "")")),
                    .text(Self.used(code, words)), .moment(code["expires_at"]?.instant),
                    .moment(code["created_at"]?.instant),
                ]
            }, asOf: request.call.now)
    }

    /// The languages of the study with their names in this language.
    private func languages(
        _ study: StudyToJoin, _ words: Words.Language
    ) -> [(code: String, name: String)] {
        study.languages.map { ($0, LanguageName.text($0, in: words.code)) }
    }

    // MARK: Posters

    /// A poster that leads to the study.
    var poster: Route {
        context.get("/staff/{study}/join/poster", query: ["language"]) { request in
            try await poster(request, language: request.call.query("language") ?? "", code: nil)
        }
    }

    /// A poster with a code.
    var codePoster: Route {
        context.post("/staff/{study}/join/poster") { request in
            try await poster(
                request, language: request.field("language"),
                code: request.field("code").filter { !$0.isWhitespace })
        }
    }

    private func poster(_ request: PageRequest, language: String, code: String?) async throws -> Reply {
        _ = try request.requireIdentity()
        let own = try await StudyToJoin(request)
        guard own.languages.contains(language) else { throw Problem(.notFound) }
        // A code that the study does not have is printed too; it admits no participant.
        if let code, EnrolmentCodeSecret(typed: code) == nil { throw Problem(.requestInvalid) }
        var request = request
        request.speak(language)
        let study = try await StudyToJoin(request, language: language)
        let address = study.address(publicURL, code: code)
        guard let qr = QRCode(address) else { throw Problem(.requestInvalid) }
        var model: [String: Any] = [
            "study_language": language, "summary": study.summary,
            "svg": qr.svg(title: request.words.text("codes", "qr")),
            "address": code == nil ? address : study.address(publicURL, code: ""),
            "name": study.title,
        ]
        if let code { model["code"] = code }
        var frame = StaffFrame.study(own.listed, nil, request)
        frame.breadcrumb.append(
            PageFrame.Link(
                title: request.words.text("codes", "title"), address: Self.address(study.code)))
        return context.renderer.page(
            "staff_poster", title: request.words.text("codes", "poster"), model, frame: frame, of: request)
    }
}

/// A study of the visitor, as participants can join it.
private struct StudyToJoin {
    let code: String
    /// The study as the visitor's list of studies shows it.
    let listed: StaffStudyView
    let title: String
    let summary: String
    let languages: [String]
    /// Whether anyone can join.
    let isOpen: Bool
    /// Whether a code is needed.
    let needsCode: Bool
    /// The page of the study's own app, with the placeholder `{{code}}`; nil for the page of this server.
    let joinAddress: String?

    /// - Parameter language: the language of the texts; nil for that of the page.
    /// - Throws: `not-found` if the visitor has no role in the study.
    init(_ request: PageRequest, language: String? = nil) async throws {
        code = try request.path("study")
        listed = StaffStudyView(try await StaffStudyView.item(of: code, request), request.words)
        let study = try await request.send(
            .get, "/v1/studies/\(PageAddress.encodePart(code))",
            headers: language.map { [.acceptLanguage: $0] } ?? [:]
        ).json
        title = study["title"]?.string ?? code
        summary = study["summary"]?.string ?? ""
        languages = (study["languages"]?.array ?? []).compactMap(\.string)
        isOpen = study["open"]?.bool ?? false
        needsCode = study["needs_code"]?.bool ?? false
        joinAddress = study["join_address"]?.string
    }

    /// The path of the study in the API.
    var resource: String { "/v1/studies/\(PageAddress.encodePart(code))" }

    /// The address at which a participant joins.
    /// - Parameter code: a code, which is in the part of the address that no server gets; empty for the page on which a
    ///   visitor types it; nil for an open study.
    func address(_ publicURL: String, code: String? = nil) -> String {
        guard let code = code ?? (needsCode ? "" : nil) else {
            return "\(publicURL)/studies/\(PageAddress.encodePart(self.code))"
        }
        if let joinAddress, !code.isEmpty {
            return TextTemplate.fill(joinAddress, ["code": PageAddress.encode(code)])
        }
        return "\(publicURL)/join" + (code.isEmpty ? "" : "#\(PageAddress.encode(code))")
    }
}
