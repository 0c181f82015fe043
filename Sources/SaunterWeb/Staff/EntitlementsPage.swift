import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The entitlements of one participant, with the forms of a coordinator to give one and to end a gift.
struct EntitlementsPage: Sendable {
    private static let maximumReason = 1000

    let context: PageContext

    var entitlements: Route {
        context.get("/staff/{study}/participants/{participant}/entitlements", query: ["done"]) { request in
            _ = try request.requireIdentity()
            return try await page(FormFaults(request.words), request)
        }
    }

    /// Gives an entitlement, or ends a gift. The form and the page have one address, so that a visitor who has to enter
    /// the password finds the page.
    var change: Route {
        context.post("/staff/{study}/participants/{participant}/entitlements") { request in
            let study = try request.requireStudyToAct()
            var faults = FormFaults(request.words)
            let isRevocation = !request.field("revoke").isEmpty
            let done = isRevocation ? try await revoke(&faults, request) : try await give(&faults, request)
            guard done else { return try await page(faults, request) }
            let address = Self.address(try request.path("participant"), of: study)
            return PageRenderer.redirect("\(address)?done=\(isRevocation ? "revoked" : "given")")
        }
    }

    /// The address of the page.
    static func address(_ participant: String, of study: String) -> String {
        "\(ParticipantPage.address(participant, of: study))/entitlements"
    }

    // MARK: - Forms

    /// - Returns: false with faults.
    private func give(_ faults: inout FormFaults, _ request: PageRequest) async throws -> Bool {
        let words = request.words
        let (study, participant) = (try request.path("study"), try request.path("participant"))
        let resource = ParticipantPage.resource(participant, of: study)
        let reason = reason("reason", &faults, request)
        var until: JSON = .null
        let typed = request.field("until").filter { !$0.isWhitespace }
        if !typed.isEmpty {
            let zone = try await request.get(resource)["time_zone"]?.string.flatMap { Zone($0) } ?? .utc
            if let date = LocalDate(typed), zone.startOfDay(date.adding(days: 1)) > request.call.now {
                until = .string(zone.startOfDay(date.adding(days: 1)).description)
            } else {
                faults.add(words.text("entitlements", "fault_until"), field: "until")
            }
        }
        guard faults.isEmpty else { return false }
        do {
            try await request.send(
                .put, "\(resource)/entitlements/\(PageAddress.encodePart(request.field("code")))",
                ["valid_until": until, "reason": .string(reason)])
        } catch let problem as Problem where problem.type == .notFound {
            faults.add(words.text("entitlements", "fault_code"), field: "code")
            return false
        }
        return true
    }

    /// - Returns: false with faults.
    private func revoke(_ faults: inout FormFaults, _ request: PageRequest) async throws -> Bool {
        let resource = ParticipantPage.resource(
            try request.path("participant"), of: try request.path("study"))
        let reason = reason("revoke_reason", &faults, request)
        guard faults.isEmpty else { return false }
        do {
            try await request.send(
                .delete, "\(resource)/entitlements/\(PageAddress.encodePart(request.field("revoke")))",
                ["reason": .string(reason)])
        } catch let problem as Problem where problem.type == .notFound {
            faults.add(request.words.text("entitlements", "fault_ended"), field: nil)
            return false
        }
        return true
    }

    private func reason(_ field: String, _ faults: inout FormFaults, _ request: PageRequest) -> String {
        let reason = request.field(field)
        if reason.allSatisfy(\.isWhitespace) {
            faults.add(request.words.text("entitlements", "fault_reason"), field: field)
        } else if reason.unicodeScalars.count > Self.maximumReason {
            let most = String(Self.maximumReason)
            faults.add(
                request.words.text("entitlements", "fault_reason_length", ["most": most]), field: field)
        }
        return reason
    }

    // MARK: - The page

    private func page(_ faults: FormFaults, _ request: PageRequest) async throws -> Reply {
        let words = request.words
        let (study, participant) = (try request.path("study"), try request.path("participant"))
        let resource = ParticipantPage.resource(participant, of: study)
        let items = try await request.get("\(resource)/entitlements")["items"]?.array ?? []
        let known = try await request.get("/v1/studies/\(PageAddress.encodePart(study))")
        let detail = try await request.get(resource)
        let time = LocalTimeText(language: words.code, zone: detail["time_zone"]?.string ?? "UTC")
        let path = Self.address(participant, of: study)
        var model = faults.model
        model["path"] = path
        model["rows"] = items.map { Self.row($0, words, time, now: request.call.now) }
        model["has_rows"] = !items.isEmpty
        model["zone"] = words.text(
            "participant", "zone_note", ["zone": detail["time_zone"]?.string ?? "UTC"])
        if let done = request.call.query("done"), ["given", "revoked"].contains(done) {
            model["done"] = words.text("entitlements", done)
        }
        if request.mayAct(in: study) {
            // The forms are shown after the password, because what is typed would be lost on the way to that page.
            if request.identity?.session?.isConfirmed(at: request.call.now) ?? true {
                model["forms"] = forms(known, items, words, request)
            } else {
                model["password"] = "/staff/login?next=\(PageAddress.encode(path))"
            }
        }
        var frame = try await StaffFrame.study(study, nil, request)
        frame.breadcrumb += [
            ParticipantPage.list(of: study, request),
            PageFrame.Link(
                title: detail["participant_id"]?.string ?? participant,
                address: ParticipantPage.address(participant, of: study)),
        ]
        return context.renderer.page(
            "staff_entitlements", title: words.text("entitlements", "title"), model, frame: frame,
            of: request,
            status: faults.status)
    }

    private static func row(
        _ item: JSON, _ words: Words.Language, _ time: LocalTimeText, now: Instant
    ) -> [String: Any] {
        [
            "title": item["title"]?.string ?? "",
            "from": item["valid_from"]?.instant.map { time.day(of: $0, now: now) } ?? "",
            "until": item["valid_until"]?.instant.map { time.lastDay(before: $0, now: now) }
                ?? words.text("entitlements", "endless"),
            "source": words.text("entitlements", "source_\(item["source"]?.string ?? "")"),
            "state": words.text("entitlements", "state_\(item["state"]?.string ?? "")"),
            "reason": item["reason"]?.string ?? "",
        ]
    }

    private func forms(
        _ study: JSON, _ items: [JSON], _ words: Words.Language, _ request: PageRequest
    ) -> [String: Any] {
        func option(_ item: JSON, chosen: String) -> [String: Any] {
            let code = item["entitlement"]?.string ?? ""
            return ["value": code, "title": item["title"]?.string ?? code, "selected": code == chosen]
        }
        let given = items.filter {
            $0["source"]?.string == EntitlementSource.gift.rawValue && $0["state"]?.string == "active"
        }
        let codes = (study["entitlements"]?.array ?? []).map { option($0, chosen: request.field("code")) }
        return [
            "codes": codes, "has_codes": !codes.isEmpty, "until": request.field("until"),
            "reason": request.field("reason"), "most": String(Self.maximumReason),
            "given": given.map { option($0, chosen: request.field("revoke")) }, "has_given": !given.isEmpty,
            "revoke_reason": request.field("revoke_reason"),
        ]
    }
}
