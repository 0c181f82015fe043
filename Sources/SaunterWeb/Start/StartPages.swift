import SaunterCore
import SaunterServer

/// The pages that everybody may open: the studies and one study, and the list of the visitor's own studies.
struct StartPages: Sendable {
    let context: PageContext

    var start: Route {
        context.get("/") { request in
            let studies = try await request.get("/v1/studies")["items"]?.array ?? []
            return context.renderer.page(
                "start", title: request.words.text("start", "title"),
                [
                    "studies": studies.compactMap(\.model), "has_studies": !studies.isEmpty,
                    "logged_in": request.identity != nil,
                ],
                frame: PageFrame(isLoggedIn: request.identity != nil), of: request)
        }
    }

    var study: Route {
        context.get("/studies/{study}") { request in
            let code = try request.path("study")
            let study = try await request.get("/v1/studies/\(PageAddress.encode(code))")
            let isOpen = study["open"]?.bool ?? false
            let needsCode = study["needs_code"]?.bool ?? false
            let lastDay = study["days"]?.int ?? 0
            // A diary without an end has no number of days.
            let effort =
                StudyLength.isCounted(lastDay: lastDay)
                ? request.words.text("study", "effort_text", ["days": String(lastDay + 1)])
                : request.words.text("study", "effort_open")
            let asked = (study["questionnaires"]?.array ?? []).filter { $0["settings"]?.bool != true }
            let minutes = asked.map { item -> [String: Any] in
                let minutes = item["minutes"]?.double ?? 0
                return [
                    "title": item["title"]?.string ?? "",
                    "minutes": request.words.text(
                        "study", minutes < 2 ? "one_minute" : "some_minutes",
                        ["count": request.words.number(minutes.rounded(.up))]
                    ).replacing(" ", with: "\u{a0}"),
                ]
            }
            let isNew = try await !takesPart(in: code, request)
            let hasPlans = study["entitlements"]?.array?.isEmpty == false
            return context.renderer.page(
                "study", title: study["title"]?.string ?? code,
                [
                    "content": try await request.publicCardsOfDay(study), "study": study.model ?? [:],
                    "questionnaires": minutes, "mine": isNew ? [] : ["/studies/\(code)/my"],
                    "open": isNew && isOpen, "needs_code": isNew && needsCode,
                    "closed": isNew && !isOpen && !needsCode, "effort": effort,
                    "join": "/studies/\(code)/consent",
                    "start": "/studies/\(code)/start",
                    "can_start": (isOpen || needsCode) && request.identity == nil
                        && AnonymousStart.isAdmitted(by: study),
                    "plans": hasPlans ? ["/studies/\(code)/plans"] : [],
                ],
                frame: PageFrame(
                    isLoggedIn: request.identity != nil, back: "/", look: StudyLook(study),
                    manifest: "/studies/\(code)/manifest.webmanifest?lang=\(request.words.code)",
                    contacts: Participant.contacts(of: study)), of: request
            )
        }
    }

    private func takesPart(in study: String, _ request: PageRequest) async throws -> Bool {
        guard request.identity != nil else { return false }
        let enrolments = try await request.get("/v1/enrolments")["items"]?.array ?? []
        return enrolments.contains { $0["study"]?.string == study }
    }

    /// The visitor's studies. A single one opens at once.
    var mine: Route {
        context.get("/my") { request in
            let identity = try request.requireIdentity()
            let enrolments = try await request.get("/v1/enrolments")["items"]?.array ?? []
            if enrolments.count == 1, let id = enrolments[0]["enrolment_id"]?.string {
                let overview = try await request.get("/v1/enrolments/\(id)/overview")
                // A changed consent text is read first.
                let page = overview["consent_due"]?.object == nil ? "" : "/consent"
                return PageRenderer.redirect(PageAddress.home(id) + page)
            }
            // A member of a study team who takes part in no study.
            if enrolments.isEmpty, !identity.grants.isEmpty { return PageRenderer.redirect("/staff") }
            var items: [[String: Any]] = []
            for enrolment in enrolments {
                let code = enrolment["study"]?.string ?? ""
                let study = try await request.get("/v1/studies/\(PageAddress.encode(code))")
                items.append([
                    "title": study["title"]?.string ?? code,
                    "address": PageAddress.home(enrolment["enrolment_id"]?.string ?? ""),
                    "ended": enrolment["status"]?.string != "active",
                ])
            }
            return context.renderer.page(
                "my", title: request.words.text("my", "title"),
                ["items": items, "has_items": !items.isEmpty], frame: PageFrame(isLoggedIn: true), of: request
            )
        }
    }
}
