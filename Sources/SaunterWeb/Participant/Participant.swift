import SaunterCore
import SaunterServer

/// The visitor as a participant of one study.
struct Participant: Sendable {
    /// The id of the enrolment.
    let id: String
    /// The response of `GET /v1/enrolments/{id}`.
    let enrolment: JSON
    /// The response of `GET /v1/studies/{study}` in the language of the enrolment.
    let study: JSON

    /// The address of the participant's pages.
    var home: String { PageAddress.home(id) }
    var studyTitle: String { study["title"]?.string ?? "" }
    var isActive: Bool { enrolment["status"]?.string == "active" }

    /// The beginning of the addresses of the participant's resources in the API.
    var resource: String { "/v1/enrolments/\(id)" }

    /// The frame of a page of this participant.
    /// - Parameters:
    ///   - current: the address below `home` of the page; `""` is Today.
    ///   - back: the address to which the page leads back; nil for a page of the navigation.
    func frame(
        _ words: Words.Language, current: String, back: String? = nil, modules: [String] = []
    ) -> PageFrame {
        var links: [(title: String, path: String)] = [(words.text("nav", "today"), "")]
        links.append((words.text("nav", "entries"), "/entries"))
        if study["walking"]?.object != nil { links.append((words.text("nav", "walks"), "/walks")) }
        if enrolment["insights"]?.bool ?? true { links.append((words.text("nav", "insights"), "/insights")) }
        links.append((words.text("nav", "more"), "/more"))
        return PageFrame(
            studyTitle: studyTitle, home: home,
            navigation: links.map {
                PageFrame.Link(title: $0.title, address: home + $0.path, isCurrent: $0.path == current)
            }, isLoggedIn: true, back: back, modules: ["app"] + modules,
            manifest: "/studies/\(study["study"]?.string ?? "")/manifest.webmanifest")
    }
}

extension PageRequest {
    /// The visitor as the participant whose id is in the address. The words become those of the enrolment's language.
    /// - Throws: `LoginNeeded`; `not-found` for the enrolment of another account.
    mutating func participant() async throws -> Participant {
        _ = try requireIdentity()
        let id = PageAddress.encode(try path("id"))
        let enrolment = try await get("/v1/enrolments/\(id)")
        speak(enrolment["language"]?.string ?? words.code)
        let study = try await get("/v1/studies/\(enrolment["study"]?.string ?? "")")
        return Participant(id: id, enrolment: enrolment, study: study)
    }
}
