import HTTPTypes
import SaunterCore
import SaunterServer

/// What participants can buy or were given: the plans of a study, and the page of a locked questionnaire. Nothing is
/// sold in the browser.
struct PlanPages: Sendable {
    let context: PageContext

    /// The plans of a study, for everyone.
    var study: Route {
        context.get("/studies/{study}/plans") { request in
            let code = PageAddress.encode(try request.path("study"))
            let study = try await request.get("/v1/studies/\(code)")
            guard study["entitlements"]?.array?.isEmpty == false else { throw Problem(.notFound) }
            let plans = try await request.plans(of: study)
            return context.renderer.page(
                "plans", title: request.words.text("plans", "title"),
                ["plans": plans, "has_plans": !plans.isEmpty, "lead": request.words.text("plans", "lead")],
                frame: PageFrame(
                    studyTitle: study["title"]?.string,
                    home: request.identity == nil ? "/studies/\(code)" : "/studies/\(code)/my",
                    isLoggedIn: request.identity != nil, back: "/studies/\(code)", look: StudyLook(study),
                    contacts: Participant.contacts(of: study)),
                of: request)
        }
    }

    /// The plans of the participant's study, and what the participant has.
    var own: Route {
        context.get("/my/{id}/plans") { request in
            var request = request
            let participant = try await request.participant()
            guard participant.hasEntitlements else { throw Problem(.notFound) }
            let plans = try await request.plans(of: participant.study)
            let owned = try await request.entitlements(of: participant)
            return context.renderer.page(
                "plans", title: request.words.text("plans", "title"),
                [
                    "plans": plans, "has_plans": !plans.isEmpty, "owned": owned, "has_owned": !owned.isEmpty,
                    "lead": request.words.text("plans", "lead"),
                ],
                frame: participant.frame(request.words, current: "/more", back: "\(participant.home)/more"),
                of: request)
        }
    }

    /// The page of a questionnaire that is locked for the participant: its name, its length, and the plans that open
    /// it.
    func locked(_ questionnaire: String, _ participant: Participant, _ request: PageRequest) async throws
        -> Reply
    {
        let words = request.words
        let overview = try await request.get("\(participant.resource)/overview")["items"]?.array ?? []
        let entry = overview.first { $0["questionnaire"]?.string == questionnaire }
        let entitlement = entry?["entitlement"]?.string
        let title = participant.entitlementTitle(entitlement ?? "")
        let plans = try await request.plans(of: participant.study, opening: entitlement)
        var model: [String: Any] = [
            "lead": words.text("plans", "locked", ["title": title]), "plans": plans,
            "has_plans": !plans.isEmpty, "to_today": participant.home,
        ]
        if let minutes = entry?["minutes"]?.double {
            model["minutes"] = words.text("today", "minutes", ["minutes": words.number(minutes)])
        }
        let isPractice = participant.hasProgrammes && entry?["practice"]?.bool == true
        // Browsers keep no page with this status, so that the form appears as soon as the participant may read it.
        return context.renderer.page(
            "plans", title: entry?["title"]?.string ?? words.text("plans", "locked_title"), model,
            frame: participant.frame(
                words, current: isPractice ? ProgrammePages.path : "-",
                back: participant.home + (isPractice ? ProgrammePages.path : "")),
            of: request, status: .forbidden)
    }
}

extension Participant {
    /// Whether the study has parts that need an entitlement.
    var hasEntitlements: Bool { study["entitlements"]?.array?.isEmpty == false }

    /// The name of an entitlement; its code if the study does not have it.
    func entitlementTitle(_ code: String) -> String {
        (study["entitlements"]?.array ?? []).first { $0["entitlement"]?.string == code }?["title"]?.string
            ?? code
    }
}

extension PageRequest {
    /// The plans of a study as a page shows them.
    /// - Parameters:
    ///   - study: the response of `GET /v1/studies/{study}`.
    ///   - entitlement: only plans that open it; nil for all.
    func plans(of study: JSON, opening entitlement: String? = nil) async throws -> [[String: Any]] {
        let code = PageAddress.encode(study["study"]?.string ?? "")
        let items = try await get("/v1/studies/\(code)/plans")["items"]?.array ?? []
        return items.filter { entitlement == nil || $0["entitlement"]?.string == entitlement }.map { plan in
            [
                "title": plan["title"]?.string ?? "", "text": plan["text"]?.string ?? "",
                "period": plan["period"]?.string ?? "",
                "sold": plan["store_product"]?.string != nil,
            ]
        }
    }

    /// What the participant has, one sentence each.
    func entitlements(of participant: Participant) async throws -> [[String: Any]] {
        let time = participant.time(words)
        return (try await get("\(participant.resource)/entitlements")["items"]?.array ?? []).map { item in
            let end = item["valid_until"]?.instant
            let state = item["state"]?.string ?? ""
            let name = state == "active" && end == nil ? "state_endless" : "state_\(state)"
            return [
                "title": item["title"]?.string ?? "",
                "state": words.text(
                    "plans", name, ["day": end.map { time.lastDay(before: $0, now: call.now) } ?? ""]),
                "source": words.text("plans", "source_\(item["source"]?.string ?? "")"),
            ]
        }
    }
}
