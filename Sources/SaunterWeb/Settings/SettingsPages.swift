import HTTPTypes
import SaunterCore
import SaunterServer

/// The participant's settings: reminders, language, time zone, data kinds, the settings of the study, and what happens
/// to the participant's data.
struct SettingsPages: Sendable {
    /// The ways to remind a participant that this page offers. The first one that works is used.
    private static let channels = ["push", "mail"]

    let context: PageContext

    var settings: Route {
        context.get("/my/{id}/settings", query: ["saved"]) { request in
            var request = request
            let participant = try await request.participant()
            return try await page(participant, request, FormFaults(request.words))
        }
    }

    private func page(
        _ participant: Participant, _ request: PageRequest, _ faults: FormFaults
    ) async throws -> Reply {
        let enrolment = participant.enrolment
        let account = try await request.get("/v1/account")
        // A form with faults is shown with what the participant entered.
        let isSent = !faults.isEmpty
        let zone = isSent ? request.field("time_zone") : enrolment["time_zone"]?.string ?? ""
        let language = isSent ? request.field("language") : enrolment["language"]?.string
        let stored = (enrolment["reminder"]?["channels"]?.array ?? []).compactMap(\.string)
        let channels =
            isSent ? Self.channels.filter { request.field("channel.\($0)") == "on" } : stored
        let time =
            isSent
            ? request.field("reminder_time")
            : String((enrolment["reminder"]?["time"]?.string ?? "").prefix(5))
        let own = try await request.get("\(participant.resource)/settings")["items"]?.array ?? []
        var model: [String: Any] = [
            "saved": request.call.query("saved") != nil, "home": participant.home,
            "reminder_on": isSent
                ? request.field("reminder_on") == "on" : enrolment["reminder"]?["on"]?.bool ?? false,
            "reminder_time": time,
            "channels": Self.channels.map {
                [
                    "channel": $0, "title": request.words.text("settings", "channel_\($0)"),
                    "checked": channels.contains($0),
                ] as [String: Any]
            },
            "zones": EnrolmentChoices.zones(selected: zone),
            "languages": EnrolmentChoices.languages(of: participant.study, selected: language),
            "paused": enrolment["paused"]?.bool ?? false, "active": participant.isActive,
            "modes": Appearance.allCases.map {
                [
                    "mode": $0.rawValue, "title": request.words.text("settings", "mode_\($0.rawValue)"),
                    "checked": $0 == Appearance(of: request.call.headers),
                ] as [String: Any]
            },
            "email": account["email"]?.string ?? "",
            "email_unverified": account["email"]?.string != nil
                && account["email_verified_at"]?.string == nil,
            "no_address": account["email"]?.string == nil,
            "own_settings": try await cards(of: own, participant, request),
            "has_own_settings": !own.isEmpty, "export": "/v1/enrolments/\(participant.id)/export",
        ]
        let permitted = participant.permittedKinds
        let kinds = EnrolmentChoices.dataKinds(of: participant.study) { permitted.contains($0) }
        model["has_kinds"] = !kinds.isEmpty
        model["kinds"] = kinds
        for (name, value) in faults.model { model[name] = value }
        return context.renderer.page(
            "settings", title: request.words.text("more", "settings"), model,
            frame: participant.frame(
                request.words, current: "/more", back: "\(participant.home)/more", modules: ["settings"]),
            of: request, status: faults.status)
    }

    /// The settings of the study, each with its first values.
    /// - Parameter own: the elements of the response of `GET …/settings`.
    private func cards(
        of own: [JSON], _ participant: Participant, _ request: PageRequest
    ) async throws -> [[String: Any]] {
        var cards: [[String: Any]] = []
        for settings in own {
            let code = settings["questionnaire"]?.string ?? ""
            let form = try await context.server.questionnaireForm(
                code, version: settings["version"]?.string ?? "", of: participant.id, at: request.call.now)
            let rows = AnswerSummary(
                form.structure["item"]?.array ?? [], words: request.words, zone: participant.zone,
                now: request.call.now
            ).rows(settings["values"]?.object ?? [:], [:])
            cards.append([
                "title": settings["title"]?.string ?? "",
                "address": "\(participant.home)/settings/\(code)",
                "present": Array(rows.filter { $0["blank"] as? Bool != true }.prefix(3)),
            ])
        }
        return cards
    }

    var save: Route {
        context.post("/my/{id}/settings", query: ["saved"]) { request in
            var request = request
            let participant = try await request.participant()
            var faults = FormFaults(request.words)
            let channels = Self.channels.filter { request.field("channel.\($0)") == "on" }
            if channels.isEmpty {
                faults.add(request.words.text("settings", "last_channel"), field: "channels")
            }
            guard faults.isEmpty else { return try await page(participant, request, faults) }
            do {
                try await request.send(.patch, participant.resource, change(participant, channels, request))
            } catch let problem as Problem where problem.type.status == 422 {
                let texts = [
                    "time_zone": "zone_invalid", "language": "language_invalid", "time": "time_invalid",
                ]
                for fault in problem.faults {
                    let name = fault.pointer.split(separator: "/").last.map(String.init) ?? ""
                    faults.add(
                        request.words.text("settings", texts[name] ?? "not_saved"),
                        field: name == "time" ? "reminder_time" : texts[name] == nil ? nil : name)
                }
                return try await page(participant, request, faults)
            } catch let problem as Problem where problem.type == .tooManyRequests {
                faults.add(request.tooManyText(problem), field: nil)
                return try await page(participant, request, faults)
            }
            return PageRenderer.redirect("\(participant.home)/settings?saved=1")
        }
    }

    private func change(_ participant: Participant, _ channels: [String], _ request: PageRequest) -> JSON {
        let time = request.field("reminder_time")
        // A webhook belongs to another program, which set it up. This page keeps it.
        let kept = (participant.enrolment["reminder"]?["channels"]?.array ?? []).filter {
            $0.string == "webhook"
        }
        var reminder: JSONObject = [
            "on": .bool(request.field("reminder_on") == "on"),
            "channels": .array(channels.map(JSON.string) + kept),
        ]
        if !time.isEmpty { reminder["time"] = .string(time) }
        var body: JSONObject = ["reminder": .object(reminder)]
        body["time_zone"] = .string(request.field("time_zone"))
        body["language"] = .string(request.field("language"))
        let permitted = participant.permittedKinds
        var kinds = JSONObject()
        for kind in participant.study["data_kinds"]?.array ?? [] {
            let code = kind["data_kind"]?.string ?? ""
            let isWanted = request.field("kind.\(code)") == "on"
            if isWanted != permitted.contains(code) { kinds[code] = .bool(isWanted) }
        }
        if !kinds.isEmpty { body["data_kinds"] = .object(kinds) }
        return .object(body)
    }

    var pause: Route {
        context.post("/my/{id}/pause") { request in
            var request = request
            let participant = try await request.participant()
            let isPaused = participant.enrolment["paused"]?.bool ?? false
            try await request.send(.patch, participant.resource, ["paused": .bool(!isPaused)])
            return PageRenderer.redirect("\(participant.home)/settings?saved=1")
        }
    }

    /// Keeps the colour scheme on this device.
    var appearance: Route {
        context.post("/my/{id}/appearance") { request in
            var request = request
            let participant = try await request.participant()
            let chosen = Appearance(rawValue: request.field("mode")) ?? .system
            let cookie = chosen.cookie(publicURL: context.server.configuration.publicURL)
            return PageRenderer.redirect(
                "\(participant.home)/settings?saved=1", headers: [.setCookie: cookie])
        }
    }

    // MARK: - Leaving, and erasing all data

    var leave: Route {
        context.get("/my/{id}/leave") { request in
            var request = request
            let participant = try await request.participant()
            return leavePage(participant, request, FormFaults(request.words))
        }
    }

    private func leavePage(_ participant: Participant, _ request: PageRequest, _ faults: FormFaults) -> Reply
    {
        context.renderer.page(
            "leave", title: request.words.text("settings", "leave_title"),
            faults.model.merging(["active": participant.isActive], uniquingKeysWith: { $1 }),
            frame: participant.frame(request.words, current: "/more", back: "\(participant.home)/settings"),
            of: request, status: faults.status)
    }

    /// Leaves the study. Erasing the data needs a second confirmation.
    var sendLeave: Route {
        context.post("/my/{id}/leave") { request in
            var request = request
            let participant = try await request.participant()
            let mode = request.field("mode")
            var faults = FormFaults(request.words)
            guard ["stop", "exclude", "erase"].contains(mode) else {
                faults.add(request.words.text("settings", "choose_mode"), field: "mode")
                return leavePage(participant, request, faults)
            }
            if mode == "erase", request.field("confirmed") != "on" {
                faults.add(request.words.text("settings", "confirm_erase"), field: "confirmed")
                return leavePage(participant, request, faults)
            }
            try await request.send(
                .post, "\(participant.resource)/withdrawal", ["mode": .string(mode)])
            return PageRenderer.redirect(mode == "erase" ? "/erased" : participant.home)
        }
    }

    var eraseAccount: Route {
        context.get("/account/erase") { request in
            _ = try request.requireIdentity()
            return try await erasePage(request, FormFaults(request.words))
        }
    }

    private func erasePage(_ request: PageRequest, _ faults: FormFaults) async throws -> Reply {
        var model = faults.model
        model["needs_password"] = try await needsPassword(request)
        return context.renderer.page(
            "erase", title: request.words.text("settings", "erase_title"), model,
            frame: PageFrame(home: "/my", isLoggedIn: true, back: "/my"), of: request, status: faults.status)
    }

    private func needsPassword(_ request: PageRequest) async throws -> Bool {
        try await request.get("/v1/account")["kind"]?.string != AccountKind.anonymous.rawValue
    }

    /// Erases the account with all its data. It needs the password, if there is one, and a second confirmation.
    var sendEraseAccount: Route {
        context.post("/account/erase") { request in
            _ = try request.requireIdentity()
            var faults = FormFaults(request.words)
            let needsPassword = try await needsPassword(request)
            if needsPassword { faults.require(["password"], in: request) }
            if request.field("confirmed") != "on" {
                faults.add(request.words.text("settings", "confirm_erase"), field: "confirmed")
            }
            guard faults.isEmpty else { return try await erasePage(request, faults) }
            let body: JSON = needsPassword ? ["password": .string(request.field("password"))] : [:]
            do {
                try await request.send(.delete, "/v1/account", body)
            } catch let problem as Problem where problem.type == .credentialsInvalid {
                faults.add(request.words.text("settings", "wrong_password"), field: "password")
                return try await erasePage(request, faults)
            }
            return context.renderer.redirectEndingSession("/erased", isErased: true)
        }
    }

    /// Says that the data is erased.
    var erased: Route {
        context.get("/erased") { request in
            context.renderer.page(
                "erased", title: request.words.text("settings", "erased_title"),
                frame: PageFrame(isLoggedIn: request.identity != nil), of: request)
        }
    }
}
