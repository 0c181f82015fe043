import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The entrance of the study team: the studies that are granted to the account, and how to get the first dataset.
struct StaffPage: Sendable {
    /// The number of participants whose state the page counts. The API lists the others.
    private static let countedParticipants = 1000

    let context: PageContext

    var studies: Route {
        context.get("/staff") { request in
            let identity = try request.requireIdentity()
            // An admin of all studies has no study to show: a role for answers is granted by study.
            let roles = Dictionary(grouping: identity.grants, by: \.study)
            var studies: [[String: Any]] = []
            for (code, grants) in roles.sorted(by: { $0.key < $1.key }) where code != "*" {
                let names = grants.map { request.words.text("staff", $0.role.rawValue) }.sorted()
                studies.append(
                    try await study(
                        code, names, isResearcher: identity.grant(.researcher, study: code) != nil, request))
            }
            let open = try await openAlerts(identity, request).count
            let notes =
                open == 0
                ? []
                : [
                    request.words.text(
                        "staff", open == 1 ? "alerts_one" : "alerts_other", ["count": String(open)])
                ]
            return context.renderer.page(
                "staff", title: request.words.text("staff", "title"),
                [
                    "studies": studies, "has_studies": !studies.isEmpty,
                    "open_alerts": notes,
                    "is_admin": identity.grants.contains { $0.role == .admin },
                    "url": context.server.configuration.publicURL,
                ],
                frame: PageFrame(home: "/staff", isLoggedIn: true, back: "/"), of: request)
        }
    }

    /// The open alerts, each with a form to acknowledge it.
    var alerts: Route {
        context.get("/staff/alerts") { request in
            let identity = try request.requireIdentity()
            let time = LocalTimeText(language: request.words.code, zone: "UTC")
            let alerts = try await openAlerts(identity, request).map { study, alert -> [String: Any] in
                let id = alert["alert_id"]?.string ?? ""
                return [
                    "id": id, "study": study, "participant": alert["participant_id"]?.string ?? "",
                    "about": alert["about"]?.string ?? "",
                    "time": (alert["raised_at"]?.instant.map { time.dayAndTime($0) } ?? "") + " UTC",
                    "address": "/staff/alerts/\(PageAddress.encodePart(study))/\(id)",
                ]
            }
            return context.renderer.page(
                "staff_alerts", title: request.words.text("staff", "alerts"),
                ["alerts": alerts, "has_alerts": !alerts.isEmpty],
                frame: PageFrame(home: "/staff", isLoggedIn: true, back: "/staff"), of: request)
        }
    }

    /// Acknowledges an alert, and shows the others.
    var acknowledge: Route {
        context.post("/staff/alerts/{study}/{alert}") { request in
            let study = PageAddress.encodePart(try request.path("study"))
            let alert = PageAddress.encodePart(try request.path("alert"))
            try await request.send(
                .put, "/v1/studies/\(study)/alerts/\(alert)/acknowledgement",
                ["note": .string(request.field("note"))])
            return PageRenderer.redirect("/staff/alerts")
        }
    }

    /// The open alerts of the studies that the account coordinates, with the code of the study.
    private func openAlerts(
        _ identity: Identity, _ request: PageRequest
    ) async throws -> [(study: String, alert: JSON)] {
        var studies = Set(identity.grants.map(\.study)).subtracting([Grant.allStudies])
        if identity.grants.contains(where: { $0.study == Grant.allStudies }) {
            studies.formUnion(
                (try await request.get("/v1/studies")["items"]?.array ?? []).compactMap {
                    $0["study"]?.string
                })
        }
        var found: [(study: String, alert: JSON)] = []
        for study in studies.sorted() where identity.grant(.coordinator, study: study) != nil {
            let path = "/v1/studies/\(PageAddress.encodePart(study))/alerts"
            found += try await request.list(path, query: "state=open&limit=100").map { (study, $0) }
        }
        return found
    }

    private func study(
        _ code: String, _ roles: [String], isResearcher: Bool, _ request: PageRequest
    ) async throws -> [String: Any] {
        let path = "/v1/studies/\(PageAddress.encodePart(code))"
        let found = try await request.get(path)
        var model: [String: Any] = [
            "study": code, "title": found["title"]?.string ?? code, "roles": roles.joined(separator: ", "),
            "is_researcher": isResearcher,
        ]
        guard isResearcher else { return model }
        let page = try await request.get(
            "\(path)/participants", query: "limit=\(Self.countedParticipants)")
        let participants = page["items"]?.array ?? []
        // With more participants than on one page, a count would be wrong.
        guard page["next"]?.string == nil else {
            model["many"] = request.words.text(
                "staff", "many", ["count": String(Self.countedParticipants)])
            return model
        }
        let active = participants.count(where: { $0["status"]?.string == "active" })
        let total = try await request.get("\(path)/adherence", query: "limit=\(Self.countedParticipants)")[
            "total"]
        model["counts"] = [
            "enrolled": String(participants.count), "active": String(active),
            "sheets": String(participants.reduce(0) { $0 + ($1["answer_sheets"]?.int ?? 0) }),
            "adherence": total?["adherence_percent"]?.double.map { "\(request.words.number($0)) %" } ?? "–",
        ]
        return model
    }
}
