import SaunterCore

/// A function of the app as the navigation shows it: an element of `features` of an enrolment.
struct Feature {
    /// The code in the pack.
    let code: String
    let title: String
    /// Why the function is there.
    let text: String
    /// Whether the participant opened it before.
    let isKnown: Bool
    /// The address of its page below that of the participant; nil if the web app has no page of this kind.
    let path: String?

    init(_ json: JSON) {
        code = json["feature"]?.string ?? ""
        title = json["title"]?.string ?? ""
        text = json["text"]?.string ?? ""
        isKnown = json["first_opened_at"]?.string != nil
        let page = json["page"]?.string.flatMap { StudyFeature.Page(rawValue: $0) }
        path = Self.path(
            page, questionnaire: json["questionnaire"]?.string, collection: json["collection"]?.string)
    }

    private static func path(
        _ page: StudyFeature.Page?, questionnaire: String?, collection: String?
    ) -> String? {
        switch page {
        case .entry, .goal, .ranking: questionnaire.map { "/q/\($0)" }
        case .entries: questionnaire.map { "/entries?questionnaire=\($0)" } ?? "/entries"
        case .insights: "/insights"
        case .walk: "/walks"
        case .cards, .player: collection.map { "/c/\($0)" }
        case .programmes: ProgrammePages.path
        case .journal, .contacts, .pacer, .report, .groups, nil: nil
        }
    }
}
