import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// What a coordinator does for one participant: reads the contact data, sends a mail for a new password, changes the
/// arm, and ends the participation.
struct ParticipantActionsPage: Sendable {
    private static let maximumReason = 1000

    let context: PageContext

    var actions: Route {
        context.get("/staff/{study}/participants/{participant}/actions", query: ["done"]) { request in
            _ = try request.requireStudyToAct()
            return try await page(FormFaults(request.words), nil, request)
        }
    }

    /// Does one of the acts. The forms and the page have one address, so that a visitor who has to enter the password
    /// finds the page.
    var act: Route {
        context.post("/staff/{study}/participants/{participant}/actions") { request in
            let study = try request.requireStudyToAct()
            var faults = FormFaults(request.words)
            var contact: JSON?
            var next: String?
            let own = Self.address(try request.path("participant"), of: study)
            switch request.field("act") {
            case "contact": contact = try await readContact(&faults, request)
            case "reset": next = try await sendReset(&faults, request) ? "\(own)?done=reset" : nil
            case "arm": next = try await changeArm(&faults, request) ? "\(own)?done=arm" : nil
            case "end": next = try await end(&faults, own, request)
            default: throw Problem(.bodyInvalid, "The form names no act.")
            }
            // Contact data are in no address, and each look is a separate request.
            if let next { return PageRenderer.redirect(next) }
            return try await page(faults, contact, request)
        }
    }

    /// The address of the page.
    static func address(_ participant: String, of study: String) -> String {
        "\(ParticipantPage.address(participant, of: study))/actions"
    }

    private static func resource(_ request: PageRequest) throws -> String {
        ParticipantPage.resource(try request.path("participant"), of: try request.path("study"))
    }

    // MARK: - Acts

    /// - Returns: nil with faults.
    private func readContact(_ faults: inout FormFaults, _ request: PageRequest) async throws -> JSON? {
        let reason = choice("contact_reason", of: ParticipantActionReason.contact, &faults, request)
        guard faults.isEmpty else { return nil }
        return try await request.send(
            .post, "\(try Self.resource(request))/contact", ["reason": .string(reason)]
        ).json
    }

    /// - Returns: false with faults.
    private func sendReset(_ faults: inout FormFaults, _ request: PageRequest) async throws -> Bool {
        do {
            try await request.send(.post, "\(try Self.resource(request))/password-reset")
        } catch let problem as Problem {
            switch problem.type {
            case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
            case .notFound: faults.add(request.words.text("actions", "fault_no_address"), field: nil)
            default: throw problem
            }
        }
        return faults.isEmpty
    }

    /// - Returns: false with faults.
    private func changeArm(_ faults: inout FormFaults, _ request: PageRequest) async throws -> Bool {
        let words = request.words
        let reason = request.field("reason")
        if request.field("arm").isEmpty { faults.add(words.text("actions", "fault_arm"), field: "arm") }
        if reason.allSatisfy(\.isWhitespace) {
            faults.add(words.text("arms", "fault_reason"), field: "reason")
        } else if reason.unicodeScalars.count > Self.maximumReason {
            faults.add(
                words.text("arms", "fault_reason_length", ["most": String(Self.maximumReason)]),
                field: "reason")
        }
        guard faults.isEmpty else { return false }
        do {
            try await request.send(
                .put, "\(try Self.resource(request))/arm",
                ["arm": .string(request.field("arm")), "reason": .string(reason)])
        } catch let problem as Problem {
            switch problem.type {
            case .bodyInvalid: faults.add(words.text("actions", "fault_arm"), field: "arm")
            case .enrolmentWithdrawn: faults.add(words.text("actions", "fault_ended"), field: nil)
            case .armsBlinded: faults.add(words.text("actions", "arm_hidden"), field: nil)
            default: throw problem
            }
        }
        return faults.isEmpty
    }

    /// - Returns: the address of the page that shows the result; nil with faults.
    private func end(
        _ faults: inout FormFaults, _ own: String, _ request: PageRequest
    ) async throws -> String? {
        let words = request.words
        let (study, participant) = (try request.path("study"), try request.path("participant"))
        let mode = choice("mode", of: ["stop", "exclude", "erase"], &faults, request)
        let reason = choice("end_reason", of: ParticipantActionReason.end, &faults, request)
        // People type a pseudonym as they read it aloud.
        let typed = request.field("pseudonym").filter { !$0.isWhitespace }.uppercased()
        if typed != participant.uppercased() {
            faults.add(
                words.text("actions", "fault_pseudonym", ["participant": participant]), field: "pseudonym")
        }
        guard faults.isEmpty else { return nil }
        do {
            try await request.send(
                .post, "\(try Self.resource(request))/withdrawal",
                [
                    "mode": .string(mode), "reason": .string(reason),
                    "participant_id": .string(participant),
                ])
        } catch let problem as Problem where problem.type == .enrolmentWithdrawn {
            faults.add(words.text("actions", "fault_ended"), field: nil)
            return nil
        }
        // After “exclude” and “erase” the participant has no page; the audit shows what was done.
        return mode == "stop"
            ? "\(own)?done=stop" : "\(StaffStudyPage.audit.address(study))?action=withdrawn"
    }

    private func choice(
        _ field: String, of values: [String], _ faults: inout FormFaults, _ request: PageRequest
    ) -> String {
        let value = request.field(field)
        if !values.contains(value) {
            faults.add(request.words.text("actions", "fault_\(field)"), field: field)
        }
        return value
    }

    // MARK: - The page

    private func page(_ faults: FormFaults, _ contact: JSON?, _ request: PageRequest) async throws -> Reply {
        let words = request.words
        let (study, participant) = (try request.path("study"), try request.path("participant"))
        let detail = try await request.get(try Self.resource(request))
        let view = ParticipantView(detail, words)
        let item = try await StaffStudyView.item(of: study, request)
        var model = faults.model
        model["path"] = Self.address(participant, of: study)
        model["facts"] = view.facts
        if let done = request.call.query("done"), ["arm", "reset", "stop"].contains(done) {
            model["done"] = words.text("actions", "done_\(done)")
        }
        if let contact { model["contact"] = ["rows": rows(contact, words)] }
        // The forms are shown after the password, because what is typed would be lost on the way to that page.
        if request.identity?.session?.isConfirmed(at: request.call.now) ?? true {
            let known = try await request.get("/v1/studies/\(PageAddress.encodePart(study))")
            model["forms"] = try await forms(detail, view, item, known, request)
        } else {
            model["password"] =
                "/staff/login?next=\(PageAddress.encode(Self.address(participant, of: study)))"
        }
        var frame = StaffFrame.study(StaffStudyView(item, words), nil, request)
        frame.breadcrumb += [
            ParticipantPage.list(of: study, request),
            PageFrame.Link(
                title: view.pseudonym, address: ParticipantPage.address(participant, of: study)),
        ]
        return context.renderer.page(
            "staff_actions", title: words.text("actions", "title"), model, frame: frame, of: request,
            status: faults.status)
    }

    private func rows(_ contact: JSON, _ words: Words.Language) -> [[String: String]] {
        func row(_ word: String, _ text: String) -> [String: String] {
            ["title": words.text("actions", word), "text": text]
        }
        let none = words.text("actions", "none")
        let name = contact["name"]?.string ?? ""
        var rows = [row("name", name.isEmpty ? none : name)]
        if let email = contact["email"]?.string {
            let isVerified = contact["email_verified"]?.bool ?? false
            rows.append(
                row("email", isVerified ? email : words.text("actions", "unverified", ["email": email])))
        } else {
            rows.append(row("email", none))
        }
        rows.append(row("language", contact["language"]?.string ?? ""))
        rows.append(row("time_zone", contact["time_zone"]?.string ?? ""))
        return rows
    }

    private func forms(
        _ detail: JSON, _ view: ParticipantView, _ item: JSON, _ known: JSON, _ request: PageRequest
    ) async throws -> [String: Any] {
        let words = request.words
        let isActive = detail["ended_at"]?.instant == nil
        let counts = [
            "sheets": String(detail["answer_sheets"]?.int ?? 0), "walks": String(detail["walks"]?.int ?? 0),
        ]
        let modes = isActive ? ["stop", "exclude", "erase"] : ["exclude", "erase"]
        var forms: [String: Any] = [
            "shows_contact": known["shows_contact"]?.bool ?? false,
            "contact_reasons": options(ParticipantActionReason.contact, "contact_reason", request),
            "end_reasons": options(ParticipantActionReason.end, "end_reason", request),
            "modes": modes.map { mode in
                [
                    "value": mode, "title": words.text("actions", "mode_\(mode)"),
                    "text": words.text("actions", "mode_\(mode)_text", counts),
                    "checked": request.field("mode") == mode,
                ] as [String: Any]
            },
            "pseudonym": request.field("pseudonym"), "reason": request.field("reason"),
            "pseudonym_hint": words.text("actions", "pseudonym_hint", ["participant": view.pseudonym]),
            "most": String(Self.maximumReason),
        ]
        let isHidden = (item["blinded"]?.bool ?? true) && !(item["sees_arms"]?.bool ?? false)
        if isHidden {
            forms["arm_hidden"] = true
        } else if isActive, let arm = try await arm(detail, view, request) {
            forms["arm"] = arm
        }
        return forms
    }

    /// The form that changes the arm, with what the change does; nil in a study with one arm.
    private func arm(
        _ detail: JSON, _ view: ParticipantView, _ request: PageRequest
    ) async throws -> [String: Any]? {
        let words = request.words
        let balance = try await request.get(
            "/v1/studies/\(PageAddress.encodePart(try request.path("study")))/balance")
        let counts = (balance["arms"]?.array ?? []).map {
            (arm: $0["arm"]?.string ?? "", count: $0["participants"]?.int ?? 0)
        }
        guard counts.count > 1 else { return nil }
        let current = counts.first { $0.arm == view.arm }?.count ?? 0
        let lastDay = detail["study_days"]?.int ?? 0
        let days = max(0, lastDay - (detail["study_day"]?.int ?? 0))
        return [
            "text": words.text(
                "actions", StudyLength.isCounted(lastDay: lastDay) ? "arm_text" : "arm_text_open",
                [
                    "participant": view.pseudonym, "arm": view.arm, "count": String(current),
                    "next": String(max(0, current - 1)), "days": String(days),
                ]),
            "options": counts.filter { $0.arm != view.arm }.map { other in
                [
                    "value": other.arm,
                    "title": words.text(
                        "actions", "arm_option",
                        [
                            "arm": other.arm, "count": String(other.count),
                            "next": String(other.count + 1),
                        ]), "checked": request.field("arm") == other.arm,
                ] as [String: Any]
            },
        ]
    }

    private func options(
        _ values: [String], _ field: String, _ request: PageRequest
    ) -> [[String: Any]] {
        values.map {
            [
                "value": $0, "title": request.words.text("actions", "\(field)_\($0)"),
                "selected": request.field(field) == $0,
            ]
        }
    }
}
