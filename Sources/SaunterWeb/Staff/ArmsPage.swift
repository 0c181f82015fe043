import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The page of the arms of one study: their balance, participants who were moved, and the blinding.
struct ArmsPage: Sendable {
    private static let maximumReason = 1000

    let context: PageContext

    var arms: Route {
        context.get("/staff/{study}/arms", query: ["read"] + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let study = try await StudyArmsView(request)
            let query = try StaffQuery(request, path: Self.address(study.code), filters: [])
            if query.isCSV { return study.table.csvReply }
            return try await page(study, query, FormFaults(request.words), request)
        }
    }

    /// Reads the arm of one participant, or shows all arms to the team. The form and the page have one address, so that
    /// a visitor who has to enter the password finds the page.
    var unblind: Route {
        context.post("/staff/{study}/arms") { request in
            let code = try request.requireStudyToAct()
            var faults = FormFaults(request.words)
            let isForAll = request.field("scope") == "study"
            let next =
                isForAll
                ? try await showAll(of: code, &faults, request)
                : try await readOne(of: code, &faults, request)
            if let next { return PageRenderer.redirect(next) }
            let study = try await StudyArmsView(request)
            let query = StaffQuery(path: Self.address(study.code), filters: [], values: [:])
            return try await page(study, query, faults, request)
        }
    }

    static func address(_ study: String) -> String { StaffStudyPage.arms.address(study) }

    private static func resource(_ study: String) -> String { "/v1/studies/\(PageAddress.encodePart(study))" }

    // MARK: Forms

    /// - Returns: the address that shows the arm; nil with faults.
    private func readOne(
        of study: String, _ faults: inout FormFaults, _ request: PageRequest
    ) async throws -> String? {
        let words = request.words
        // People type a pseudonym as they read it aloud.
        let participant = request.field("participant").filter { !$0.isWhitespace }.uppercased()
        if participant.isEmpty { faults.add(words.text("arms", "fault_participant"), field: "participant") }
        checkReason("reason", &faults, request)
        guard faults.isEmpty else { return nil }
        do {
            try await request.send(
                .post,
                "\(Self.resource(study))/participants/\(PageAddress.encodePart(participant))/unblinding",
                ["reason": .string(request.field("reason"))])
        } catch let problem as Problem {
            switch problem.type {
            case .notFound: faults.add(words.text("arms", "fault_unknown"), field: "participant")
            case .studyNotBlinded: faults.add(words.text("arms", "fault_not_blinded"), field: nil)
            default: throw problem
            }
            return nil
        }
        return "\(Self.address(study))?read=\(PageAddress.encode(participant))"
    }

    /// - Returns: the address of the page; nil with faults.
    private func showAll(
        of study: String, _ faults: inout FormFaults, _ request: PageRequest
    ) async throws -> String? {
        checkReason("all_reason", &faults, request)
        if request.field("code").filter({ !$0.isWhitespace }) != study {
            faults.add(request.words.text("arms", "fault_code", ["study": study]), field: "code")
        }
        guard faults.isEmpty else { return nil }
        do {
            try await request.send(
                .post, "\(Self.resource(study))/unblinding",
                ["reason": .string(request.field("all_reason")), "study": .string(study)])
        } catch let problem as Problem where problem.type == .studyNotBlinded {
            faults.add(request.words.text("arms", "fault_not_blinded"), field: nil)
            return nil
        }
        return Self.address(study)
    }

    private func checkReason(_ field: String, _ faults: inout FormFaults, _ request: PageRequest) {
        let reason = request.field(field)
        if reason.allSatisfy(\.isWhitespace) {
            faults.add(request.words.text("arms", "fault_reason"), field: field)
        } else if reason.unicodeScalars.count > Self.maximumReason {
            let most = String(Self.maximumReason)
            faults.add(request.words.text("arms", "fault_reason_length", ["most": most]), field: field)
        }
    }

    // MARK: The page

    private func page(
        _ study: StudyArmsView, _ query: StaffQuery, _ faults: FormFaults, _ request: PageRequest
    ) async throws -> Reply {
        var model = faults.model
        model["path"] = query.path
        model["table"] = study.table.model(query, request.words)
        model["facts"] = study.facts
        model["moved"] = study.moved
        model["has_moved"] = !study.moved.isEmpty
        model["as_of"] = StaffTable.moment(
            request.call.now, LocalTimeText(language: request.words.code, zone: "UTC"))
        if let figure = study.figure { model["figure"] = figure }
        if !study.listed.hasArms { model["one_arm"] = true }
        if study.hidesCounts { model["hides_counts"] = true }
        if study.isBlinded || !study.unblindings.isEmpty {
            model["blinding"] = try await blinding(study, query, request)
        }
        return context.renderer.page(
            "staff_arms", title: request.words.text("staff", "arms"), model,
            frame: StaffFrame.study(study.listed, .arms, request), of: request,
            status: faults.status)
    }

    private func blinding(
        _ study: StudyArmsView, _ query: StaffQuery, _ request: PageRequest
    ) async throws -> [String: Any] {
        let words = request.words
        var model: [String: Any] = [
            "state": words.text("arms", study.state), "unblindings": study.unblindings,
            "has_unblindings": !study.unblindings.isEmpty, "is_blinded": study.isBlinded,
            "differences": study.differences,
            "read": try await arm(of: request.call.query("read") ?? "", in: study, request),
        ]
        guard study.isBlinded, request.mayAct(in: study.code) else { return model }
        // The forms are shown after the password, because what is typed would be lost on the way to that page.
        if request.identity?.session?.isConfirmed(at: request.call.now) ?? true {
            model["forms"] = [
                "participant": request.field("participant"), "reason": request.field("reason"),
                "all_reason": request.field("all_reason"), "code": request.field("code"),
                "most": String(Self.maximumReason),
                "code_hint": words.text("arms", "code_hint", ["study": study.code]),
            ]
        } else {
            model["password"] = "/staff/login?next=\(PageAddress.encode(query.path))"
        }
        return model
    }

    /// The arm of a participant in words, if the visitor has read it; otherwise an empty list.
    private func arm(
        of participant: String, in study: StudyArmsView, _ request: PageRequest
    ) async throws -> [String] {
        guard !participant.isEmpty else { return [] }
        let path = ParticipantPage.resource(participant, of: study.code)
        let arm = try await request.get("\(path)/arm")
        return [
            request.words.text(
                "arms", "arm_of", ["participant": participant, "arm": arm["arm"]?.string ?? ""])
        ]
    }
}
