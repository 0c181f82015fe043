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
    /// The colours that the participant has chosen in the settings of the study; nil if the study has no such setting.
    var scheme: String?
    /// The address of the pages of a made-up participant; nil for a real one.
    var rehearsalHome: String?

    /// The participant with other colours.
    func choosing(scheme: String?) -> Participant {
        var participant = self
        participant.scheme = scheme
        return participant
    }

    /// The address of the participant's pages.
    var home: String { rehearsalHome ?? PageAddress.home(id) }
    var studyTitle: String { study["title"]?.string ?? "" }
    var isActive: Bool { enrolment["status"]?.string == "active" }

    /// The time zone of the enrolment.
    var zone: Zone { Zone(enrolment["time_zone"]?.string ?? "") ?? .utc }

    /// The codes of the data kinds that the participant permits.
    var permittedKinds: Set<String> {
        Set((enrolment["data_kinds"]?.object ?? [:]).filter { !$0.value.isNull }.map(\.name))
    }

    /// Formats times in the time zone of the enrolment.
    func time(_ words: Words.Language) -> LocalTimeText {
        LocalTimeText(language: words.code, zone: enrolment["time_zone"]?.string ?? "")
    }

    /// The beginning of the addresses of the participant's resources in the API.
    var resource: String { "/v1/enrolments/\(id)" }

    /// The frame of a page of this participant.
    /// - Parameters:
    ///   - current: the address below `home` of the page; `""` is Today.
    ///   - back: the address to which the page leads back; nil for a page of the navigation.
    ///   - styles: the names of style sheets besides those of every page.
    func frame(
        _ words: Words.Language, current: String, back: String? = nil, modules: [String] = [],
        styles: [String] = []
    ) -> PageFrame {
        let features = navigation(words).map { feature -> PageFrame.Link in
            let address = home + feature.path
            let opener = feature.code.map { "\(home)/f/\($0)" }
            return PageFrame.Link(
                title: feature.title, address: opener ?? address,
                isCurrent: feature.path == current || feature.path == current.prefix { $0 != "?" },
                target: feature.isKnown && opener != nil ? address : nil)
        }
        let isBehindMore = self.features.dropFirst(Self.featuresInNavigation).contains { $0.path == current }
        return PageFrame(
            studyTitle: studyTitle, home: home,
            navigation: [
                PageFrame.Link(title: words.text("nav", "today"), address: home, isCurrent: current.isEmpty)
            ] + features + [
                PageFrame.Link(
                    title: words.text("nav", "more"), address: "\(home)/more",
                    isCurrent: current == "/more" || isBehindMore)
            ], isLoggedIn: true, back: back, modules: ["app"] + modules,
            styles: ["pages"] + styles, look: StudyLook(study, scheme: scheme),
            manifest: "/studies/\(study["study"]?.string ?? "")/manifest.webmanifest?lang=\(words.code)",
            contacts: contacts,
            mode: scheme.flatMap { Appearance(rawValue: $0) }.flatMap { $0 == .system ? nil : $0.rawValue })
    }

    /// The address of the contacts for a crisis, first those of the country of the participant's time zone; nil if the
    /// study has none.
    var contacts: String? {
        let country = Countries.country(ofZone: zone.id).map { "?country=\($0)" } ?? ""
        return Self.contacts(of: study).map { $0 + country }
    }

    /// The address of the contacts for a crisis; nil if the study has none.
    /// - Parameter study: the response of `GET /v1/studies/{study}`.
    static func contacts(of study: JSON) -> String? {
        study["contacts"]?.string.map { _ in "/studies/\(study["study"]?.string ?? "")/contacts" }
    }

    /// How many features are in the navigation. All others are behind "More".
    static let featuresInNavigation = 3

    /// The functions of the app that the web app has pages for, in the order of the pack.
    var features: [Feature] {
        (enrolment["features"]?.array ?? []).map { Feature($0) }.filter { $0.path != nil }
    }

    /// Whether the participant can reach the programmes, and the practices in them, from the navigation.
    var hasProgrammes: Bool { features.contains { $0.path == ProgrammePages.path } }

    private typealias Entry = (title: String, path: String, code: String?, isKnown: Bool)

    /// The entries between Today and More. If no feature has a page in the web app, the entries are: entries, walks
    /// (only if the study has walking) and insights.
    private func navigation(_ words: Words.Language) -> [Entry] {
        let features = features.prefix(Self.featuresInNavigation)
        guard features.isEmpty else {
            return features.map { ($0.title, $0.path ?? "", $0.code, $0.isKnown) }
        }
        var entries: [Entry] = [(words.text("nav", "entries"), "/entries", nil, true)]
        if study["walking"]?.object != nil {
            entries.append((words.text("nav", "walks"), "/walks", nil, true))
        }
        entries.append((words.text("nav", "insights"), "/insights", nil, true))
        return entries
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
        var participant = Participant(id: id, enrolment: enrolment, study: study)
        if let item = study["brand"]?["scheme"]?.string {
            let settings = try await get("\(participant.resource)/settings")["items"]?.array ?? []
            participant.scheme = settings.compactMap { $0["values"]?[item]?.string }.first
        }
        return participant
    }
}
