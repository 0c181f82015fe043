import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The page of open alerts, for coordinators and admins.
struct AlertsPage: Sendable {
    let context: PageContext

    /// The open alerts of one study or of all studies, each with a form to acknowledge it.
    var alerts: Route {
        context.get("/staff/alerts", query: ["study"]) { request in
            let identity = try request.requireIdentity()
            guard identity.has(.coordinator) else { throw Problem(.notPermitted) }
            let study = request.call.query("study").flatMap { $0.isEmpty ? nil : $0 }
            let found = try await alerts(of: study, request)
            let frame =
                if let study { try await StaffFrame.study(study, .alerts, request) } else {
                    StaffFrame.general("alerts", request)
                }
            return context.renderer.page(
                "staff_alerts", title: request.words.text("staff", "alerts"),
                ["alerts": found, "has_alerts": !found.isEmpty, "only": study ?? ""], frame: frame,
                of: request)
        }
    }

    /// Acknowledges an alert, and shows the others.
    var acknowledge: Route {
        // The form and the page have one address, so that a visitor who has to log in again finds the page.
        context.post("/staff/alerts") { request in
            let study = PageAddress.encodePart(request.field("study"))
            let alert = PageAddress.encodePart(request.field("alert"))
            try await request.send(
                .put, "/v1/studies/\(study)/alerts/\(alert)/acknowledgement",
                ["note": .string(request.field("note"))])
            let only = request.field("only")
            return PageRenderer.redirect(
                only.isEmpty ? "/staff/alerts" : StaffStudyPage.alerts.address(only))
        }
    }

    private func alerts(of study: String?, _ request: PageRequest) async throws -> [[String: Any]] {
        let time = LocalTimeText(language: request.words.code, zone: "UTC")
        var found: [[String: Any]] = []
        let studies: [(code: String, title: String?)] =
            if let study { [(code: study, title: nil)] } else { try await studiesWithAlerts(request) }
        for (code, title) in studies {
            let path = "/v1/studies/\(PageAddress.encodePart(code))/alerts"
            for alert in try await request.list(path, query: "state=open&limit=100") {
                var model: [String: Any] = [
                    "id": alert["alert_id"]?.string ?? "", "study": code,
                    "participant": alert["participant_id"]?.string ?? "",
                    "about": (alert["about"]?.string ?? "").replacing("_", with: " "),
                    "time": (alert["raised_at"]?.instant).map { [StaffTable.moment($0, time)] } ?? [],
                ]
                // A page of one study has its title above.
                model["study_title"] = title
                if request.mayAct(in: code),
                    let participant = alert["participant_id"]?.string
                {
                    model["reach"] = ParticipantActionsPage.address(participant, of: code)
                }
                found.append(model)
            }
        }
        return found
    }

    private func studiesWithAlerts(
        _ request: PageRequest
    ) async throws -> [(code: String, title: String?)] {
        try await request.list("/v1/staff/studies", query: "limit=100&numbers=false").filter {
            $0["open_alerts"]?.int ?? 0 > 0
        }.compactMap { study in
            study["study"]?.string.map { (code: $0, title: study["title"]?.string) }
        }
    }
}
